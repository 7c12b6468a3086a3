// What the model is asked with: templates, overrides, and as much of the conversation as fits.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

namespace parley::tests {
namespace {

using namespace protocol;
using runtime::call_respond;

runtime::session_options with_library() {
  auto options = manual_session();
  options.prompts = std::make_shared<const runtime::prompt_library>(
      runtime::prompt_library{{"guide", "You know {{city}}."}, {"poet", "You rhyme."}});
  options.settings.instructions = "Be brief.";
  return options;
}

prompt_template guide_of(std::string city) { return {.id = "guide", .variables = {{"city", std::move(city)}}}; }

TEST_CASE("prompt: a template of the operator's comes before the instructions", "[runtime][prompt]") {
  session_driver one{with_library()};
  one.update({.prompt = std::optional{guide_of("Paris")}});
  one.ask();
  CHECK(one.request_made().instructions == "You know Paris.\n\nBe brief.");
  one.done();
  one.ask({.instructions = "Sing.", .prompt = std::optional{prompt_template{"poet"}}});
  CHECK(one.request_made().instructions == "You rhyme.\n\nSing.");
  one.done();
  one.update({.prompt = std::optional<prompt_template>{}});
  one.ask();
  CHECK(one.request_made().instructions == "Be brief.");
}

TEST_CASE("prompt: a template that the operator does not have is refused whole", "[runtime][prompt]") {
  session_driver one{with_library()};
  one.update({.instructions = "New.", .prompt = std::optional{prompt_template{"other"}}});
  CHECK(one.only<error_event>().error.param == "session.prompt.id");
  one.fresh();
  one.ask({.prompt = std::optional{prompt_template{"other"}}});
  CHECK(one.only<error_event>().error.param == "response.prompt.id");
  CHECK(one.events<response_created>().empty());
  one.ask();
  CHECK(one.request_made().instructions == "Be brief.");
}

TEST_CASE("response: reasoning and parallel tool calls hold for one response", "[runtime][prompt]") {
  auto options = manual_session();
  options.settings.reasoning_effort = "low";
  options.settings.parallel_tool_calls = true;
  session_driver one{options};
  one.ask({.reasoning_effort = std::optional<std::string>{"high"}, .parallel_tool_calls = false});
  CHECK(one.request_made().reasoning_effort == "high");
  CHECK(one.request_made().parallel_tool_calls == false);
  one.done();
  one.ask();
  CHECK(one.request_made().reasoning_effort == "low");
  CHECK(one.request_made().parallel_tool_calls == true);
}

TEST_CASE("C35: a response may choose only among its tools", "[runtime][prompt][tools]") {
  auto options = manual_session();
  options.settings.tools = {{"look", raw_json{"{}"}}};
  options.settings.choice = {tool_choice_mode::function, "look"};
  session_driver one{options};
  one.ask({.choice = tool_choice{tool_choice_mode::function, "other"}});
  CHECK(one.only<error_event>().error.param == "response.tool_choice.name");
  CHECK(one.events<response_created>().empty());
  one.ask({.tools = std::vector<tool>{{"other", raw_json{"{}"}}}});  // the session's choice is not among them
  CHECK(one.request_made().choice == tool_choice{});
  one.done();
  one.ask({.tools = std::vector<tool>{{"other", raw_json{"{}"}}},
           .choice = tool_choice{tool_choice_mode::function, "other"}});
  CHECK(one.request_made().choice.function == "other");
}

// ---- C49 --------------------------------------------------------------------------------------------------------

runtime::session_options short_memory(truncation rule) {
  auto options = manual_session();
  options.limits.prompt_tokens = 100;  // four messages of 24
  options.settings.truncation = rule;
  return options;
}

void write_turns(session_driver& one, int from, int to) {
  for (int i = from; i <= to; ++i) (void)one.write(std::string(78, 'x') + std::to_string(10 + i));
}

std::size_t asked_with(session_driver& one) {
  one.ask();
  const auto made = one.request_made();
  one.text("ok");
  one.done();
  return made.prompt.size();
}

TEST_CASE("C49: two thousand turns keep a prompt under its bound and the newest turn in it", "[runtime][prompt]") {
  session_driver one{short_memory({})};
  for (int i = 0; i < 2000; ++i) {
    one.fresh();
    (void)one.write(std::string(76, 'x') + std::to_string(1000 + i));
    REQUIRE(asked_with(one) <= 8);
    REQUIRE(one.request_made().prompt.back()->content.front().text.ends_with(std::to_string(1000 + i)));
  }
  one.skip_log_check();
}

TEST_CASE("C49: with truncation off a conversation that is too long fails the response, and it can be trimmed",
          "[runtime][prompt]") {
  session_driver one{short_memory({truncation_type::disabled})};
  write_turns(one, 1, 5);
  one.fresh();
  one.ask();
  const auto done = one.only<response_done>().response;
  CHECK(done.status == response_status::failed);
  CHECK(done.failure->code == errc::context_length_exceeded);
  CHECK(one.actions<call_respond>().empty());
  one.update({.truncation = std::optional{truncation{}}});
  CHECK(asked_with(one) == 4);
}

TEST_CASE("C49: what a retention ratio let go stays out while there is room", "[runtime][prompt]") {
  session_driver one{short_memory({truncation_type::retention_ratio, 0.5})};
  write_turns(one, 1, 5);
  CHECK(asked_with(one) == 2);
  write_turns(one, 6, 6);
  CHECK(asked_with(one) == 4);  // two, the answer "ok" and the new one: no second cut
}

TEST_CASE("C49: a session may name a smaller limit", "[runtime][prompt]") {
  session_driver one{short_memory({.post_instructions = 50})};
  write_turns(one, 1, 4);
  CHECK(asked_with(one) == 2);
}

TEST_CASE("C49: a backend that finds it too long fails the response and the next one works", "[runtime][prompt]") {
  session_driver one;
  write_turns(one, 1, 3);
  one.ask();
  one.failed();
  CHECK(one.only<response_done>().response.status == response_status::failed);
  one.fresh();
  CHECK(asked_with(one) == 3);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

// ---- C34 --------------------------------------------------------------------------------------------------------

void answer_with_call(session_driver& one) {
  one.call("call_1", "look", "{}");
  one.done();
}

item tool_result() { return {.type = item_type::function_call_output, .call = call_id{"call_1"}, .output = "rain"}; }

TEST_CASE("C34: a result alone starts no answer, with a request exactly one", "[runtime][prompt][tools]") {
  session_driver one;
  (void)one.write("weather?");
  one.ask();
  answer_with_call(one);
  one.fresh();
  one.send(item_create{tool_result()});
  CHECK(one.events<response_created>().empty());
  one.ask();
  CHECK(one.events<response_created>().size() == 1);
  CHECK(one.errors().empty());
  CHECK(one.request_made().prompt.back()->output == "rain");
}

TEST_CASE("C34: a result that meets an answer of a turn is in its prompt, the request is refused once",
          "[runtime][prompt][tools]") {
  session_driver one{vad_session()};
  (void)one.write("weather?");
  one.ask();
  answer_with_call(one);
  one.advance(2000ms);
  one.say(voice(500ms) + silence(600ms));
  one.fresh();
  one.send(item_create{tool_result()});
  one.understood("and tomorrow");
  one.ask();
  CHECK(one.errors() == std::vector<std::string>{"conversation_already_has_active_response"});
  CHECK(one.events<response_created>().size() == 1);
  const auto asked = one.request_made().prompt;
  CHECK(std::any_of(asked.begin(), asked.end(), [](const auto& each) { return each->output == "rain"; }));
  CHECK_FALSE(one.closed());
}

}  // namespace
}  // namespace parley::tests
