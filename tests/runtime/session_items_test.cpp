// The client's edits of the conversation and what history keeps of spoken answers.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_respond;
using strings = std::vector<std::string>;

namespace {

item message(std::string id, std::string words, item_role role = item_role::user) {
  item value{.id = item_id{std::move(id)}, .role = role};
  value.content.push_back({.type = part_type::input_text, .text = std::move(words)});
  return value;
}

item output_of(std::string call, std::string text) {
  return {.type = item_type::function_call_output, .call = call_id{std::move(call)}, .output = std::move(text)};
}

auto with_policy(playback_policy policy) {
  auto options = manual_session();
  options.pace_ahead = 400ms;
  options.settings.playback = policy;
  return options;
}

const std::string ten_words = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";

// An answer of 4 s, interrupted after 1 s; its item.
item_id interrupted_answer(session_driver& one) {
  one.ask();
  one.speak(4s, ten_words);
  one.advance(1s);
  one.cancel();
  return one.only<output_item_added>().value.id;
}

}  // namespace

TEST_CASE("items: a message is added and done under the id that the client gave", "[runtime][items]") {
  session_driver one;
  one.fresh();
  one.send(item_create{message("item-snf71H7Qc3_x", "hi")});
  CHECK(one.types() == strings{"conversation.item.added", "conversation.item.done"});
  CHECK(one.only<item_added>().value.id.value == "item-snf71H7Qc3_x");
  CHECK(one.only<item_done>().value.status == item_status::completed);
  CHECK_FALSE(one.only<item_added>().previous);
}

TEST_CASE("items: insertion at the head, after an item, and what is refused", "[runtime][items]") {
  session_driver one;
  one.send(item_create{message("a", "A")});
  one.send(item_create{message("b", "B")});
  one.send(item_create{message("head", "head"), "root"});
  one.send(item_create{message("between", "between"), "a"});
  CHECK(one.events<item_added>()[2].previous == std::nullopt);
  CHECK(one.events<item_added>()[3].previous == item_id{"a"});
  one.send(item_create{message("b", "again")}, "dup");
  one.send(item_create{message("c", "C"), "nobody"});
  CHECK(one.errors() == strings{"item_create_duplicate_item_id", "item_create_invalid_previous_item_id"});
  CHECK(one.events<error_event>().front().error.client_event_id == "dup");
  one.ask();
  CHECK(one.prompt() == "user: head | user: A | user: between | user: B");
}

TEST_CASE("items: delete takes an item out of the prompt; unknown ids are errors", "[runtime][items]") {
  session_driver one;
  one.send(item_create{message("a", "A")});
  one.send(item_create{message("b", "B")});
  one.send(item_delete{item_id{"a"}});
  CHECK(one.only<item_deleted>().id == item_id{"a"});
  one.send(item_delete{item_id{"a"}});
  one.send(item_retrieve{item_id{"a"}});
  one.send(item_truncate{item_id{"a"}});
  CHECK(one.errors() ==
        strings{"item_delete_invalid_item_id", "item_retrieve_invalid_item_id", "item_truncate_invalid_item_id"});
  one.ask();
  CHECK(one.prompt() == "user: B");
}

TEST_CASE("items: a spoken item may be deleted while it is spoken", "[runtime][items]") {
  session_driver one{with_policy(playback_policy::estimate)};
  one.ask();
  one.speak(2s, "Gone.");
  one.send(item_delete{one.only<output_item_added>().value.id});
  one.done();
  one.advance(2s);
  CHECK(one.only<response_done>().response.status == response_status::completed);
  one.ask();
  CHECK(one.prompt().empty());
}

TEST_CASE("items: retrieve while it is spoken shows what was heard so far", "[runtime][items]") {
  session_driver one{with_policy(playback_policy::estimate)};
  one.ask();
  one.speak(4s, ten_words);
  const auto id = one.only<output_item_added>().value.id;
  one.advance(1s);
  const auto shown = one.retrieve(id);
  CHECK(shown.status == item_status::in_progress);
  CHECK(shown.content.front().transcript->size() < 20);
  CHECK(ten_words.starts_with(*shown.content.front().transcript));
  one.done();
  one.advance(4s);
  CHECK(one.retrieve(id).content.front().transcript == ten_words);
}

