#include "adapters/prompt_text.hpp"
#include "adapters/scripted/answer.hpp"
#include "adapters/scripted/scripted_model.hpp"
#include "adapters/scripted/tool_script.hpp"
#include "adapters/tool_choice.hpp"
#include "tests/adapters/recording_sink.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <optional>
#include <set>

namespace parley::adapters::scripted {
namespace {

using namespace std::chrono_literals;
using protocol::output_modality;
using protocol::tool_choice_mode;
using runtime::finish_reason;

std::shared_ptr<const protocol::item> user(std::string text) {
  protocol::item item;
  item.content.push_back({protocol::part_type::input_text, std::move(text)});
  return std::make_shared<const protocol::item>(std::move(item));
}

std::shared_ptr<const protocol::item> tool_output(std::string output) {
  protocol::item item;
  item.type = protocol::item_type::function_call_output;
  item.output = std::move(output);
  return std::make_shared<const protocol::item>(std::move(item));
}

runtime::response_request ask(std::string id, std::string text, output_modality modality = output_modality::text) {
  runtime::response_request request;
  request.id = protocol::response_id(std::move(id));
  request.epoch = {7};
  request.prompt = {user(std::move(text))};
  request.modality = modality;
  return request;
}

protocol::tool weather_tool() {
  return {"get_weather",
          {R"({"type":"function","name":"get_weather","parameters":{"type":"object","properties":{)"
           R"("city":{"type":"string"},"days":{"type":"integer"},"exact":{"type":"boolean"},"unit":{"type":"string"}},)"
           R"("required":["city","days","exact"]}})"}};
}

config::scripted_config at_once() {
  config::scripted_config script;
  script.rate = 0;
  return script;
}

// A model, one session of it and what it said.
struct stage {
  explicit stage(const config::scripted_config& script)
      : model(make_scripted_model(script)), sink(std::make_shared<recording_sink>()), session(model->open(sink)) {}

  std::string text(const protocol::response_id& id) const {
    std::string all;
    for (const auto& piece : sink->all_of<runtime::model_text>(id)) all += piece.text;
    return all;
  }
  std::string answer_to(runtime::response_request request) {
    const auto id = request.id;
    session->respond(std::move(request));
    REQUIRE(sink->wait_until_done(id));
    return text(id);
  }

  std::shared_ptr<runtime::model> model;
  std::shared_ptr<recording_sink> sink;
  std::unique_ptr<runtime::model_session> session;
};

}  // namespace

TEST_CASE("scripted: words of a text keep their blanks", "[adapters][scripted]") {
  CHECK(split_words("one  two\tthree ") == std::vector<std::string>{"one", "  two", "\tthree "});
  CHECK(split_words("").empty());
  CHECK(split_words("  ") == std::vector<std::string>{"  "});
}

TEST_CASE("scripted: the answer is the reply whose words the user said, else the others in turn",
          "[adapters][scripted]") {
  auto script = at_once();
  script.replies = {{"First.", {}}, {"It rains.", "weather"}, {"Second.", {}}};
  stage s(script);
  CHECK(s.answer_to(ask("a", "How is the WEATHER?")) == "It rains.");
  CHECK(s.answer_to(ask("b", "hi")) == "First.");
  CHECK(s.answer_to(ask("c", "hi")) == "Second.");
  CHECK(s.answer_to(ask("d", "hi")) == "First.");

  const auto other = s.model->open(s.sink);
  other->respond(ask("e", "hi"));
  CHECK(s.text(protocol::response_id("e")) == "First.");
}

TEST_CASE("scripted: a text answer comes word by word with its epoch and usage", "[adapters][scripted]") {
  stage s(at_once());
  CHECK(s.answer_to(ask("a", "good morning")) == "Hello. This is a scripted answer.");
  const auto pieces = s.sink->all<runtime::model_text>();
  REQUIRE(pieces.size() == 6);
  CHECK(pieces[1].text == " This");
  CHECK(pieces[1].epoch.value == 7);
  const auto done = s.sink->all<runtime::model_done>();
  REQUIRE(done.size() == 1);
  CHECK(done[0].reason == finish_reason::stop);
  CHECK(done[0].usage == protocol::token_usage{3, 0, 6, 0});
}

TEST_CASE("scripted: speech is as long as its words and carries them where they begin", "[adapters][scripted]") {
  auto script = at_once();
  script.replies = {{"one two  three", {}}};
  stage s(script);
  auto request = ask("a", "hi", output_modality::audio);
  request.output_rate_hz = 8000;
  s.session->respond(request);
  REQUIRE(s.sink->wait_until_done(request.id));

  const auto pieces = s.sink->all<runtime::model_speech>();
  REQUIRE(pieces.size() == 5);  // 900 ms in pieces of 200 ms
  std::vector<std::int16_t> samples;
  std::string transcript;
  for (const auto& piece : pieces) {
    samples.insert(samples.end(), piece.samples.begin(), piece.samples.end());
    transcript += piece.transcript;
  }
  CHECK(transcript == "one two  three");
  CHECK(samples == make_tone(0, 7200));
  CHECK(std::count(samples.begin(), samples.end(), 0) == 0);
  CHECK(pieces[0].samples.size() == 1600);
  CHECK(pieces[0].transcript == "one");
  CHECK(pieces[1].transcript == " two");  // begins at 300 ms, within 200..400
  CHECK(pieces[2].transcript.empty());
  CHECK(pieces[3].transcript == "  three");
  CHECK(pieces[4].samples.size() == 800);
}

TEST_CASE("scripted: words without length are spoken as one empty piece", "[adapters][scripted]") {
  auto script = at_once();
  script.ms_per_word = 0ms;
  stage s(script);
  s.session->respond(ask("a", "hi", output_modality::audio));
  const auto pieces = s.sink->all<runtime::model_speech>();
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].samples.empty());
  CHECK(pieces[0].transcript == "Hello. This is a scripted answer.");
}

