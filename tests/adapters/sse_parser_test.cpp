#include "adapters/http/sse_parser.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace parley::adapters::http {
namespace {

// The data of every event, when the stream comes in pieces of `step` bytes.
std::vector<std::string> read(std::string_view stream, std::size_t step = std::string_view::npos) {
  std::vector<std::string> found;
  const auto keep = [&](const sse_event& event) {
    found.push_back(event.name.empty() ? event.data : event.name + "=" + event.data);
  };
  sse_parser parser;
  while (!stream.empty()) {
    const auto piece = stream.substr(0, step);
    REQUIRE(parser.feed(piece, keep));
    stream.remove_prefix(piece.size());
  }
  parser.finish(keep);
  return found;
}

using events = std::vector<std::string>;

}  // namespace

TEST_CASE("C50: every grammar of the same stream gives the same events", "[adapters][sse_parser]") {
  const std::size_t step = GENERATE(std::string_view::npos, 1U, 2U, 3U, 5U);
  const std::string_view stream =
      GENERATE("data: one\n\ndata: two\n\n", "data: one\r\n\r\ndata: two\r\n\r\n", "data: one\r\rdata: two\r\r",
               "data:one\n\ndata:two\n\n", ": ping\n\n: ping\n\ndata: one\n\n: ping\ndata: two\n\n",
               ":\ndata: one\n\ndata: two", "id: 1\nretry: 5\ndata: one\n\nid\ndata: two\n\n",
               "\xEF\xBB\xBF"
               "data: one\n\ndata: two\n\n",
               "data: one\r\n\rdata: two\n\r", "other: x\ndata: one\n\nDATA: y\n\ndata: two\n",
               "data\n\ndata: one\n\ndata: two\n\n");
  CHECK(read(stream, step) == events{"one", "two"});
}

TEST_CASE("C50: data lines of one event are joined by LF", "[adapters][sse_parser]") {
  CHECK(read("data: {\ndata: }\n\n") == events{"{\n}"});
  CHECK(read("data: a\ndata:\ndata:  b\n\n") == events{"a\n\n b"});
}

TEST_CASE("C50: CR and LF in two reads are one line end", "[adapters][sse_parser]") {
  events found;
  const auto keep = [&](const sse_event& event) { found.push_back(event.data); };
  sse_parser parser;
  REQUIRE(parser.feed("data: a\r", keep));
  REQUIRE(parser.feed("\ndata: b\r", keep));
  REQUIRE(parser.feed("\n", keep));
  CHECK(found.empty());  // the LF was no blank line
  REQUIRE(parser.feed("\r", keep));
  CHECK(found == events{"a\nb"});
}

TEST_CASE("sse_parser: the name belongs to one event only", "[adapters][sse_parser]") {
  CHECK(read("event: error\ndata: a\n\ndata: b\n\nevent: x\n\ndata: c\n\n") == events{"error=a", "b", "c"});
}

TEST_CASE("sse_parser: an event beyond the bound fails for good", "[adapters][sse_parser]") {
  const auto never = [](const sse_event&) { FAIL("an event of a failed stream"); };
  sse_parser long_line(16);
  CHECK_FALSE(long_line.feed("data: 0123456789abcdef", never));
  CHECK_FALSE(long_line.feed("\n\n", never));
  long_line.finish(never);

  sse_parser many_lines(16);
  CHECK(many_lines.feed("data: 01234567\n", never));
  CHECK_FALSE(many_lines.feed("data: 01234567\n", never));
}

TEST_CASE("sse_parser: an event within the bound passes however it is split", "[adapters][sse_parser]") {
  int count = 0;
  sse_parser parser(16);
  for (int i = 0; i < 100; ++i) {
    for (const char c : std::string_view("data: 0123456789\n\n")) {
      REQUIRE(parser.feed({&c, 1}, [&](const sse_event&) { ++count; }));
    }
  }
  CHECK(count == 100);
}

}  // namespace parley::adapters::http
