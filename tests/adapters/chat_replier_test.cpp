#include "adapters/local/chat_replier.hpp"

#include "adapters/local/chat_request.hpp"
#include "adapters/local/think_filter.hpp"
#include "tests/adapters/raw_server.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <condition_variable>
#include <cstdlib>
#include <mutex>

namespace parley::adapters::local {
namespace {

using namespace std::chrono_literals;
using runtime::finish_reason;

// One answer as it came. Thread safety: all members may be called from any thread.
struct answer {
  std::mutex m;
  std::condition_variable changed;
  std::string text;
  std::vector<runtime::model_tool_call> calls;
  std::optional<finish_reason> reason;
  std::optional<protocol::token_usage> usage;
  std::string failure;
  int endings = 0;

  template <class Change>
  void note(Change change) {
    {
      const std::lock_guard lock(m);
      change();
    }
    changed.notify_all();
  }
  reply_sink sink() {
    return {.text = [this](std::string piece) { note([&] { text += piece; }); },
            .tool_call = [this](runtime::model_tool_call call) { note([&] { calls.push_back(std::move(call)); }); },
            .done = [this](finish_reason r,
                           std::optional<protocol::token_usage> u) { note([&] { reason = r, usage = u, ++endings; }); },
            .failed = [this](std::string message) { note([&] { failure = std::move(message), ++endings; }); }};
  }
  bool wait() {
    std::unique_lock lock(m);
    return changed.wait_for(lock, 30s, [&] { return endings > 0; });
  }
  bool wait_for_text(std::string_view wanted) {
    std::unique_lock lock(m);
    return changed.wait_for(lock, 30s, [&] { return text == wanted; });
  }
};

config::llm_config settings_for(const raw_server& server) {
  config::llm_config settings;
  settings.url = server.url();
  return settings;
}

runtime::response_request request_of(std::string text) {
  protocol::item item;
  item.content.push_back({protocol::part_type::input_text, std::move(text)});
  runtime::response_request request;
  request.id = protocol::response_id("r1");
  request.prompt = {std::make_shared<const protocol::item>(std::move(item))};
  return request;
}

// Runs one answer to its end against a backend that plays this.
struct played {
  explicit played(std::vector<raw_script> scripts) : server(std::move(scripts)) {
    auto settings = settings_for(server);
    settings.first_byte_timeout = 5s;
    settings.between_bytes_timeout = 200ms;
    const auto replier = make_chat_replier(settings);
    const auto reply = replier->start(request_of("hi"), got.sink());
    REQUIRE(got.wait());
    CHECK(got.endings == 1);
    CHECK(got.failure.find("secret") == std::string::npos);
    CHECK(got.failure.find("127.0.0.1") == std::string::npos);
  }
  raw_server server;
  answer got;
};

std::string delta(const std::string& fields) { return R"({"choices":[{"index":0,"delta":{)" + fields + "}}]}"; }
std::string said(const std::string& text) { return delta(R"("content":")" + text + '"'); }
const std::string stop = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

// A whole answer of these data lines.
raw_script stream_of(const std::vector<std::string>& lines) {
  raw_script script{{stream_head}};
  for (const auto& line : lines) script.pieces.push_back(chunk("data: " + line + "\n\n"));
  script.pieces.push_back(last_chunk);
  return script;
}

std::string text_of(const std::vector<std::string>& lines) {
  auto all = lines;
  all.insert(all.end(), {stop, "[DONE]"});
  played p({stream_of(all)});
  CHECK(p.got.failure.empty());
  return p.got.text;
}

std::string failure_of(const raw_script& script) { return played({script}).got.failure; }

}  // namespace

TEST_CASE("C50: the same answer in every grammar of the stream", "[adapters][chat_replier]") {
  const auto eol = GENERATE(std::string("\n"), std::string("\r\n"), std::string("\r"));
  const auto field = GENERATE(std::string("data: "), std::string("data:"));
  const bool done = GENERATE(true, false);
  std::string body = ": ping" + eol + eol;
  for (const auto& line : {said("Hel"), said("lo"), stop}) body += field + line + eol + ": ping" + eol + eol;
  if (done) body += field + "[DONE] ";  // no blank line at the end
  played p({{{"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body}}});
  CHECK(p.got.text == "Hello");
  CHECK(p.got.reason == finish_reason::stop);
}

TEST_CASE("C52: an error inside a 200 stream fails the answer", "[adapters][chat_replier]") {
  const std::string reported = "The language model reported an error.";
  CHECK(failure_of(stream_of({R"({"error":{"message":"secret"}})"})) == reported);
  CHECK(failure_of(stream_of({R"({"error":"secret"})", "[DONE]"})) == reported);
  CHECK(failure_of(stream_of({R"({"object":"error","message":"secret"})"})) == reported);
  CHECK(failure_of({{stream_head, chunk("event: error\ndata: secret\n\n")}}) == reported);
  played half({stream_of({said("Half a"), R"({"error":{"message":"secret"}})", "[DONE]"})});
  CHECK(half.got.text == "Half a");
  CHECK(half.got.failure == reported);
  CHECK(failure_of(stream_of({said("a"), "{not json", "[DONE]"})) ==
        "The language model sent an answer that could not be read.");
}

TEST_CASE("C52: refusals and other content fail with a safe message", "[adapters][chat_replier]") {
  const std::string rest = "\r\nContent-Length: 6\r\n\r\nsecret";
  CHECK(failure_of({{"HTTP/1.1 401 No" + rest}}) == "The language model refused the request (401).");
  CHECK(failure_of({{"HTTP/1.1 200 OK\r\nContent-Type: text/html" + rest}}) ==
        "The language model sent no event stream.");
  played busy({{{"HTTP/1.1 429 No\r\nRetry-After: 1" + rest}}});
  CHECK(busy.got.failure == "The language model refused the request (429).");
  CHECK(busy.server.requests().size() == 2);
  played again({{{"HTTP/1.1 500 No" + rest}}, stream_of({said("Hello"), stop, "[DONE]"})});
  CHECK(again.got.text == "Hello");
  CHECK(again.got.reason == finish_reason::stop);
}

TEST_CASE("chat_replier: says that the conversation is too long where the backend says so",
          "[adapters][chat_replier]") {
  const std::string too_long = "The conversation is too long for the language model.";
  const std::string refused = "The language model refused the request (400).";
  const auto answer = [](const std::string& body) {
    return raw_script{{"HTTP/1.1 400 No\r\nContent-Type: application/json\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n" + body}};
  };
  const std::string coded = R"({"error":{"message":"secret","code":"context_length_exceeded"}})";
  CHECK(failure_of(answer(coded)) == too_long);
  CHECK(failure_of(answer(R"({"error":{"code":400,"type":"exceed_context_size_error"}})")) == too_long);
  CHECK(failure_of(answer(R"({"error":{"message":"secret context_length_exceeded"}})")) == refused);
  CHECK(failure_of(answer("secret")) == refused);
  CHECK(failure_of(answer("")) == refused);
  CHECK(failure_of(answer(std::string(100'000, ' ') + coded)) == refused);
  CHECK(failure_of({{"HTTP/1.1 400 No\r\nContent-Length: 9999\r\n\r\n" + coded}}) == too_long);  // breaks off
  CHECK(failure_of(stream_of({coded})) == too_long);
  CHECK(failure_of({{stream_head, chunk("event: error\ndata: " + coded + "\n\n")}}) == too_long);
}

TEST_CASE("C53: chunks without choices, text or the right choice are no trouble", "[adapters][chat_replier]") {
  CHECK(text_of({R"({"choices":[]})", said("a"), R"({"choices":null})", "{}", R"({"choices":[{"delta":null}]})",
                 delta(R"("content":null)"), delta(R"("role":"assistant")"), said("b")}) == "ab");
  CHECK(text_of({R"({"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"x"}}]})",
                 R"({"choices":[{"index":1,"delta":{"content":"y"}}]})",
                 R"({"choices":[{"index":1,"delta":{"content":"y"}},{"index":0,"delta":{"content":"b"}}]})"}) == "ab");
  CHECK(text_of({delta(R"("content":[{"type":"text","text":"a"},{"type":"other"},{"type":"text","text":"b"}])")}) ==
        "ab");
}

TEST_CASE("C53: reasoning is never part of the text", "[adapters][chat_replier]") {
  CHECK(text_of({delta(R"("reasoning_content":"x")"), said("<thi"), said("nk>x</th"), said("ink>\\n\\nHello <"),
                 said("b")}) == "Hello <b");
  think_filter filter;
  CHECK(filter.take("a <think>x</think> b<think") == "a  b");
  CHECK(filter.rest() == "<think");
  think_filter unfinished;
  CHECK(unfinished.take("<think>x").empty());
  CHECK(unfinished.rest().empty());
}

TEST_CASE("C53: usage comes from the backend, and garbage counts as zero", "[adapters][chat_replier]") {
  played p(
      {stream_of({said("a"), stop, R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})", "[DONE]"})});
  CHECK(p.got.usage == protocol::token_usage{7, 0, 3, 0});
  played odd({stream_of({said("a"), stop, R"({"usage":{"prompt_tokens":-7,"completion_tokens":1e999}})", "[DONE]"})});
  if (odd.got.failure.empty()) CHECK(odd.got.usage == protocol::token_usage{});
  played none({stream_of({said("a"), stop, "[DONE]"})});
  CHECK_FALSE(none.got.usage);
}

TEST_CASE("chat_replier: a finish reason tells why the answer is short", "[adapters][chat_replier]") {
  const auto reason = [](const std::string& name) {
    return played({stream_of({said("a"), R"({"choices":[{"delta":{},"finish_reason":")" + name + R"("}]})"})})
        .got.reason;
  };
  CHECK(reason("length") == finish_reason::max_output_tokens);
  CHECK(reason("content_filter") == finish_reason::content_filter);
  CHECK(reason("tool_calls") == finish_reason::stop);
}

TEST_CASE("C54: an answer that breaks off or stalls is a failure", "[adapters][chat_replier]") {
  const auto half = chunk("data: " + said("a b c") + "\n\n");
  const std::string broken = "The language model's answer broke off.";
  CHECK(failure_of({{stream_head, half}}) == broken);
  CHECK(failure_of({{stream_head, half, last_chunk}}) == broken);  // a clean end, but nothing said it was over
  CHECK(failure_of({{stream_head, half}, raw_ending::reset}) == broken);
  CHECK(failure_of({{stream_head, half}, raw_ending::wait_for_peer}) == "The language model did not answer in time.");

  config::llm_config nobody;
  {
    raw_server gone({raw_script{}});
    nobody = settings_for(gone);
  }
  answer got;
  const auto replier = make_chat_replier(nobody);
  const auto reply = replier->start(request_of("hi"), got.sink());
  REQUIRE(got.wait());
  CHECK(got.failure == "The language model could not be reached.");
}

TEST_CASE("C58: destroying the reply closes its connection", "[adapters][chat_replier]") {
  const bool first_byte = GENERATE(false, true);
  raw_script script{{}, raw_ending::wait_for_peer};
  if (first_byte) script.pieces = {stream_head, chunk("data: " + said("a") + "\n\n")};
  raw_server server({script});
  answer got;
  const auto replier = make_chat_replier(settings_for(server));
  auto reply = replier->start(request_of("hi"), got.sink());
  REQUIRE(server.wait_for_requests(1));
  if (first_byte) REQUIRE(got.wait_for_text("a"));
  reply.reset();
  CHECK(server.wait_for_closed(1));
  CHECK(got.endings == 0);
}

TEST_CASE("C58: a reply destroyed by what it calls says nothing more", "[adapters][chat_replier]") {
  raw_server server({stream_of({said("a"), said("b"), stop, "[DONE]"})});
  answer got;
  std::mutex assigned;
  std::unique_ptr<reply> reply;
  const auto replier = make_chat_replier(settings_for(server));  // its thread ends before what the sink uses
  auto sink = got.sink();
  sink.text = [&](std::string piece) {
    {
      const std::lock_guard lock(assigned);
      reply.reset();
    }
    got.note([&] { got.text += piece; });
  };
  {
    const std::lock_guard lock(assigned);
    reply = replier->start(request_of("hi"), std::move(sink));
  }
  REQUIRE(server.wait_for_closed(1));
  REQUIRE(got.wait_for_text("a"));
  CHECK(got.endings == 0);
}

TEST_CASE("C64: deep nesting in the stream fails the answer", "[adapters][chat_replier]") {
  const std::string deep = GENERATE(std::string(200000, '['), R"({"choices":)" + std::string(100, '['));
  CHECK(failure_of(stream_of({deep, "[DONE]"})) == "The language model sent an answer that could not be read.");
}

TEST_CASE("chat_replier: tool calls come piece by piece, whole, with an id", "[adapters][chat_replier]") {
  played p({stream_of({delta(R"("tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":""}}])"),
                       delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}])"),
                       delta(R"("tool_calls":[{"index":1,"function":{"name":"g"}}])"),
                       delta(R"("tool_calls":[{"index":0,"function":{"arguments":":1}"}}])"), stop, "[DONE]"})});
  std::string arguments;
  const auto& calls = p.got.calls;
  REQUIRE(calls.size() == 5);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(calls[i].call.value == "c1");
    CHECK(calls[i].name == (i == 0 ? "f" : ""));
    CHECK(calls[i].last == (i == 3));
    arguments += calls[i].arguments_delta;
  }
  CHECK(arguments == R"({"a":1})");
  CHECK(calls[4].call.value == "call_r1_1");
  CHECK(calls[4].name == "g");
  CHECK(calls[4].arguments_delta == "{}");
  CHECK(calls[4].last);
}

TEST_CASE("chat_replier: a key is sent as bearer; a wrong address or a missing key stops the start",
          "[adapters][chat_replier]") {
  raw_server server({stream_of({said("a"), stop, "[DONE]"})});
  auto settings = settings_for(server);
  settings.key_env = "PARLEY_TEST_CHAT_KEY";
  unsetenv("PARLEY_TEST_CHAT_KEY");
  CHECK_THROWS_WITH(make_chat_replier(settings), Catch::Contains("llm.key_env"));
  setenv("PARLEY_TEST_CHAT_KEY", "secret\r\nX: y", 1);
  CHECK_THROWS_WITH(make_chat_replier(settings), Catch::Contains("llm.key_env"));
  setenv("PARLEY_TEST_CHAT_KEY", "secret", 1);
  answer got;
  const auto replier = make_chat_replier(settings);
  const auto reply = replier->start(request_of("hi"), got.sink());
  REQUIRE(got.wait());
  CHECK(server.requests().at(0).find("\r\nAuthorization: Bearer secret\r\n") != std::string::npos);

  settings.url = "https://host/";
  CHECK_THROWS_WITH(make_chat_replier(settings), Catch::Contains("llm.url"));
}

TEST_CASE("chat_request: the conversation as messages, calls with their results", "[adapters][chat_replier]") {
  const auto item = [](protocol::item value) { return std::make_shared<const protocol::item>(std::move(value)); };
  const auto call = [&](std::string id) {
    return item({.type = protocol::item_type::function_call,
                 .name = "f",
                 .call = protocol::call_id(std::move(id)),
                 .arguments = "{}"});
  };
  const auto result = [&](std::string id) {
    return item(
        {.type = protocol::item_type::function_call_output, .call = protocol::call_id(std::move(id)), .output = "ok"});
  };
  const auto message = [&](protocol::item_role role, protocol::content_part part) {
    return item({.role = role, .content = {std::move(part)}});
  };
  using enum protocol::item_role;
  using enum protocol::part_type;
  runtime::response_request request;
  request.instructions = "Be kind.";
  request.max_output_tokens = 9;
  request.tools = {{"f", {R"({"type":"function","name":"f","description":"d","parameters":{"type":"object"}})"}}};
  request.choice = {protocol::tool_choice_mode::function, "f"};
  request.prompt = {message(user, {input_audio, "", "hi"}),
                    message(assistant, {output_audio, "", "hello"}),
                    call("c1"),
                    call("lost"),
                    message(user, {input_audio, "", ""}),
                    result("c1"),
                    message(user, {input_text, "wait"}),
                    result("orphan")};
  config::llm_config settings;
  const auto body = boost::json::parse(make_chat_request(settings, request));
  CHECK(body.at("messages") == boost::json::parse(R"json([
    {"role":"system","content":"Be kind."}, {"role":"user","content":"hi"}, {"role":"assistant","content":"hello"},
    {"role":"assistant","content":null,"tool_calls":[
      {"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c1","content":"ok"}, {"role":"user","content":"(inaudible)"},
    {"role":"user","content":"wait"}])json"));
  CHECK(body.at("tools") == boost::json::parse(R"([{"type":"function","function":
    {"name":"f","description":"d","parameters":{"type":"object"}}}])"));
  CHECK(body.at("tool_choice") == boost::json::parse(R"({"type":"function","function":{"name":"f"}})"));
  CHECK(body.at("max_tokens") == 9);
  CHECK(body.at("stream") == true);
  CHECK(body.at("stream_options") == boost::json::parse(R"({"include_usage":true})"));

  settings.max_prompt_items = 4;  // the call c1 is out, so its result is too
  CHECK(boost::json::parse(make_chat_request(settings, request)).at("messages") ==
        boost::json::parse(R"json([{"role":"system","content":"Be kind."},{"role":"user","content":"(inaudible)"},
          {"role":"user","content":"wait"}])json"));

  // Audio without a transcript is as inaudible as one with an empty transcript; a blank answer is nothing.
  request.prompt = {message(user, {input_audio, ""}), message(assistant, {output_audio, "", ""})};
  CHECK(boost::json::parse(make_chat_request(settings, request)).at("messages") ==
        boost::json::parse(
            R"json([{"role":"system","content":"Be kind."},{"role":"user","content":"(inaudible)"}])json"));

  request.tools.clear();
  CHECK_FALSE(boost::json::parse(make_chat_request(settings, request)).as_object().contains("tools"));
  request.tools = {{"t", {"{}"}}};
  CHECK(boost::json::parse(make_chat_request(settings, request)).at("tools") ==
        boost::json::parse(R"([{"type":"function","function":{"name":"t"}}])"));
}

TEST_CASE("chat_request: pictures are parts beside the text", "[adapters][chat_replier]") {
  protocol::item seen;
  seen.content = {{.type = protocol::part_type::input_text, .text = "what is this"},
                  {.type = protocol::part_type::input_image, .text = "data:image/png;base64,AA", .detail = "low"},
                  {.type = protocol::part_type::input_image, .text = "data:image/gif;base64,BB"}};
  runtime::response_request request;
  request.prompt = {std::make_shared<const protocol::item>(seen)};
  CHECK(boost::json::parse(make_chat_request({}, request)).at("messages") == boost::json::parse(R"([{"role":"user",
    "content":[{"type":"text","text":"what is this"},
      {"type":"image_url","image_url":{"url":"data:image/png;base64,AA","detail":"low"}},
      {"type":"image_url","image_url":{"url":"data:image/gif;base64,BB"}}]}])"));
}

TEST_CASE("chat_request: effort and parallel calls are passed on where they are said", "[adapters][chat_replier]") {
  runtime::response_request request;
  request.parallel_tool_calls = false;
  auto body = boost::json::parse(make_chat_request({}, request)).as_object();
  CHECK_FALSE(body.contains("reasoning_effort"));
  CHECK_FALSE(body.contains("parallel_tool_calls"));  // without tools some servers refuse it
  request.reasoning_effort = "low";
  request.tools = {{"t", {"{}"}}};
  body = boost::json::parse(make_chat_request({}, request)).as_object();
  CHECK(body.at("reasoning_effort") == "low");
  CHECK(body.at("parallel_tool_calls") == false);
}

}  // namespace parley::adapters::local
