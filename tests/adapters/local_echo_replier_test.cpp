#include "adapters/local/echo_replier.hpp"
#include "adapters/local/tool_arguments.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace parley::adapters::local {
namespace {

using protocol::item;

struct answer {
  std::vector<std::string> pieces;
  std::vector<runtime::model_tool_call> calls;
  std::optional<runtime::finish_reason> reason;

  std::string text() const {
    std::string all;
    for (const auto& piece : pieces) all += piece;
    return all;
  }
};

// Waits for the end; long, because the limit only ends a test that failed.
answer reply_to(replier& words, const runtime::response_request& request) {
  answer got;
  std::promise<void> over;
  const auto reply =
      words.start(request, {.text = [&](std::string text) { got.pieces.push_back(std::move(text)); },
                            .tool_call = [&](runtime::model_tool_call call) { got.calls.push_back(std::move(call)); },
                            .done =
                                [&](runtime::finish_reason reason, auto) {
                                  got.reason = reason;
                                  over.set_value();
                                },
                            .failed = [&](std::string) { over.set_value(); }});
  REQUIRE(over.get_future().wait_for(std::chrono::minutes{1}) == std::future_status::ready);
  return got;
}

answer reply_to(const runtime::response_request& request) {
  return reply_to(*make_echo_replier(std::chrono::milliseconds{0}), request);
}

std::shared_ptr<const item> user(const std::string& text) {
  return std::make_shared<item>(item{.content = {{.type = protocol::part_type::input_text, .text = text}}});
}

std::shared_ptr<const item> user_speech(const std::string& transcript) {
  return std::make_shared<item>(
      item{.content = {{.type = protocol::part_type::input_audio, .transcript = transcript}}});
}

runtime::response_request asking(std::shared_ptr<const item> last) {
  runtime::response_request request;
  request.id = protocol::response_id("resp_1");
  request.prompt = {user("earlier"), std::move(last)};
  return request;
}

const protocol::tool weather{"get_weather", {R"({"type":"function","name":"get_weather","parameters":
  {"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["c","f"]},"days":{"type":"integer"}},
   "required":["city","unit"]}})"}};

}  // namespace

TEST_CASE("echo_replier: says what was typed or heard, word by word", "[adapters][unit]") {
  const auto got = reply_to(asking(user_speech("what is the weather")));
  CHECK(got.text() == "You said: what is the weather.");
  CHECK(got.pieces.size() == 6);
  CHECK(got.reason == runtime::finish_reason::stop);
  CHECK(reply_to(asking(user(" Is it late? "))).text() == "You said: Is it late?");
}

TEST_CASE("echo_replier: greets without a message, asks again after a blank turn", "[adapters][unit]") {
  CHECK(reply_to({}).text() == "Hello. I am listening.");
  CHECK(reply_to(asking(user_speech(""))).text() == "Sorry, I did not catch that.");
}

TEST_CASE("C26: nothing of a reply that was destroyed in mid-text is told", "[adapters][unit]") {
  const auto words = make_echo_replier(std::chrono::milliseconds{1});
  std::promise<void> begun;
  std::atomic<int> told = 0;
  std::atomic<bool> ended = false;
  auto reply = words->start(asking(user("please count")), {.text =
                                                               [&](const std::string&) {
                                                                 if (++told == 3) begun.set_value();
                                                               },
                                                           .tool_call = [](auto) {},
                                                           .done = [&](auto, auto) { ended = true; },
                                                           .failed = [](auto) {}});
  REQUIRE(begun.get_future().wait_for(std::chrono::minutes{1}) == std::future_status::ready);
  reply.reset();
  const int before = told;
  // On the same timer: its third word is due after the next one of the reply that went.
  CHECK(reply_to(*words, asking(user("hi"))).text() == "You said: hi.");
  CHECK(told == before);
  CHECK_FALSE(ended);
}

TEST_CASE("echo_replier: says how many pictures it got", "[adapters][unit]") {
  item seen;
  seen.content = {{.type = protocol::part_type::input_image, .text = "data:image/png;base64,AA"}};
  CHECK(reply_to(asking(std::make_shared<item>(seen))).text() == "I see 1 image.");
  seen.content.push_back(seen.content.front());
  seen.content.push_back({.type = protocol::part_type::input_text, .text = "what is this?"});
  CHECK(reply_to(asking(std::make_shared<item>(seen))).text() == "You said: what is this? I see 2 images.");
}

TEST_CASE("echo_replier: tells a long story and counts to two hundred", "[adapters][unit]") {
  CHECK(reply_to(asking(user("Tell me a very long Story."))).pieces.size() > 60);
  const auto counted = reply_to(asking(user("please count"))).text();
  CHECK(counted.starts_with("One, two, three, "));
  CHECK(counted.find(" twenty one, ") != std::string::npos);
  CHECK(counted.ends_with("one hundred ninety nine, two hundred."));
}

