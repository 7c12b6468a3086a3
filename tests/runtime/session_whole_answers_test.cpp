// A completed answer is whole and in the order in which the model said it, whenever it is asked for: only what an
// interruption kept from being heard is gone.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::finish_reason;
using parley::runtime::model_message_begun;
using strings = std::vector<std::string>;

namespace {

// 40 characters: in 4 s of speech 10 a second.
const std::string ten_words = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";
constexpr const char* arguments = "{\"a\":1}";

auto with_policy(playback_policy policy, std::chrono::milliseconds ahead = 400ms) {
  auto options = manual_session();
  options.pace_ahead = ahead;
  options.settings.playback = policy;
  return options;
}

auto turn_based(playback_policy policy, std::chrono::milliseconds ahead = 400ms) {
  auto options = duplex_session();
  options.capabilities.native = false;
  options.pace_ahead = ahead;
  options.settings.playback = policy;
  return options;
}

item tool_result(std::string id = "call_1") {
  return {.type = item_type::function_call_output, .call = call_id{std::move(id)}, .output = "rain"};
}

// Words of 4 s and a call; over before more than a little of it was played. The item of the words.
item_id words_and_call(session_driver& one) {
  one.ask();
  one.speak(4s, ten_words);
  one.call("call_1", "look", arguments);
  one.done();
  return one.only<response_done>().response.output.front().id;
}

std::string said_in(const item& value) { return value.content.front().transcript.value_or("(none)"); }

std::vector<item_type> types_of(const std::vector<item>& output) {
  std::vector<item_type> types;
  for (const item& one : output) types.push_back(one.type);
  return types;
}

const std::vector<item_type> words_then_call{item_type::message, item_type::function_call};

response_options beside() {
  response_options options;
  options.out_of_band = true;
  return options;
}

}  // namespace

// ---- F32: whole -------------------------------------------------------------------------------------------------

TEST_CASE("F32: a completed answer of words and a call is whole in the prompt of its result", "[runtime][truth]") {
  for (const auto policy : {playback_policy::estimate, playback_policy::commit_all_on_done}) {
    session_driver one{with_policy(policy)};
    const auto id = words_and_call(one);
    const auto shown = one.retrieve(id);
    CHECK(said_in(shown) == ten_words);
    REQUIRE(shown.content.front().audio);
    CHECK(shown.content.front().audio->samples == voice(4s));
    one.send(item_create{tool_result()});
    one.ask();
    REQUIRE(one.prompt() == "assistant: " + ten_words + " | call: look{\"a\":1} | output: rain");
    REQUIRE(one.request_made().prompt.front()->content.front().audio);
    CHECK(one.request_made().prompt.front()->content.front().audio->samples.size() == voice(4s).size());
  }
}

TEST_CASE("F32: what merely has not been sequenced yet is no less said", "[runtime][truth]") {
  session_driver one{with_policy(playback_policy::estimate)};
  one.hold_writer();
  const auto id = words_and_call(one);
  CHECK(said_in(one.retrieve(id)) == ten_words);
  one.release_writer();
  CHECK(said_in(one.retrieve(id)) == ten_words);
}

TEST_CASE("F32: several answers that all still play are whole, also out of band", "[runtime][truth]") {
  session_driver one{with_policy(playback_policy::estimate, 0ms)};
  for (const char* words : {"One.", "Two.", "Three."}) {
    one.ask();
    one.speak(4s, words);
    one.done();
  }
  const auto second = one.events<response_done>()[1].response.output.front().id;
  one.ask(beside());
  CHECK(one.prompt() == "assistant: One. | assistant: Two. | assistant: Three.");
  one.done();
  auto options = beside();
  options.input = std::vector<response_options::input_item>{{.reference = true, .value = {.id = second}}};
  one.ask(options);
  CHECK(one.prompt() == "assistant: Two.");
  one.done();
  one.send(item_delete{second});
  one.ask();
  CHECK(one.prompt() == "assistant: One. | assistant: Three.");
}

TEST_CASE("F32: words deleted while they play leave the call and its result", "[runtime][truth]") {
  session_driver one{with_policy(playback_policy::estimate)};
  one.send(item_delete{words_and_call(one)});
  one.send(item_create{tool_result()});
  one.ask();
  CHECK(one.prompt() == "call: look{\"a\":1} | output: rain");
}

