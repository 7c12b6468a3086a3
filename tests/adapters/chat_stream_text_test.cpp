// What a language model may do to its characters, and what comes of it.
#include "adapters/http/sse_parser.hpp"
#include "adapters/local/chat_stream.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace parley::adapters::local {
namespace {

#define BROKEN "\xEF\xBF\xBD"  // U+FFFD, for the middle of a literal

// An answer of these data lines, `step` bytes of the stream at a time.
struct read_answer {
  explicit read_answer(std::vector<std::string> lines, std::size_t step = std::string_view::npos) {
    chat_stream stream(protocol::response_id("r1"),
                       {.text = [this](const std::string& piece) { text += piece; },
                        .tool_call =
                            [this](const runtime::model_tool_call& piece) {
                              id = piece.call.value;
                              name += piece.name;
                              arguments += piece.arguments_delta;
                            },
                        .done = [this](auto, auto) { done = true; },
                        .failed = [this](const std::string& message) { failure = message; }});
    http::sse_parser parser;
    const auto give = [&](const http::sse_event& event) { stream.event(event.name, event.data); };
    lines.insert(lines.end(), {R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})", "[DONE]"});
    std::string bytes;
    for (const auto& line : lines) bytes += "data: " + line + "\n\n";
    for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size())) {
      REQUIRE(parser.feed(std::string_view(bytes).substr(at, step), give));
    }
    CHECK(failure.empty());
    CHECK(done == failure.empty());
  }
  std::string text, id, name, arguments, failure;
  bool done = false;
};

std::string said(const std::string& text) {
  return R"({"choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})";
}
std::string called(const std::string& function) {
  return R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{)" + function + "}}]}}]}";
}

// The text of an answer of these deltas, however its bytes come.
std::string text_of(const std::vector<std::string>& deltas) {
  std::vector<std::string> lines;
  std::transform(deltas.begin(), deltas.end(), std::back_inserter(lines), said);
  const auto whole = read_answer(lines).text;
  for (const std::size_t step : {1U, 2U, 3U, 7U}) CHECK(read_answer(lines, step).text == whole);
  return whole;
}

std::string arguments_of(const std::vector<std::string>& pieces) {
  std::vector<std::string> lines{called(R"("name":"f")")};
  for (const auto& piece : pieces) lines.push_back(called(R"("arguments":")" + piece + '"'));
  return read_answer(lines).arguments;
}

}  // namespace

TEST_CASE("F13: halves of a surrogate pair are joined over deltas", "[adapters][chat_replier]") {
  CHECK(text_of({R"(a\ud83d\ude00b)"}) == "a\U0001F600b");
  CHECK(text_of({R"(a\ud83d)", R"(\ude00b)"}) == "a\U0001F600b");
  CHECK(text_of({R"(a\uD83D)", "", R"(\uDE00)", "b"}) == "a\U0001F600b");
  CHECK(text_of({R"(a\ud83d)",
                 "\xED\xB8\x80"
                 "b"}) == "a\U0001F600b");  // as CESU-8 spells it
}

TEST_CASE("F28: a lone half becomes U+FFFD and swallows nothing behind it", "[adapters][chat_replier]") {
  CHECK(text_of({R"(a\ud83db)"}) == "a" BROKEN "b");
  CHECK(text_of({R"(a\ud83d)", "bcd", "e"}) == "a" BROKEN "bcde");
  CHECK(text_of({R"(a\ud83d)"}) == "a" BROKEN);
  CHECK(text_of({R"(a\ude00b)", "c"}) == "a" BROKEN "bc");
  CHECK(text_of({R"(a\ud83d\nb)"}) == "a" BROKEN "\nb");
  CHECK(text_of({R"(a\ud83d\u0041b)"}) == "a" BROKEN "Ab");
  CHECK(text_of({R"(a\ud83d\\ude00)"}) == "a" BROKEN R"(\ude00)");
  CHECK(text_of({R"(a\\ud83d)", "b"}) == R"(a\ud83db)");  // no escape of a half at all
  CHECK(text_of({R"(a\ud83d\ud83d\ude00b)"}) == "a" BROKEN
                                                "\U0001F600"
                                                "b");
}

TEST_CASE("F13: bytes that are no UTF-8 become U+FFFD, and the answer goes on", "[adapters][chat_replier]") {
  CHECK(text_of({"a\xFF"
                 "b",
                 "c"}) == "a" BROKEN "bc");
  CHECK(text_of({"a\x80", "c"}) == "a" BROKEN "c");
  CHECK(text_of({"a\xE4\xBD", "c"}) == "a" BROKEN "c");
  CHECK(text_of({"a\xF0\x9F"}) == "a" BROKEN);  // cut just before the quote
}

TEST_CASE("F13: a character cut over two deltas is joined", "[adapters][chat_replier]") {
  CHECK(text_of({"a\xE4", "\xBD",
                 "\xA0"
                 "b"}) ==
        "a\u4F60"
        "b");
  CHECK(text_of({"a\xF0\x9F",
                 "\x98\x80"
                 "b"}) ==
        "a\U0001F600"
        "b");
}

TEST_CASE("F13: broken characters in a tool call are repaired as in text", "[adapters][chat_replier]") {
  CHECK(arguments_of({R"({\"x\":\"\ud83d)", R"(\ude00\"})"}) == "{\"x\":\"\U0001F600\"}");
  CHECK(arguments_of({R"({\"x\":\"\ud83d)", R"(b\"})"}) == "{\"x\":\"" BROKEN "b\"}");
  CHECK(arguments_of({"{\\\"x\\\":\\\"\xE4\xBD", "\xA0\xFF\\\"}"}) == "{\"x\":\"\u4F60" BROKEN "\"}");
  CHECK(arguments_of({R"({}\ud83d)"}) == "{}" BROKEN);
  // Escapes inside the arguments are the client's to read; as an object they are ours.
  CHECK(arguments_of({R"({\"x\":\"\\ud83d\"})"}) == R"({"x":"\ud83d"})");
  const read_answer object({called(R"("name":"f","arguments":{"x\ud83d":"\ude00y"})")});
  CHECK(object.arguments == "{\"x" BROKEN "\":\"" BROKEN "y\"}");
}

TEST_CASE("F13: a broken name or id of a tool call is repaired", "[adapters][chat_replier]") {
  const read_answer got({R"({"choices":[{"delta":{"tool_calls":[{"id":"c\ud83d","function":{"name":"f)"
                         "\xFF"
                         R"(","arguments":"{}"}}]}}]})"});
  CHECK(got.id == "c" BROKEN);
  CHECK(got.name == "f" BROKEN);
  CHECK(got.arguments == "{}");
}

TEST_CASE("F13: a broken character beside the text costs nothing", "[adapters][chat_replier]") {
  CHECK(read_answer({R"({"id":"\ud83d","model":"\ude00","choices":[{"delta":{"role":"\ud83d","content":"a"}}]})",
                     "{\"x\xFF\":\"\xFF\",\"choices\":[{\"delta\":{\"content\":\"b\"}}]}"})
            .text == "ab");
  CHECK(says_too_long("{\"error\":{\"message\":\"\xFF\\ud83d\",\"code\":\"context_length_exceeded\"}}"));
}

}  // namespace parley::adapters::local