TEST_CASE("C19: truncate past the end is refused, within it cuts for good", "[runtime][items]") {
  session_driver one;
  one.answer(2650ms, ten_words);
  const auto id = one.only<output_item_added>().value.id;
  const auto truncate = [&](std::int64_t ms) {
    one.fresh();
    one.send(item_truncate{id, 0, ms});
    return one.errors().empty() ? one.only<item_truncated>().audio_end_ms : -1;
  };
  CHECK(truncate(9100) == -1);
  CHECK(one.errors() == strings{"invalid_value"});
  CHECK(truncate(2651) == -1);
  CHECK(one.retrieve(id).content.front().transcript == ten_words);
  CHECK(truncate(2650) == 2650);
  CHECK(truncate(1000) == 1000);
  CHECK(truncate(1500) == -1);
  const auto heard = one.retrieve(id).content.front().transcript;
  CHECK(heard->size() == 40 * 1000 / 2650);
  CHECK(truncate(0) == 0);
  CHECK(one.retrieve(id).content.front().transcript == "");
  one.fresh();
  static_cast<void>(one.write("next"));
  one.answer(500ms);
  CHECK(one.prompt() == "user: next");
  CHECK(one.audio_ms() == 500);
}

TEST_CASE("C19: truncate right behind a cancel, and of what is no speech", "[runtime][items]") {
  session_driver one{with_policy(playback_policy::estimate)};
  one.ask();
  one.speak(4s, ten_words);
  const auto id = one.only<output_item_added>().value.id;
  one.send(item_truncate{id, 0, 0});
  one.cancel();
  one.send(item_truncate{id, 0, 0});
  CHECK(one.events<item_truncated>().size() == 2);
  one.send(item_truncate{one.write("text"), 0, 0});
  one.send(item_truncate{id, 1, 0});
  CHECK(one.errors() == strings{"unsupported_content_type", "invalid_value"});
}

TEST_CASE("items: only what was sequenced can be truncated to", "[runtime][items]") {
  session_driver one;
  one.hold_writer();
  one.answer(1000ms);
  const auto id = one.only<output_item_added>().value.id;
  one.send(item_truncate{id, 0, 500});
  CHECK(one.errors() == strings{"invalid_value"});
  one.release_writer();
  one.send(item_truncate{id, 0, 500});
  CHECK(one.events<item_truncated>().size() == 1);
}

TEST_CASE("playback: estimate keeps what can have been heard of an interrupted answer", "[runtime][items][playback]") {
  session_driver one{with_policy(playback_policy::estimate)};
  const auto id = interrupted_answer(one);
  one.ask();
  CHECK(one.prompt() == "assistant: aaaaaaaaaa");
  one.done();
  one.advance(10s);
  CHECK(one.retrieve(id).content.front().transcript == "aaaaaaaaaa");  // frozen
}

TEST_CASE("playback: a finished answer is whole in history whatever follows", "[runtime][items][playback]") {
  session_driver one{with_policy(playback_policy::estimate)};
  one.answer(2s, "The first answer. ");
  one.ask();
  one.speak(0ms, "Without sound.");
  one.done();
  one.ask();
  one.speak(4s, ten_words);
  one.advance(1s);
  one.cancel();
  one.ask();
  CHECK(one.prompt() == "assistant: The first answer.  | assistant: Without sound. | assistant: aaaaaaaaaa");
}

TEST_CASE("playback: ack_only keeps what was acknowledged", "[runtime][items][playback]") {
  session_driver one{with_policy(playback_policy::ack_only)};
  one.answer(4s, ten_words);
  const auto id = one.only<output_item_added>().value.id;
  CHECK(one.retrieve(id).content.front().transcript == "");
  one.send(playback_ack{.item = id, .played_ms = 2000});
  CHECK(one.only<playback_acknowledged>().played_ms == 2000);
  CHECK(one.only<playback_acknowledged>().history_committed);
  CHECK(one.retrieve(id).content.front().transcript == "aaaaaaaaaabbbbbbbbbb");
}