TEST_CASE("scripted: max_output_tokens cuts after so many words", "[adapters][scripted]") {
  stage s(at_once());
  auto request = ask("a", "hi");
  request.max_output_tokens = 2;
  CHECK(s.answer_to(request) == "Hello. This");
  request.id = protocol::response_id("b");
  request.max_output_tokens = 6;
  CHECK(s.answer_to(request) == "Hello. This is a scripted answer.");
  const auto done = s.sink->all<runtime::model_done>();
  REQUIRE(done.size() == 2);
  CHECK(done[0].reason == finish_reason::max_output_tokens);
  CHECK(done[0].usage->output_text_tokens == 2);
  CHECK(done[1].reason == finish_reason::stop);
}

TEST_CASE("scripted: a tool is called when the user's text speaks of it or the choice asks for it",
          "[adapters][scripted]") {
  const auto called = [](std::string text, tool_choice_mode mode, std::string function = {}) {
    auto request = ask("a", std::move(text));
    request.tools = {{"other", {"{}"}}, weather_tool()};
    request.choice = {mode, std::move(function)};
    const auto tools = tools_to_call(request);
    return tools.empty() ? std::string{} : tools.front()->name;
  };
  CHECK(called("please Get Weather now", tool_choice_mode::automatic) == "get_weather");
  CHECK(called("use get_weather", tool_choice_mode::automatic) == "get_weather");
  CHECK(called("hello", tool_choice_mode::automatic).empty());
  CHECK(called("use get_weather", tool_choice_mode::none).empty());
  CHECK(called("use get_weather", tool_choice_mode::required) == "get_weather");
  CHECK(called("hello", tool_choice_mode::required) == "other");
  CHECK(called("hello", tool_choice_mode::function, "get_weather") == "get_weather");
  CHECK(tools_to_call(ask("a", "use get_weather")).empty());
}

TEST_CASE("scripted: a tool call comes in pieces that join to arguments of its schema", "[adapters][scripted]") {
  stage s(at_once());
  auto request = ask("a", "Get weather of Paris, please");
  request.tools = {weather_tool()};
  CHECK(s.answer_to(request).empty());

  const auto pieces = s.sink->all<runtime::model_tool_call>();
  REQUIRE(pieces.size() >= 2);
  REQUIRE(pieces.size() <= 3);
  std::string arguments;
  for (const auto& piece : pieces) {
    CHECK(piece.call == pieces[0].call);
    CHECK(piece.last == (&piece == &pieces.back()));
    arguments += piece.arguments_delta;
  }
  CHECK(pieces[0].name == "get_weather");
  CHECK_FALSE(pieces[0].call.empty());
  CHECK(boost::json::parse(arguments) == boost::json::parse(R"({"city":"Paris","days":1,"exact":true})"));
}