TEST_CASE("F32: an answer that ended early by its own limit or failure is what was said of it", "[runtime][truth]") {
  session_driver short_one{with_policy(playback_policy::estimate, 0ms)};
  short_one.ask();
  short_one.speak(4s, ten_words);
  short_one.done(finish_reason::max_output_tokens);
  short_one.ask();
  CHECK(short_one.prompt() == "assistant: " + ten_words);

  session_driver failed{with_policy(playback_policy::estimate, 0ms)};
  failed.ask();
  failed.speak(4s, ten_words);
  failed.failed();
  failed.ask();
  CHECK(failed.prompt() == "assistant: " + ten_words);
}

TEST_CASE("F32: only an interruption cuts, and it cuts what was completed too", "[runtime][truth]") {
  auto options = vad_session();
  options.pace_ahead = 0ms;
  session_driver one{options};
  const auto id = words_and_call(one);
  one.advance(1s);
  CHECK(said_in(one.retrieve(id)) == ten_words);
  one.say(voice(100ms));  // the detector is sure after 90 ms or so
  CHECK(one.events<speech_started>().size() == 1);
  const std::string heard = said_in(one.retrieve(id));
  CHECK(heard.size() >= 10);
  CHECK(heard.size() <= 11);
  one.advance(10s);
  CHECK(said_in(one.retrieve(id)) == heard);
  one.say(silence(600ms));
  one.understood("stop");
  CHECK(one.prompt() == "assistant: " + heard + " | call: look{\"a\":1} | user: stop");
}

TEST_CASE("F32: speech that may not interrupt cuts nothing", "[runtime][truth]") {
  auto options = vad_session();
  options.settings.detection->interrupt_response = false;
  options.pace_ahead = 0ms;
  session_driver one{options};
  words_and_call(one);
  one.say(voice(500ms) + silence(600ms));
  one.understood("and now");
  CHECK(one.prompt() == "assistant: " + ten_words + " | call: look{\"a\":1} | user: and now");
}

TEST_CASE("F30: a refused truncate changes nothing, one within what was sent cuts for good", "[runtime][truth]") {
  session_driver one{with_policy(playback_policy::estimate)};
  const auto id = words_and_call(one);
  one.send(item_truncate{id, 0, 4001});
  CHECK(one.errors() == strings{"invalid_value"});
  CHECK(said_in(one.retrieve(id)) == ten_words);
  one.send(item_truncate{id, 0, 2000});
  CHECK(said_in(one.retrieve(id)) == "aaaaaaaaaabbbbbbbbbb");
  one.send(item_create{tool_result()});
  one.ask();
  CHECK(one.prompt() == "assistant: aaaaaaaaaabbbbbbbbbb | call: look{\"a\":1} | output: rain");
}

TEST_CASE("F32: the answer behind it that is interrupted before it plays was not heard at all", "[runtime][truth]") {
  session_driver one{with_policy(playback_policy::estimate, 0ms)};
  words_and_call(one);
  one.send(item_create{tool_result()});
  one.fresh();
  one.ask();
  one.speak(2s, "It rains.");
  one.advance(1s);
  one.cancel();
  CHECK(one.only<response_done>().response.status == response_status::cancelled);
  one.ask();
  CHECK(one.prompt() == "assistant: aaaaaaaaaa | call: look{\"a\":1} | output: rain");
}

// ---- F32: in order ----------------------------------------------------------------------------------------------

TEST_CASE("F32: a call stands behind the words that wait for their place on the playing clock", "[runtime][truth]") {
  session_driver one{with_policy(playback_policy::estimate)};
  words_and_call(one);
  one.send(item_create{tool_result()});
  one.fresh();
  one.ask();
  one.speak(3s, ten_words);  // behind 4 s that still play
  one.call("call_2", "look", arguments);
  CHECK(one.events<audio_delta>().empty());
  // The call is not held up by the speech, only behind it in the order.
  const auto added = one.events<output_item_added>();
  REQUIRE(added.size() == 2);
  CHECK(added[0].value.type == item_type::message);
  CHECK(one.only<output_item_done>().value.type == item_type::function_call);
  CHECK(one.only<output_item_done>().output_index == 1);
  CHECK(one.events<item_added>()[1].previous == added[0].value.id);
  one.done();
  CHECK(types_of(one.only<response_done>().response.output) == words_then_call);
}

