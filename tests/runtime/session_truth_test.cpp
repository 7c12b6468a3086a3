// What a conversation does not tell: what was never sent of a cut answer, half a call as one to make, words that nobody
// asked for.
#include "protocol/encode.hpp"
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <utility>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::finish_reason;
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

std::string said_in(const item& value) { return value.content.front().transcript.value_or("(none)"); }

}  // namespace

// ---- F36: nothing that was never sent ---------------------------------------------------------------------------

TEST_CASE("F36: of a cut answer no policy keeps more than was sequenced", "[runtime][truth]") {
  for (const bool duplex : {false, true})
    for (const auto policy : {playback_policy::commit_all_on_done, playback_policy::estimate}) {
      session_driver one{duplex ? turn_based(policy, 0ms) : with_policy(policy, 0ms)};
      static_cast<void>(one.write("hi"));
      one.ask();
      one.speak(1s, "aaaaaaaaaa");
      const auto id = one.only<output_item_added>().value.id;
      one.hold_writer();
      one.speak(3s, "bbbbbbbbbbccccccccccdddddddddd");
      one.advance(3s);
      one.cancel();
      one.release_writer();
      CHECK(said_in(one.retrieve(id)) == "aaaaaaaaaa");
      static_cast<void>(one.write("on"));
      one.ask();
      CHECK(one.prompt() == "user: hi | assistant: aaaaaaaaaa | user: on");
    }
}

TEST_CASE("F36: nothing of an answer that was cut before its first sound was sent is kept", "[runtime][truth]") {
  for (const auto policy :
       {playback_policy::commit_all_on_done, playback_policy::estimate, playback_policy::ack_only}) {
    session_driver one{with_policy(policy)};
    one.hold_writer();
    one.ask();
    one.speak(4s, ten_words);
    const auto id = one.only<output_item_added>().value.id;
    one.cancel();
    one.release_writer();
    one.send(playback_ack{.item = id, .played_ms = 4000});
    CHECK(one.only<playback_acknowledged>().played_ms == 0);
    CHECK(said_in(one.retrieve(id)).empty());
    one.ask();
    CHECK(one.prompt().empty());
  }
}

TEST_CASE("F36: an overflow that fails an answer keeps what was sequenced of it", "[runtime][truth]") {
  auto options = with_policy(playback_policy::commit_all_on_done, 0ms);
  options.fail_response_on_overflow = true;
  session_driver one{options};
  one.ask();
  one.speak(1s, "aaaaaaaaaa");
  one.hold_writer();
  one.speak(3s, "bbbbbbbbbbccccccccccdddddddddd");
  one.overflow(one.request_made().id);
  CHECK(one.only<response_done>().response.status == response_status::failed);
  one.ask();
  CHECK(one.prompt() == "assistant: aaaaaaaaaa");
}

TEST_CASE("F36: duplex: a failed answer says how much of it was sent", "[runtime][truth]") {
  auto options = turn_based(playback_policy::commit_all_on_done, 0ms);
  options.fail_response_on_overflow = true;
  session_driver one{options};
  static_cast<void>(one.write("hi"));
  one.ask();
  one.speak(1s, "aaaaaaaaaa");
  one.hold_writer();
  one.speak(3s, "bbbbbbbbbbccccccccccdddddddddd");
  one.overflow(one.request_made().id);
  const auto ended = one.only<response_done>().response;
  REQUIRE(ended.duplex);
  CHECK(ended.duplex->playback.generated_ms == 4000);
  CHECK(ended.duplex->playback.sent_ms == 1000);
  CHECK(said_in(ended.output.front()) == "aaaaaaaaaa");
}

// ---- F27: half a call -------------------------------------------------------------------------------------------

