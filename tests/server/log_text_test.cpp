// What of a peer's text may stand in the log.
#include "server/log_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include <string>

using parley::server::for_log;
using parley::server::longest_logged_text;

TEST_CASE("F9: what people write is logged as it is", "[server][log]") {
  for (const auto* text : {"", "gpt-realtime", "a b", "Käse", "日本語", "🙂", "\xef\xbf\xbd"}) {
    CHECK(for_log(text) == text);
  }
}

TEST_CASE("F9: nothing of a peer ends a line, moves a cursor or turns the text around", "[server][log]") {
  CHECK(for_log("a\nb\r\tc") == R"(a\u000ab\u000d\u0009c)");
  CHECK(for_log("\x1b[31m\x7f") == R"(\u001b[31m\u007f)");
  CHECK(for_log(std::string("\0", 1)) == R"(\u0000)");
  CHECK(for_log("\xc2\x9b"
                "31m\xc2\x85") == R"(\u009b31m\u0085)");                              // C1: CSI, next line
  CHECK(for_log("\xe2\x80\xa8\xe2\x80\xa9") == R"(\u2028\u2029)");                    // line and paragraph separator
  CHECK(for_log("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f") == R"(\u202e\u2066\u200f)");  // override, isolate, mark
  CHECK(for_log("\xef\xbb\xbf\xe2\x80\x8b") == R"(\ufeff\u200b)");
  CHECK(for_log("\xf3\xa0\x81\x81") == R"(\udb40\udc41)");  // a tag
}

TEST_CASE("F9: what is no UTF-8 is not passed on, byte by byte", "[server][log]") {
  CHECK(for_log("a\xff"
                "b") == R"(a\ufffdb)");
  CHECK(for_log("\x9b") == R"(\ufffd)");                      // an 8-bit CSI
  CHECK(for_log("\xc0\x8a") == R"(\ufffd\ufffd)");            // a newline, overlong
  CHECK(for_log("\xed\xa0\x80") == R"(\ufffd\ufffd\ufffd)");  // half of a pair
  CHECK(for_log("\xf4\x90\x80\x80") == R"(\ufffd\ufffd\ufffd\ufffd)");
  CHECK(for_log("\xe2\x80") == R"(\ufffd\ufffd)");
}

TEST_CASE("F9: an escape can not be forged", "[server][log]") { CHECK(for_log(R"(\u000a")") == R"(\\u000a\")"); }

TEST_CASE("F9: the text is cut between two characters", "[server][log]") {
  const std::string most(longest_logged_text - 1, 'x');
  CHECK(for_log(most + "yz") == most + "y");
  CHECK(for_log(most + "ä") == most);
  CHECK(for_log(std::string(1'000'000, '\n')).size() == 6 * longest_logged_text);
  CHECK(for_log("abc", 2) == "ab");
}

TEST_CASE("F9: what is logged is the inside of a JSON string", "[server][log]") {
  const std::string said = "a\n\"\\\x1b\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81 \U0001f642";
  CHECK(boost::json::parse('"' + for_log(said) + '"').as_string() == said);
}
