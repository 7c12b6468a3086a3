#include "protocol/utf8_repair.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>

namespace parley::protocol {
namespace {

#define BROKEN "\xEF\xBF\xBD"  // U+FFFD, for the middle of a literal

// The text when it comes in pieces of `step` bytes.
std::string taken(std::string_view text, std::size_t step) {
  utf8_repair repair;
  std::string all;
  for (std::size_t at = 0; at < text.size(); at += step) all += repair.take(text.substr(at, step));
  return all + repair.rest();
}

std::string half(std::uint32_t code) {
  std::string out;
  append_half(out, code);
  return out;
}

// However the text is cut, and as a whole.
void check(const std::string& text, const std::string& wanted) {
  CAPTURE(text);
  for (std::size_t step = 1; step <= std::max<std::size_t>(text.size(), 1); ++step) CHECK(taken(text, step) == wanted);
  CHECK(repaired_utf8(text) == wanted);
}

}  // namespace

TEST_CASE("F13: text that is UTF-8 passes as it is, wherever it is cut", "[protocol][utf8]") {
  for (const std::string text : {"", "plain", "\u00E9\u4F60\U0001F600!", "\u07FF\uFFFF\U0010FFFF\uD7FF\uE000"}) {
    check(text, text);
  }
}

TEST_CASE("F13: each broken part is one U+FFFD and swallows nothing behind it", "[protocol][utf8]") {
  check("a\x80z", "a" BROKEN "z");
  check("a\xFF\xFEz", "a" BROKEN BROKEN "z");
  check("a\xC0\xAFz", "a" BROKEN BROKEN "z");               // too long a spelling
  check("a\xE0\x80\xAFz", "a" BROKEN BROKEN BROKEN "z");    // also in three bytes
  check("a\xF0\x80\x80z", "a" BROKEN BROKEN BROKEN "z");    // and in four
  check("a\xF4\x90\x80z", "a" BROKEN BROKEN BROKEN "z");    // beyond U+10FFFF
  check("a\xE4\xBDz", "a" BROKEN "z");                      // cut, in the middle
  check("a\xF0\x9F\x98\xE4\xBD\xA0", "a" BROKEN "\u4F60");  // cut by another character
  check("a\xF0\x9F\x98", "a" BROKEN);                       // cut, at the end
}

TEST_CASE("F28: halves of a surrogate pair are joined; a lone one swallows nothing", "[protocol][utf8]") {
  const std::string high = half(0xD83D);
  const std::string low = half(0xDE00);
  check("a" + high + low + "z", "a\U0001F600z");
  check("a" + high + "z", "a" BROKEN "z");
  check("a" + high, "a" BROKEN);
  check("a" + low + "z", "a" BROKEN "z");
  check(low + high, BROKEN BROKEN);
  check(high + high + low, BROKEN "\U0001F600");
  check(high + low + low, "\U0001F600" BROKEN);
  check(high + "\u4F60", BROKEN "\u4F60");
  check(high + "\xED", BROKEN BROKEN);
  check(high + "\xED\xB8", BROKEN BROKEN);
  check(high + "\uD7FF", BROKEN "\uD7FF");  // begins as a half does
  check(half(0xD800) + half(0xDC00) + half(0xDBFF) + half(0xDFFF), "\U00010000\U0010FFFF");
}

TEST_CASE("F13: what may still become a character is held, nothing else", "[protocol][utf8]") {
  utf8_repair repair;
  CHECK(repair.take("ab\xE4\xBD") == "ab");
  CHECK(repair.take("\xA0"
                    "c") ==
        "\u4F60"
        "c");
  CHECK(repair.take(half(0xD83D)).empty());
  CHECK(repair.take("d") == BROKEN "d");
  CHECK(repair.take(half(0xD83D)).empty());
  CHECK(repair.rest() == BROKEN);
  CHECK(repair.rest().empty());
  CHECK(repair.take(half(0xDE00)) == BROKEN);  // a new text
}

}  // namespace parley::protocol
