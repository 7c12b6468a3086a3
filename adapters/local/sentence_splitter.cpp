#include "adapters/local/sentence_splitter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
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

// Marks that end a sentence in scripts that need no blank behind them.
constexpr std::array<std::string_view, 20> full_stops{
    "\u3002", "\uFF61", "\uFF0E", "\uFF01", "\uFF1F",  // ideographic, half width; full width . ! ?
    "\u0964", "\u0965",                                // danda, double danda
    "\u061F", "\u06D4",                                // Arabic question mark, Urdu full stop
    "\u0E5A", "\u0E5B",                                // Thai angkhankhu, khomut
    "\u104B", "\u17D4", "\u17D5",                      // Burmese, Khmer
    "\u0589", "\u1362", "\u1367", "\u0F0D",            // Armenian, Ethiopic, Tibetan
    "\u203C", "\u2049"};                               // !! and !? in one
constexpr std::array<std::string_view, 6> wide_clause_marks{"\uFF0C", "\u3001", "\uFF1B", "\uFF1A", "\u060C", "\u061B"};
constexpr std::array<std::string_view, 22> closing_marks{
    "\"",     "'",      ")",      "]",      "*",      "_",      "\u201D", "\u2019", "\u00BB", "\u203A", "\u300D",
    "\u300F", "\u3009", "\u300B", "\u3011", "\u3015", "\uFF02", "\uFF07", "\uFF09", "\uFF3D", "\uFF5D", "\uFF63"};

// The length of the one of `marks` that text begins with; 0 if there is none.
template <std::size_t Count>
std::size_t one_of(const std::array<std::string_view, Count>& marks, std::string_view text) {
  const auto found = std::find_if(marks.begin(), marks.end(), [&](auto mark) { return text.starts_with(mark); });
  return found == marks.end() ? 0 : found->size();
}

std::size_t character_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

// Whether text begins with a digit, also a wide one.
bool is_digit(std::string_view text) {
  if (std::isdigit(static_cast<unsigned char>(text.front())) != 0) return true;
  return text.size() >= 3 && text.substr(0, 3) >= "\uFF10" && text.substr(0, 3) <= "\uFF19";
}

// Whether text begins with a character of a script that is written without blanks: East Asian from U+3000 (the
// ideographic blank) to U+9FFF and in the wide forms, Hangul left out.
bool is_blankless(std::string_view text) {
  if (text.size() < 3) return false;
  const auto character = text.substr(0, 3);
  return (character >= "\u3000" && character <= "\u9FFF") || (character >= "\uFF01" && character <= "\uFF9F");
}

// Whether text begins with a Thai or Lao character.
bool is_thai(std::string_view text) {
  return text.size() >= 3 && text.substr(0, 3) >= "\u0E01" && text.substr(0, 3) <= "\u0EDF";
}

// How much a mark says that its sentence is over.
enum class ending : std::uint8_t {
  none,
  before_blank,      // with a blank behind it: . ! ? and the ellipsis
  before_blankless,  // also with a character behind it of a script that has none: ! ? and the ellipsis
  always
};
struct end_mark {
  std::size_t bytes = 0;
  ending says = ending::none;
};

end_mark end_mark_at(std::string_view text, std::size_t at) {
  constexpr std::string_view ellipsis = "\u2026";
  const auto rest = text.substr(at);
  if (rest.starts_with(ellipsis)) return {ellipsis.size(), ending::before_blankless};
  if (text[at] == '!' || text[at] == '?') return {1, ending::before_blankless};
  if (text[at] == '.') return dot_of_abbreviation(text, at) ? end_mark{} : end_mark{1, ending::before_blank};
  const auto bytes = one_of(full_stops, rest);
  return bytes > 0 ? end_mark{bytes, ending::always} : end_mark{};
}

bool is_empty_line(std::string_view text, std::size_t at) { return text[at] == '\n' && text[at - 1] == '\n'; }

// The marks from `at` on with the closing quotes and brackets behind them: how long, and what the strongest says.
end_mark marks_at(std::string_view text, std::size_t at) {
  auto all = end_mark_at(text, at);
  while (all.bytes > 0 && at + all.bytes < text.size()) {
    const auto end = at + all.bytes;
    auto next = end_mark_at(text, end);
    if (next.bytes == 0) next.bytes = one_of(closing_marks, text.substr(end));
    if (next.bytes == 0) break;
    all = {all.bytes + next.bytes, std::max(all.says, next.says)};
  }
  return all;
}

// Whether marks that say so much, after the `mark` they begin with, end a sentence before what is behind them.
// REQUIRES: behind is a whole character at least.
bool ends_before(std::string_view behind, ending says, std::string_view mark) {
  if (is_blank(behind.front()) || behind.starts_with("\u3000")) return true;
  if (says == ending::always) return !(mark.starts_with("\uFF0E") && is_digit(behind));
  return says == ending::before_blankless && is_blankless(behind);
}

// Thai has no full stop: a blank stands between sentences, but between clauses as well, so a piece must be long enough.
bool is_thai_end(std::string_view text, std::size_t at) {
  return at > shortest_clause_bytes && text[at] == ' ' && is_thai(text.substr(at - 3)) && is_thai(text.substr(at + 1));
}

// Where the first complete sentence of text ends. What stands behind its marks must be there: it may be one more.
std::optional<std::size_t> sentence_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;  // the blanks that lead it
  while (++at < text.size()) {
    if (is_empty_line(text, at) || is_thai_end(text, at)) return at;
    const auto marks = marks_at(text, at);
    if (marks.bytes == 0) continue;
    const auto end = at + marks.bytes;
    if (end == text.size() || text.size() - end < character_length(text[end])) return std::nullopt;
    if (ends_before(text.substr(end), marks.says, text.substr(at))) return end;
    at = end - 1;
  }
  return std::nullopt;
}

// Whether a clause ends at `at`: behind a wide mark, or at the blank behind another.
bool is_clause_end(std::string_view text, std::size_t at) {
  if (is_blank(text[at])) return std::string_view(",;:-").find(text[at - 1]) != std::string_view::npos;
  return one_of(wide_clause_marks, text.substr(at - 3)) == 3 || one_of(wide_clause_marks, text.substr(at - 2)) == 2;
}

// Where a text that is too long is cut; never 0 and never inside a character.
std::size_t clause_end(std::string_view text) {
  const auto head = text.substr(0, longest_bytes);
  for (auto at = head.size() - 1; at > shortest_clause_bytes; --at) {
    if (is_clause_end(head, at)) return at;
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
