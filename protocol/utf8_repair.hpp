// Text that comes from somewhere else -> UTF-8 that a client can read. Each maximal broken part becomes one U+FFFD and
// swallows nothing behind it, as the Encoding Standard and Unicode (3.9, "Substitution of Maximal Subparts") have it.
//
//   piece --take--> whole characters;  a character cut at the end is held --> joined with the next piece, or U+FFFD
//
// Halves of a surrogate pair are taken in the three bytes that UTF-8 would give them (as WTF-8 and CESU-8 do): a high
// half followed by a low one is the character they stand for, a lone one is broken. So a producer whose escapes cut a
// pair over two pieces can write each half down by itself (append_half) and have them joined here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::protocol {

// Thread safety: none; one for each text that comes in pieces.
class utf8_repair {
 public:
  // The characters that are complete now. All pieces and rest(), joined, do not depend on where the text was cut.
  [[nodiscard]] std::string take(std::string_view piece);
  // What was held back, when the text has ended; it can only be broken. A new text may begin behind it.
  [[nodiscard]] std::string rest();

 private:
  std::string held_;  // at most five bytes: a high half and the beginning of a low one
};

// A whole text at once. What is UTF-8 already is not copied.
[[nodiscard]] std::string repaired_utf8(std::string text);

[[nodiscard]] constexpr bool is_high_half(std::uint32_t code) noexcept { return code >= 0xD800 && code <= 0xDBFF; }
[[nodiscard]] constexpr bool is_low_half(std::uint32_t code) noexcept { return code >= 0xDC00 && code <= 0xDFFF; }
// REQUIRES: one of both.
void append_half(std::string& out, std::uint32_t half);

}  // namespace parley::protocol