TEST_CASE("scripted: several tools in one text are several calls, one where parallel calls are off",
          "[adapters][scripted]") {
  stage s(at_once());
  auto request = ask("a", "use get_weather and other");
  request.tools = {{"other", {"{}"}}, weather_tool()};
  request.parallel_tool_calls = GENERATE(as<std::optional<bool>>{}, std::nullopt, true, false);
  CHECK(s.answer_to(request).empty());
  std::vector<std::string> names;
  std::set<std::string> ids;
  for (const auto& piece : s.sink->all<runtime::model_tool_call>()) {
    if (!piece.name.empty()) names.push_back(piece.name);
    ids.insert(piece.call.value);
  }
  const bool parallel = request.parallel_tool_calls.value_or(true);
  CHECK(names ==
        (parallel ? std::vector<std::string>{"get_weather", "other"} : std::vector<std::string>{"get_weather"}));
  CHECK(ids.size() == names.size());
}

TEST_CASE("scripted: the results of several calls are all told", "[adapters][scripted]") {
  stage s(at_once());
  auto request = ask("a", "use get_weather and other");
  request.prompt.push_back(tool_output("sunny"));
  request.prompt.push_back(tool_output(" "));
  CHECK(s.answer_to(request) == "The tools say: sunny; nothing");
}

TEST_CASE("scripted: images are counted where no reply fits", "[adapters][scripted]") {
  stage s(at_once());
  CHECK(s.model->capabilities().takes_images);
  auto request = ask("a", "look");
  auto seen = *request.prompt.back();
  seen.content.push_back({.type = protocol::part_type::input_image, .text = "data:image/png;base64,AAAA"});
  request.prompt.back() = std::make_shared<const protocol::item>(seen);
  CHECK(s.answer_to(request) == "I see 1 image.");
}

TEST_CASE("scripted: speed changes how long a word takes", "[adapters][scripted]") {
  stage s(at_once());
  auto request = ask("a", "hi", output_modality::audio);
  request.speed = 1.5;
  s.answer_to(request);
  std::size_t samples = 0;
  for (const auto& piece : s.sink->all<runtime::model_speech>()) samples += piece.samples.size();
  CHECK(samples == 6 * 4800);  // six words of 200 ms
}

TEST_CASE("scripted: arguments are an empty object without a usable schema", "[adapters][scripted]") {
  CHECK(make_arguments({"t", {"{}"}}, "hi") == "{}");
  CHECK(make_arguments({"t", {"not json"}}, "hi") == "{}");
  CHECK(make_arguments({"t", {R"({"parameters":[1]})"}}, "hi") == "{}");
  CHECK(make_arguments({"t", {R"({"parameters":{"required":["a"]}})"}}, "hi") == R"({"a":"value"})");
  CHECK(split_arguments("{}") == std::vector<std::string>{"{", "}"});
}

TEST_CASE("scripted: the result of a tool is what is said next, whatever the choice", "[adapters][scripted]") {
  stage s(at_once());
  auto request = ask("a", "use get_weather");
  request.tools = {weather_tool()};
  request.choice = {tool_choice_mode::required, {}};
  request.prompt.push_back(tool_output("sunny"));
  CHECK(s.answer_to(request) == "The tool says: sunny");
}

TEST_CASE("scripted: every turn is heard as the configured words, or blank", "[adapters][scripted]") {
  auto script = at_once();
  script.transcript = "good morning all";
  stage s(script);
  const protocol::item_id turn("i");
  s.session->hear({turn, 8000, std::vector<std::int16_t>(1599)});
  CHECK(s.sink->outputs().empty());
  s.session->hear({turn, 8000, std::vector<std::int16_t>(1700)});
  s.session->end_turn({turn, protocol::transcription{.model = "any"}});
  s.session->end_turn({protocol::item_id("j")});
  const auto outputs = s.sink->outputs();
  REQUIRE(outputs.size() == 5);
  CHECK(std::get<runtime::turn_partial>(outputs[0]).delta == "good morning");  // a word in 200 ms
  CHECK(std::get<runtime::turn_partial>(outputs[1]).delta == " all");
  const auto& ready = std::get<runtime::turn_ready>(outputs[2]);
  CHECK(ready.transcript == "good morning all");
  REQUIRE(ready.logprobs.has_value());
  CHECK(ready.logprobs->at(1) == protocol::token_logprob{" morning", -0.1});
  CHECK(std::get<runtime::turn_partial>(outputs[3]).delta == "good morning all");
  CHECK(std::get<runtime::turn_ready>(outputs[4]).item.value == "j");
  CHECK_FALSE(std::get<runtime::turn_ready>(outputs[4]).logprobs.has_value());

  script.transcript = "";
  stage blank(script);
  blank.session->hear({turn, 8000, std::vector<std::int16_t>(8000)});
  blank.session->end_turn({turn});
  REQUIRE(blank.sink->outputs().size() == 1);
  CHECK(blank.sink->all<runtime::turn_blank>().at(0).item.value == "i");
}