namespace {

// Opens half a call and ends the answer as told; the item of the call.
template <class Ending>
item_id half_a_call(session_driver& one, Ending end) {
  static_cast<void>(one.write("hi"));
  one.fresh();
  one.ask();
  one.speak(200ms, "Let me look. ");
  one.call("call_1", "look", "{\"a\":", false);
  const auto id = one.events<output_item_added>().back().value.id;
  CHECK(one.retrieve(id).status == item_status::in_progress);
  end(one);
  return id;
}

void check_not_ready(session_driver& one, const item_id& id) {
  CHECK(one.only<arguments_done>().arguments == "{\"a\":");  // what there is
  const auto shown_in_outputs = one.events<output_item_done>().back().value;
  CHECK(shown_in_outputs.id == id);
  CHECK(shown_in_outputs.status == item_status::incomplete);
  CHECK(one.events<item_done>().back().value.id == id);
  CHECK(one.events<item_done>().back().value.status == item_status::incomplete);
  const auto ended = one.only<response_done>().response;
  CHECK(ended.status != response_status::completed);
  CHECK(ended.output.back().id == id);
  CHECK(ended.output.back().status == item_status::incomplete);
  CHECK(one.retrieve(id).status == item_status::incomplete);
  for (const auto& each : one.actions<parley::runtime::emit>()) {
    for (const auto spoken : {dialect::openai, dialect::openai_beta}) {
      if (!is_spoken(spoken, each.event.body)) continue;
      const std::string text = render(spoken, each.event);
      const bool shows_it = text.find("\"function_call\"") != std::string::npos;
      if (shows_it) CHECK(text.find("\"status\":\"completed\",\"name\":\"look\"") == std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("F27: a call that was cut off looks like none wherever it is shown", "[runtime][truth]") {
  const std::vector<std::pair<std::string, std::function<void(session_driver&)>>> endings{
      {"a cancel", [](session_driver& one) { one.cancel(); }},
      {"a failure", [](session_driver& one) { one.failed(); }},
      {"the token limit", [](session_driver& one) { one.done(finish_reason::max_output_tokens); }},
      {"the content filter", [](session_driver& one) { one.done(finish_reason::content_filter); }},
      {"an overflow", [](session_driver& one) { one.overflow(one.request_made().id); }}};
  for (const auto& [name, end] : endings)
    for (const bool duplex : {false, true}) {
      INFO(name << (duplex ? ", duplex" : ", openai"));
      auto options = duplex ? turn_based(playback_policy::estimate, 0ms) : with_policy(playback_policy::estimate, 0ms);
      options.fail_response_on_overflow = true;
      session_driver one{options};
      const auto id = half_a_call(one, end);
      check_not_ready(one, id);
      one.fresh();
      one.send(item_create{tool_result()});
      CHECK(one.errors() == strings{duplex ? "invalid_function_call_output" : "invalid_tool_call_id"});
      static_cast<void>(one.write("on"));
      one.ask();
      CHECK(one.prompt().find("call:") == std::string::npos);
      CHECK(one.prompt().ends_with(" | user: on"));
    }
}

TEST_CASE("F27: a whole call before the cut stays one to run", "[runtime][truth]") {
  session_driver one;
  one.ask();
  one.call("call_1", "look", arguments);
  one.call("call_2", "look", "{\"b\":", false);
  one.cancel();
  const auto ended = one.only<response_done>().response;
  CHECK(ended.output[0].status == item_status::completed);
  CHECK(ended.output[1].status == item_status::incomplete);
  one.send(item_create{tool_result()});
  one.ask();
  CHECK(one.prompt() == "call: look{\"a\":1} | output: rain");
}

TEST_CASE("F27: half a call in the input of one response does not reach the model", "[runtime][truth]") {
  session_driver one;
  item half{.type = item_type::function_call, .status = item_status::incomplete, .name = "look", .arguments = "{"};
  item whole{.type = item_type::function_call, .name = "peek", .arguments = "{}"};
  response_options options;
  options.input = std::vector<response_options::input_item>{{.value = half}, {.value = whole}};
  one.ask(options);
  CHECK(one.prompt() == "call: peek{}");
}

// ---- F31: words nobody asked for --------------------------------------------------------------------------------

namespace {

// As it is on the wire.
std::string shown(const item& value, dialect spoken) {
  return render(spoken, server_event{event_id{"event_1"}, item_retrieved{value}});
}

bool tells(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("F31: without transcription no client is shown what was recognised, and the model gets it",
          "[runtime][truth]") {
  for (const auto spoken : {dialect::openai, dialect::duplex}) {
    session_driver one{spoken == dialect::duplex ? turn_based(playback_policy::ack_only) : manual_session()};
    one.append(voice(900ms, 8000, spoken == dialect::duplex ? duplex_hz : wire_hz));
    one.commit();
    const auto id = one.only<input_committed>().item;
    one.understood("my secret");
    CHECK(one.events<transcription_completed>().empty());
    CHECK(tells(shown(one.retrieve(id), spoken), "\"transcript\":null"));
    for (const auto& each : one.actions<parley::runtime::emit>()) {
      if (is_spoken(spoken, each.event.body)) CHECK_FALSE(tells(render(spoken, each.event), "my secret"));
    }
    one.ask();
    CHECK(one.prompt() == "user: my secret");
    // Asked for from now on: not for what was heard before.
    one.update({.transcription = nullable<transcription_patch>{transcription_patch{.model = "any"}}});
    CHECK(tells(shown(one.retrieve(id), spoken), "\"transcript\":null"));
  }
}

TEST_CASE("F31: with transcription they are told, also after it was switched off", "[runtime][truth]") {
  auto options = manual_session();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  one.append(voice(500ms));
  one.commit();
  one.understood("hello");
  one.update({.transcription = nullable<transcription_patch>{std::optional<transcription_patch>{}}});
  CHECK(tells(shown(one.retrieve(*one.last_turn()), dialect::openai), "\"transcript\":\"hello\""));
}

TEST_CASE("F31: a blank turn shows no words either, and the client's own words are the client's", "[runtime][truth]") {
  session_driver one;
  one.append(voice(500ms));
  one.commit();
  one.blank();
  CHECK(tells(shown(one.retrieve(*one.last_turn()), dialect::openai), "\"transcript\":null"));

  item told{.id = item_id{"mine"}};
  told.content.push_back({.type = part_type::input_audio, .text = base64(voice(500ms)), .transcript = "my words"});
  one.send(item_create{told});
  CHECK(tells(shown(one.retrieve(item_id{"mine"}), dialect::openai), "\"transcript\":\"my words\""));
  item mute{.id = item_id{"mute"}};
  mute.content.push_back({.type = part_type::input_audio, .text = base64(voice(500ms))});
  one.send(item_create{mute});
  one.understood("recognised");
  CHECK(tells(shown(one.retrieve(item_id{"mute"}), dialect::openai), "\"transcript\":null"));
  one.ask();
  CHECK(one.prompt() == "user:  | user: my words | user: recognised");
}

TEST_CASE("F31: duplex: hints are the client's own words", "[runtime][truth]") {
  session_driver one{turn_based(playback_policy::ack_only)};
  auto details = std::make_shared<append_details>();
  details->transcript = "a hint";
  details->has_audio = true;
  const std::string audio = base64(voice(900ms, 8000, duplex_hz));
  one.send(input_audio_append{.audio_base64 = audio, .details = details});
  one.commit();
  one.understood("recognised");
  CHECK(tells(shown(one.retrieve(one.only<input_committed>().item), dialect::duplex), "\"transcript\":\"a hint\""));
}