TEST_CASE("echo_replier: stops at max_output_tokens words", "[adapters][unit]") {
  auto request = asking(user("tell me a story"));
  request.max_output_tokens = 5;
  const auto got = reply_to(request);
  CHECK(got.text() == "Once upon a time there");
  CHECK(got.reason == runtime::finish_reason::max_output_tokens);
}

TEST_CASE("echo_replier: calls the tool that the user names, written or spoken", "[adapters][unit]") {
  for (const auto* text : {"Use the get_weather tool: what is the weather in Paris?", "get weather for Paris"}) {
    auto request = asking(user(text));
    request.tools = {{"other", {"{}"}}, weather};
    const auto got = reply_to(request);
    REQUIRE(got.calls.size() > 1);
    CHECK(got.calls.front().name == "get_weather");
    std::string arguments;
    for (const auto& piece : got.calls) {
      arguments += piece.arguments_delta;
      CHECK(piece.call == got.calls.front().call);
      CHECK(piece.last == (&piece == &got.calls.back()));
    }
    CHECK(arguments == R"({"city":"Paris","unit":"c"})");
    CHECK_FALSE(got.calls.front().call.empty());
    CHECK(got.pieces.empty());
    CHECK(got.reason == runtime::finish_reason::stop);
  }
}

TEST_CASE("echo_replier: honours tool_choice", "[adapters][unit]") {
  auto request = asking(user("Use the get_weather tool"));
  request.tools = {{"other", {"{}"}}, weather};
  request.choice.mode = protocol::tool_choice_mode::none;
  CHECK(reply_to(request).calls.empty());
  request.choice.mode = protocol::tool_choice_mode::required;
  CHECK_FALSE(reply_to(request).calls.empty());
  request.choice = {protocol::tool_choice_mode::function, "other"};
  CHECK(reply_to(request).calls.at(0).name == "other");
}

TEST_CASE("echo_replier: tells what the tool gave", "[adapters][unit]") {
  auto request = asking(std::make_shared<item>(
      item{.type = protocol::item_type::function_call_output, .output = "It is sunny in Paris."}));
  request.tools = {weather};
  request.choice.mode = protocol::tool_choice_mode::required;
  const auto got = reply_to(request);
  CHECK(got.text() == "The tool says: It is sunny in Paris.");
  CHECK(got.calls.empty());
}

TEST_CASE("echo_replier: calls every tool that is named, one where parallel calls are off", "[adapters][unit]") {
  auto request = asking(user("get weather, then other"));
  request.tools = {{"other", {"{}"}}, weather};
  request.parallel_tool_calls = GENERATE(as<std::optional<bool>>{}, std::nullopt, true, false);
  std::vector<std::string> names;
  std::set<std::string> whole;
  for (const auto& piece : reply_to(request).calls) {
    if (!piece.name.empty()) names.push_back(piece.name);
    if (piece.last) CHECK(whole.insert(piece.call.value).second);
  }
  const bool parallel = request.parallel_tool_calls.value_or(true);
  CHECK(names ==
        (parallel ? std::vector<std::string>{"get_weather", "other"} : std::vector<std::string>{"get_weather"}));
  CHECK(whole.size() == names.size());
}

TEST_CASE("echo_replier: tells the results of several calls, also where calls and results alternate",
          "[adapters][unit]") {
  auto request = asking(user("get weather, then other"));
  const auto add = [&](item one) { request.prompt.push_back(std::make_shared<item>(std::move(one))); };
  add({.type = protocol::item_type::function_call, .name = "get_weather"});
  add({.type = protocol::item_type::function_call_output, .output = "sunny"});
  add({.type = protocol::item_type::function_call, .name = "other"});
  add({.type = protocol::item_type::function_call_output, .output = "done"});
  CHECK(reply_to(request).text() == "The tools say: sunny; done");
}

TEST_CASE("tool_arguments: fills each type, all properties where none is required", "[adapters][unit]") {
  const protocol::tool all{"t", {R"({"parameters":{"properties":{"s":{"type":"string"},"i":{"type":"integer"},
    "n":{"type":"number"},"b":{"type":"boolean"},"a":{"type":"array"},"o":{"type":"object"},"x":{}}}})"}};
  CHECK(tool_arguments(all, "set 12 timers. For lunch") ==
        R"({"s":"lunch","i":12,"n":1.2E1,"b":true,"a":[],"o":{},"x":null})");
}

TEST_CASE("tool_arguments: survives definitions that hold no schema", "[adapters][unit]") {
  for (const auto* json : {"", "{}", "[]", "{\"parameters\":7}", "{\"parameters\":{\"properties\":[]}}"}) {
    CHECK(tool_arguments({"t", {json}}, "text") == "{}");
  }
  CHECK(tool_arguments({"t", {R"({"parameters":{"properties":{"a":7,"b":{"enum":[]}}}})"}}, "") ==
        R"({"a":null,"b":null})");
}

}  // namespace parley::adapters::local