TEST_CASE("scripted: a throttled answer stops until it is released", "[adapters][scripted]") {
  auto script = at_once();
  script.rate = GENERATE(0.0, 100.0);
  std::string words(2 * 1000, 'w');
  for (std::size_t i = 1; i < words.size(); i += 2) words[i] = ' ';
  script.replies = {{words, "long"}, {"a b c d", {}}};
  stage s(script);
  const protocol::response_id held("held");
  s.session->respond(ask("held", "long"));
  s.session->throttle(held, true);
  const auto before = s.sink->all_of<runtime::model_text>(held).size();
  REQUIRE(before < 1000);

  s.answer_to(ask("other", "hi"));  // on the same timer: at rate 100 its steps come after the held one's
  CHECK(s.sink->all_of<runtime::model_text>(held).size() == before);
  s.session->throttle(held, false);
  if (script.rate > 0) {
    REQUIRE(s.sink->wait_until([&](const auto& outputs) { return outputs.size() > before + 8; }));
  } else {
    REQUIRE(s.sink->wait_until_done(held));
    CHECK(s.text(held) == words);
  }
}

TEST_CASE("scripted: a model that ignores flow control says so and goes on", "[adapters][scripted]") {
  auto script = at_once();
  script.ignore_flow_control = true;
  script.think = 1ms;
  stage s(script);
  CHECK_FALSE(s.model->capabilities().can_wait);
  s.session->respond(ask("a", "hi"));
  s.session->throttle(protocol::response_id("a"), true);
  CHECK(s.sink->wait_until_done(protocol::response_id("a")));
}

TEST_CASE("scripted: nothing of a cancelled answer or a closed session is posted", "[adapters][scripted]") {
  auto script = at_once();
  script.think = 20ms;
  stage s(script);
  const auto closed_sink = std::make_shared<recording_sink>();
  auto closed = s.model->open(closed_sink);
  s.session->respond(ask("a", "hi"));
  s.session->cancel(protocol::response_id("a"));
  s.session->cancel(protocol::response_id("unknown"));
  closed->respond(ask("b", "hi"));
  closed.reset();
  s.answer_to(ask("c", "hi"));  // due after both
  CHECK(s.sink->all_of<runtime::model_text>(protocol::response_id("a")).empty());
  CHECK(closed_sink->outputs().empty());
  CHECK(closed_sink.use_count() == 1);
}

TEST_CASE("scripted: a session may outlive its model", "[adapters][scripted]") {
  auto script = at_once();
  script.think = 1ms;
  stage s(script);
  s.model.reset();
  CHECK_FALSE(s.answer_to(ask("a", "hi")).empty());
}

TEST_CASE("scripted: echo says one piece for every piece heard, until cancelled", "[adapters][scripted]") {
  auto script = at_once();
  script.mode = config::scripted_mode::echo;
  stage s(script);
  s.session->hear({protocol::item_id("i"), 24000, {1, 2}});
  CHECK(s.sink->outputs().empty());
  s.session->respond(ask("a", "hi", output_modality::audio));
  s.session->hear({protocol::item_id("i"), 24000, {1, 2}});
  s.session->hear({protocol::item_id("i"), 24000, {1, 2}});
  s.session->end_turn({protocol::item_id("i")});
  s.session->throttle(protocol::response_id("a"), true);
  s.session->hear({protocol::item_id("i"), 24000, {1, 2}});
  s.session->throttle(protocol::response_id("a"), false);
  s.session->cancel(protocol::response_id("a"));
  s.session->hear({protocol::item_id("i"), 24000, {1, 2}});

  REQUIRE(s.sink->outputs().size() == 3);
  const auto pieces = s.sink->all<runtime::model_speech>();
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].samples.size() == 4800);
  CHECK(pieces[0].epoch.value == 7);
  CHECK(s.sink->all<runtime::turn_ready>().size() == 1);
}

}  // namespace parley::adapters::scripted
