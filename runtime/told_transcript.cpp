#include "runtime/told_transcript.hpp"

#include <algorithm>
#include <cstddef>

namespace parley::runtime {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether `text` begins with a character that is a word by itself: from U+2E80 on, scripts do without blanks. Hangul is
// counted by characters as well, which takes the same number off both sides.
bool is_character_word(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  return lead >= 0xE3 && lead <= 0xF4;
}

std::size_t character_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) ++bytes;
  return bytes;
}

// Takes the first word off, with the blanks before it. False: there was none.
bool drop_word(std::string_view& text) {
  text.remove_prefix(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_blank) - text.begin()));
  if (text.empty()) return false;
  if (is_character_word(text)) {
    text.remove_prefix(character_bytes(text));
    return true;
  }
  while (!text.empty() && !is_blank(text.front()) && !is_character_word(text)) text.remove_prefix(1);
  return true;
}

}  // namespace

std::string told_transcript::settle(std::string transcript) const {
  if (transcript.starts_with(text_)) return transcript;
  std::string_view left = text_;
  std::string_view rest = transcript;
  while (drop_word(left)) drop_word(rest);
  return text_ + std::string(rest);
}

}  // namespace parley::runtime
