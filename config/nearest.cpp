#include "config/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace parley::config {
namespace {

// Levenshtein distance, one row of the matrix at a time.
std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;  // beyond a third it is another word
  for (const auto& candidate : candidates) {
    const bool begun = word.size() >= 3 && candidate.starts_with(word);  // a forgotten unit: write_timeout
    const std::size_t edits = begun ? 1 : distance(word, candidate);
    if (edits < best_distance) {
      best = candidate;
      best_distance = edits;
    }
  }
  return best;
}

}  // namespace parley::config