TEST_CASE("playback: acknowledgements never run backwards nor beyond what was sent", "[runtime][items][playback]") {
  session_driver one{with_policy(playback_policy::ack_only)};
  one.answer(4s, ten_words);
  const auto response = one.only<response_created>().response.id;
  const auto acknowledge = [&](std::int64_t ms) {
    one.fresh();
    one.send(playback_ack{.response = response, .played_ms = ms});
    return one.only<playback_acknowledged>();
  };
  CHECK(acknowledge(1200).played_ms == 1200);
  CHECK(acknowledge(900).played_ms == 1200);
  CHECK_FALSE(acknowledge(1200).history_committed);
  CHECK(acknowledge(999'999).played_ms == 4000);
  one.fresh();
  one.send(playback_ack{.response = response_id{"resp_other"}, .played_ms = 1});
  CHECK(one.errors() == strings{"invalid_value"});
}

TEST_CASE("playback: an acknowledgement replaces the estimate for its answer", "[runtime][items][playback]") {
  session_driver one{with_policy(playback_policy::estimate)};
  const auto id = interrupted_answer(one);
  one.send(playback_ack{.item = id, .played_ms = 500, .truncate = true});
  CHECK(one.retrieve(id).content.front().transcript == "aaaaa");
}

TEST_CASE("playback: commit_all_on_done keeps what was released", "[runtime][items][playback]") {
  session_driver one{with_policy(playback_policy::commit_all_on_done)};
  const auto id = interrupted_answer(one);
  CHECK(one.retrieve(id).content.front().transcript == ten_words.substr(0, 16));  // 1.4 s and the delta begun
}

TEST_CASE("C32: a tool's result needs its call, once", "[runtime][items][tools]") {
  session_driver one;
  one.send(item_create{output_of("call_nope", "42")});
  CHECK(one.errors() == strings{"invalid_tool_call_id"});
  one.ask();
  one.call("call_1", "look", "{\"at\":\"sky\"}");
  one.send(item_create{output_of("call_1", "blue")});  // while the response of the call still runs
  one.done();
  one.send(item_create{output_of("call_1", "green")});
  CHECK(one.errors().size() == 2);
  CHECK(one.actions<call_respond>().size() == 1);  // a result alone starts nothing
  one.ask();
  CHECK(one.prompt() == "call: look{\"at\":\"sky\"} | output: blue");
}

TEST_CASE("items: a prompt of the request's own replaces the conversation", "[runtime][items]") {
  session_driver one;
  one.send(item_create{message("a", "A")});
  one.send(item_create{message("b", "B")});
  response_options options{.out_of_band = true};
  options.input.emplace();
  options.input->push_back({.reference = true, .value = {.id = item_id{"b"}}});
  options.input->push_back({.value = message("", "just now")});
  one.ask(options);
  CHECK(one.prompt() == "user: B | user: just now");
  options.input->front().value.id = item_id{"nobody"};
  one.ask(options);
  CHECK(one.errors() == strings{"invalid_value"});
  CHECK(one.only<error_event>().error.param == "response.input[0].id");
}

TEST_CASE("items: audio in a message is heard before an answer is asked for", "[runtime][items]") {
  session_driver one;
  item value{.id = item_id{"spoken"}};
  value.content.push_back({.type = part_type::input_audio, .text = base64(voice(200ms))});
  one.send(item_create{value});
  CHECK(one.heard(value.id) == voice(200ms));
  one.ask();
  CHECK(one.actions<call_respond>().empty());
  one.understood("hi");
  CHECK(one.prompt() == "user: hi");
  value.id = item_id{"broken"};
  value.content.front().text = "AAA";
  one.send(item_create{value});
  CHECK(one.only<error_event>().error.param == "item.content[0].audio");
}

TEST_CASE("items: the conversation is bounded, the oldest leaves", "[runtime][items]") {
  auto options = manual_session();
  options.limits.items = 3;
  session_driver one{options};
  one.skip_log_check();
  for (const char* words : {"1", "2", "3"}) static_cast<void>(one.write(words));
  for (int turn = 0; turn < 5; ++turn) one.answer(100ms, "Yes.");
  static_cast<void>(one.write("last"));
  one.ask();
  CHECK(one.prompt() == "assistant: Yes. | assistant: Yes. | user: last");
}
