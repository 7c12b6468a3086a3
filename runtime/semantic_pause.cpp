#include "runtime/semantic_pause.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace parley::runtime {

namespace {

using namespace std::chrono_literals;

// Hesitations, conjunctions, articles, prepositions and the like: a sentence goes on behind them. Sorted.
constexpr std::array<std::string_view, 54> open_words = {
    "a",    "about", "ah",    "although", "an",    "and",   "are", "as",   "at",    "because", "but",
    "by",   "can",   "could", "eh",       "er",    "erm",   "for", "from", "hm",    "hmm",     "i",
    "if",   "in",    "into",  "is",       "like",  "my",    "of",  "on",   "or",    "our",     "should",
    "so",   "than",  "that",  "the",      "then",  "to",    "uh",  "uhm",  "um",    "until",   "was",
    "well", "were",  "when",  "where",    "which", "while", "who", "with", "would", "your"};

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '\''; }

std::string last_word(std::string_view words) {
  const auto end = std::find_if(words.rbegin(), words.rend(), is_word_letter);
  const auto begin = std::find_if_not(end, words.rend(), is_word_letter);
  std::string word(begin.base(), end.base());
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

bool ends_in_stop(std::string_view words) {
  const auto last = words.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && std::string_view{".!?"}.find(words[last]) != std::string_view::npos;
}

}  // namespace

bool trails_off(std::string_view words) {
  if (words.ends_with("...")) return true;
  if (ends_in_stop(words)) return false;
  return std::binary_search(open_words.begin(), open_words.end(), std::string_view{last_word(words)});
}

std::chrono::milliseconds semantic_pause(protocol::eagerness eager, std::string_view words) {
  const bool open = trails_off(words);
  switch (eager) {
    case protocol::eagerness::low:
      return open ? 8000ms : 1200ms;
    case protocol::eagerness::high:
      return open ? 2000ms : 350ms;
    case protocol::eagerness::medium:
    case protocol::eagerness::automatic:
      break;
  }
  return open ? 4000ms : 700ms;
}

}  // namespace parley::runtime
