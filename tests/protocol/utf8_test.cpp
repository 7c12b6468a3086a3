#include "protocol/utf8.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>

using namespace parley::protocol;

TEST_CASE("F11: what is no UTF-8 is told from what is", "[protocol][utf8]") {
  for (const auto* good : {"", "plain", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd"}) {
    CHECK(is_utf8(good));
  }
  // A lone byte, a cut character, an overlong form, half a surrogate pair, beyond U+10FFFF.
  for (const auto* bad : {"\xff", "\x80", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    CHECK_FALSE(is_utf8(bad));
  }
}

TEST_CASE("F11: a cut keeps whole characters, at every length", "[protocol][utf8]") {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
  for (std::size_t bytes = 0; bytes <= text.size() + 1; ++bytes) {
    const auto kept = whole_characters(text, bytes);
    CAPTURE(bytes);
    CHECK(kept.size() <= bytes);
    CHECK(is_utf8(kept));
    CHECK(text.starts_with(kept));
    CHECK(kept.size() + 4 > std::min(bytes, text.size()));  // no more than was in the way
  }
  CHECK(whole_characters(text, 2) == "a");
  CHECK(whole_characters(text, 3) == "a\xc3\xa4");
}

TEST_CASE("F11: control characters of both ranges are found", "[protocol][utf8]") {
  using namespace std::string_view_literals;
  for (const auto bad : {"\0"sv, "a\n"sv, "\x1b[2J"sv, "\x7f"sv,
                         "a\xc2\x9b"
                         "2J"sv,
                         "\xc2\x80"sv})
    CHECK(has_controls(bad));
  for (const auto good : {""sv, "a b"sv, "\xc2\xa0"sv, "\xe2\x82\x9b"sv, "\xc3\x82"sv}) CHECK_FALSE(has_controls(good));
}