TEST_CASE("F32: words that are still being made into speech have their place at once", "[runtime][truth]") {
  for (const bool out_of_band : {false, true}) {
    session_driver one{with_policy(playback_policy::estimate)};
    one.ask(out_of_band ? beside() : response_options{});
    const auto asked = one.request_made();
    one.output(model_message_begun{asked.id, asked.epoch});
    one.call("call_1", "look", arguments);
    CHECK(one.only<content_part_added>().at.output_index == 0);
    CHECK(one.only<arguments_done>().at.output_index == 1);
    one.speak(1s, "Let me look.");
    one.output(model_message_begun{asked.id, asked.epoch});  // a second time is nothing new
    one.done();
    const auto ended = one.only<response_done>().response;
    CHECK(types_of(ended.output) == words_then_call);
    CHECK(said_in(ended.output.front()) == "Let me look.");
    one.send(item_create{tool_result()});
    one.ask();
    CHECK(one.prompt() == (out_of_band ? "" : "assistant: Let me look. | call: look{\"a\":1} | output: rain"));
  }
}

TEST_CASE("F32: a message that was begun and cut before its first sound is closed and no history", "[runtime][truth]") {
  for (const bool duplex : {false, true}) {
    session_driver one{duplex ? turn_based(playback_policy::estimate) : with_policy(playback_policy::estimate)};
    static_cast<void>(one.write("hi"));
    one.ask();
    const auto asked = one.request_made();
    one.output(model_message_begun{asked.id, asked.epoch});
    one.cancel();
    CHECK(one.only<content_part_done>().part.transcript == "");
    CHECK(one.only<output_item_done>().value.status == item_status::incomplete);
    one.output(model_message_begun{asked.id, asked.epoch});  // stale
    CHECK(one.events<output_item_added>().size() == 1);
    static_cast<void>(one.write("again"));
    one.ask();
    CHECK(one.prompt() == "user: hi | user: again");
  }
}

TEST_CASE("F32: nothing said is no message", "[runtime][truth]") {
  session_driver one;
  one.ask();
  one.speak(0ms);
  one.done();
  CHECK(one.only<response_done>().response.output.empty());
}

TEST_CASE("F32: duplex: estimate and commit_all_on_done keep the whole of a completed answer", "[runtime][truth]") {
  for (const auto policy : {playback_policy::estimate, playback_policy::commit_all_on_done}) {
    session_driver one{turn_based(policy)};
    static_cast<void>(one.write("hi"));
    const auto id = words_and_call(one);
    CHECK(types_of(one.only<response_done>().response.output) == words_then_call);
    one.send(item_create{tool_result()});
    one.ask();
    CHECK(one.prompt() == "user: hi | assistant: " + ten_words + " | call: look{\"a\":1} | output: rain");
    CHECK(said_in(one.retrieve(id)) == ten_words);
  }
}

// DUPLEX 128: there history is what was acknowledged; a client that wants its words kept says that it played them.
TEST_CASE("F32: duplex: ack_only keeps of a completed answer what was acknowledged", "[runtime][truth]") {
  session_driver one{turn_based(playback_policy::ack_only)};
  static_cast<void>(one.write("hi"));
  const auto id = words_and_call(one);
  CHECK(said_in(one.retrieve(id)) == ten_words);  // nothing is settled yet
  one.send(playback_ack{.item = id, .played_ms = 2000});
  one.send(item_create{tool_result()});
  one.ask();
  CHECK(one.prompt() == "user: hi | assistant: aaaaaaaaaabbbbbbbbbb | call: look{\"a\":1} | output: rain");
}

TEST_CASE("F32: duplex: what the client throws away of a finished answer was not heard", "[runtime][truth]") {
  session_driver one{turn_based(playback_policy::estimate, 0ms)};
  static_cast<void>(one.write("hi"));
  const auto id = words_and_call(one);
  one.advance(1s);
  one.send(output_audio_clear{response_id{"resp_other"}});
  CHECK(said_in(one.retrieve(id)) == ten_words);
  one.send(output_audio_clear{});
  one.advance(5s);
  CHECK(said_in(one.retrieve(id)) == "aaaaaaaaaa");
  one.send(item_create{tool_result()});
  one.ask();
  CHECK(one.prompt() == "user: hi | assistant: aaaaaaaaaa | call: look{\"a\":1} | output: rain");
}
