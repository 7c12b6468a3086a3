#include "adapters/local/sentence_splitter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

namespace parley::adapters::local {
namespace {

// About 20 s of speech: also bounds what a speaker holds of a throttled answer.
constexpr std::size_t longest_bytes = 300;
constexpr std::size_t shortest_clause_bytes = 80;  // a cut earlier would sound like stuttering

constexpr std::array<std::string_view, 30> abbreviations{
    "mr",  "mrs", "ms",  "dr",  "prof", "st", "jr",   "sr",   "vs",  "etc",    "e.g", "i.e", "cf",  "ca",  "no",
    "vol", "pp",  "fig", "inc", "ltd",  "co", "corp", "dept", "est", "approx", "a.m", "p.m", "u.s", "u.k", "ph.d"};

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// The word that ends before `end`, without brackets and quotes in front of it.
std::string_view word_before(std::string_view text, std::size_t end) {
  auto begin = end;
  while (begin > 0 && !is_blank(text[begin - 1])) --begin;
  while (begin < end && std::ispunct(static_cast<unsigned char>(text[begin]))) ++begin;
  return text.substr(begin, end - begin);
}

// Whether the dot at `dot` belongs to its word.
bool dot_of_abbreviation(std::string_view text, std::size_t dot) {
  const auto word = word_before(text, dot);
  if (word.size() == 1 && is_letter(word[0]) && word[0] != 'I') return true;  // an initial
  return std::find(abbreviations.begin(), abbreviations.end(), lower(word)) != abbreviations.end();
}

// The length of the mark that may end a sentence at `at`; 0 if there is none.
std::size_t end_mark(std::string_view text, std::size_t at) {
  constexpr std::string_view ellipsis = "\xE2\x80\xA6";
  if (text.substr(at).starts_with(ellipsis)) return ellipsis.size();
  if (text[at] == '!' || text[at] == '?') return 1;
  return text[at] == '.' && !dot_of_abbreviation(text, at) ? 1 : 0;
}

std::size_t closing_mark(std::string_view rest) {
  if (rest.empty()) return 0;
  if (std::string_view("\"')]*_").find(rest.front()) != std::string_view::npos) return 1;
  return rest.starts_with("\xE2\x80\x9D") || rest.starts_with("\xE2\x80\x99") ? 3 : 0;  // ” ’
}

bool is_empty_line(std::string_view text, std::size_t at) { return text[at] == '\n' && text[at - 1] == '\n'; }

// Where the first complete sentence of text ends.
std::optional<std::size_t> sentence_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;  // the blanks that lead it
  while (++at < text.size()) {
    if (is_empty_line(text, at)) return at;
    auto end = at;
    for (auto mark = end_mark(text, at); mark > 0 && end < text.size();) {
      end += mark;
      mark = end < text.size() ? std::max(end_mark(text, end), closing_mark(text.substr(end))) : 0;
    }
    if (end > at && end < text.size() && is_blank(text[end])) return end;
    if (end > at) at = end - 1;
  }
  return std::nullopt;
}

// Where a text that is too long is cut; never 0 and never inside a character.
std::size_t clause_end(std::string_view text) {
  const auto head = text.substr(0, longest_bytes);
  for (auto at = head.size() - 1; at > shortest_clause_bytes; --at) {
    if (is_blank(head[at]) && std::string_view(",;:-").find(head[at - 1]) != std::string_view::npos) return at;
  }
  for (auto at = head.size() - 1; at > 0; --at) {
    if (is_blank(head[at]) && !is_blank(head[at - 1])) return at;
  }
  auto at = head.size();
  while (at > 1 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

}  // namespace

std::vector<std::string> sentence_splitter::push(std::string_view text) {
  waiting_ += text;
  std::vector<std::string> sentences;
  while (true) {
    auto end = sentence_end(waiting_);
    if ((!end || *end > longest_bytes) && waiting_.size() > longest_bytes) end = clause_end(waiting_);
    if (!end) return sentences;
    sentences.push_back(waiting_.substr(0, *end));
    waiting_.erase(0, *end);
  }
}

std::vector<std::string> sentence_splitter::finish() {
  std::vector<std::string> rest;
  if (!waiting_.empty()) rest.push_back(std::move(waiting_));
  waiting_.clear();
  return rest;
}

}  // namespace parley::adapters::local
