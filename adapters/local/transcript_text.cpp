#include "adapters/local/transcript_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>

namespace parley::adapters::local {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds unchanged_for{300};

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

bool between(std::string_view word, std::string_view open, std::string_view close) {
  return word.size() > open.size() + close.size() && word.starts_with(open) && word.ends_with(close);
}

bool is_marker(std::string_view word, bool drop_markers) {
  if (between(word, "<", ">")) return true;
  return drop_markers && (between(word, "[", "]") || between(word, "(", ")") || between(word, "++", "++"));
}

bool holds_a_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c >= 0x80; });
}

}  // namespace

std::string cleaned_transcript(std::string_view hypothesis, bool drop_markers) {
  std::string text;
  for (const auto& word : words_of(hypothesis)) {
    if (is_marker(word, drop_markers)) continue;
    if (!text.empty()) text += ' ';
    text += word;
  }
  return holds_a_word(text) ? text : std::string();
}

std::string likely_words::next(std::string_view cleaned_hypothesis, milliseconds heard) {
  const auto current = words_of(cleaned_hypothesis);
  const auto agreed =
      static_cast<std::size_t>(std::mismatch(current.begin(), current.end(), words_.begin(), words_.end(),
                                             [](const auto& text, const word& before) { return text == before.text; })
                                   .first -
                               current.begin());
  words_.resize(agreed);
  for (auto i = agreed; i < current.size(); ++i) words_.push_back({current[i], heard});

  std::string likely;
  for (const word& one : words_) {
    if (heard - one.since < unchanged_for) break;
    likely += (likely.empty() ? "" : " ") + one.text;
  }
  return likely;
}

}  // namespace parley::adapters::local
