#include "adapters/local/speakable.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::adapters::local {

TEST_CASE("C56: speakable leaves nothing of text without a letter or digit", "[adapters][unit]") {
  for (const auto* text : {"", " - ... ** ", "\xF0\x9F\x98\x80\xF0\x9F\x8E\x89", "\n\n", "```\n", "\xFF\xFE"}) {
    CHECK(speakable(text).empty());
  }
  CHECK(speakable("8...") == "8...");
}

TEST_CASE("speakable: writes letters, quotes and dashes in ASCII", "[adapters][unit]") {
  CHECK(speakable("Caf\xC3\xA9 \xE2\x80\x99s") == "Cafe 's");
  CHECK(speakable("one \xE2\x80\x94 two\xE2\x80\xA6") == "one , two.");
  CHECK(speakable("**bold** `code`") == "  bold    code ");
}

TEST_CASE("speakable: survives broken UTF-8 at every place", "[adapters][unit]") {
  const std::string text = "a\xE2\x80\x94z";
  for (std::size_t length = 1; length <= text.size(); ++length) CHECK(speakable(text.substr(0, length))[0] == 'a');
  CHECK(speakable("a\x80\xC3z") == "a  z");
}

}  // namespace parley::adapters::local
