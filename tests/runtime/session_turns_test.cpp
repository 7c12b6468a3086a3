// Who speaks when: turn detection, barge-in, deferred answers, waiting for what was said.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_cancel;
using parley::runtime::call_end_turn;
using parley::runtime::call_respond;
using strings = std::vector<std::string>;

namespace {

auto unpaced_vad() {
  auto options = vad_session();
  options.pace_ahead = 0ms;
  return options;
}

// A turn from speech to what was understood.
void say_turn(session_driver& one, std::string words) {
  one.say(voice(500ms) + silence(600ms));
  one.understood(std::move(words));
}

}  // namespace

TEST_CASE("C18: with create_response every detected turn is answered", "[runtime][turns]") {
  session_driver one{unpaced_vad()};
  for (int turn = 0; turn < 3; ++turn) {
    one.fresh();
    one.say(voice(500ms) + silence(600ms));
    CHECK(one.types() == strings{"input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped",
                                 "input_audio_buffer.committed", "conversation.item.added", "conversation.item.done"});
    one.understood("question");
    one.speak(200ms, "Answer.");
    one.done();
    CHECK(one.events<response_created>().size() == 1);
    CHECK(one.only<response_done>().response.status == response_status::completed);
    one.advance(1s);
  }
  CHECK(one.prompt() == "user: question | assistant: Answer. | user: question | assistant: Answer. | user: question");
}

TEST_CASE("C18: a commit of the client's never starts an answer; response.create gives exactly one",
          "[runtime][turns]") {
  session_driver one;
  for (int turn = 0; turn < 3; ++turn) {
    one.fresh();
    one.append(voice(300ms));
    one.commit();
    one.understood("hi");
    CHECK(one.types() == strings{"input_audio_buffer.committed", "conversation.item.added", "conversation.item.done"});
    one.ask();
    one.done();
    CHECK(one.events<response_created>().size() == 1);
  }
}

TEST_CASE("C17: a blank turn is recorded and answered by nobody", "[runtime][turns]") {
  auto options = unpaced_vad();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  one.say(voice(500ms) + silence(600ms));
  one.fresh();
  one.blank();
  CHECK(one.types() == strings{"conversation.item.input_audio_transcription.completed"});
  CHECK(one.only<transcription_completed>().transcript.empty());
  CHECK(one.actions<call_respond>().empty());
  one.ask();  // an explicit request still works
  CHECK(one.actions<call_respond>().size() == 1);
}

TEST_CASE("C17: a failed recognition is told and answered by nobody", "[runtime][turns]") {
  auto options = unpaced_vad();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  one.say(voice(500ms) + silence(600ms));
  one.fresh();
  one.output(parley::runtime::turn_failed{*one.last_turn(), "Not recognised."});
  CHECK(one.types() == strings{"conversation.item.input_audio_transcription.failed"});
  const auto failure = one.only<transcription_failed>();
  CHECK(failure.item == *one.last_turn());
  CHECK(failure.content_index == 0);
  CHECK(failure.error.message == "Not recognised.");
  one.fresh();
  say_turn(one, "again");
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("turns: an answer asked for waits until the turn is understood", "[runtime][turns]") {
  session_driver one;
  one.append(voice(300ms));
  one.commit();
  one.fresh();
  one.ask();
  CHECK(one.types() == strings{"response.created"});  // at once: clients give up on a late one
  CHECK(one.actions<call_respond>().empty());
  one.understood("what time is it");
  CHECK(one.prompt() == "user: what time is it");
  one.done();
  CHECK(one.events<response_done>().size() == 1);
}

TEST_CASE("turns: an answer asked for to a blank turn ends completed and empty", "[runtime][turns]") {
  session_driver one;
  one.append(voice(300ms));
  one.commit();
  one.ask();
  one.fresh();
  one.blank();
  CHECK(one.only<response_done>().response.status == response_status::completed);
  CHECK(one.only<response_done>().response.output.empty());
  CHECK(one.actions<call_respond>().empty());
}

TEST_CASE("turns: a blank turn beside something to answer does not void the answer", "[runtime][turns]") {
  session_driver one;
  one.append(voice(300ms));
  one.commit();
  SECTION("text written after it") {
    static_cast<void>(one.write("And in writing?"));
    one.ask();
    one.blank();
    CHECK(one.prompt() == "user:  | user: And in writing?");
  }
  SECTION("another turn that was understood") {
    const auto first = *one.last_turn();
    one.append(voice(300ms));
    one.commit();
    one.ask();
    one.output(parley::runtime::turn_ready{first, "hello"});
    one.blank();
    CHECK(one.prompt() == "user: hello | user: ");
  }
  one.done();
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

TEST_CASE("turns: cancelling an answer that still waits gives its ending and frees the conversation",
          "[runtime][turns]") {
  session_driver one;
  one.append(voice(300ms));
  one.commit();
  one.ask();
  one.cancel();
  CHECK(one.only<response_done>().response.reason == status_reason::client_cancelled);
  one.understood("late");
  CHECK(one.actions<call_respond>().empty());
  one.ask();
  CHECK(one.prompt() == "user: late");
}

TEST_CASE("turns: an answer owed waits while the user speaks on, and is one for both turns", "[runtime][turns]") {
  session_driver one{unpaced_vad()};
  one.say(voice(500ms) + silence(600ms));
  const auto first = *one.last_turn();
  one.say(voice(300ms));
  one.fresh();
  one.output(parley::runtime::turn_ready{first, "well"});
  CHECK(one.events<response_created>().empty());
  one.say(silence(600ms));
  one.understood("what is this");
  CHECK(one.events<response_created>().size() == 1);
  CHECK(one.prompt() == "user: well | user: what is this");
  one.done();
  one.advance(1s);
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("turns: a request of the client's covers the turn that waits", "[runtime][turns]") {
  session_driver one{unpaced_vad()};
  one.say(voice(500ms) + silence(600ms));
  one.ask();
  one.understood("question");
  one.done();
  CHECK(one.events<response_created>().size() == 1);
  CHECK(one.events<response_done>().size() == 1);
}

TEST_CASE("turns: without interrupt_response the answer runs on and the next is deferred", "[runtime][turns]") {
  auto options = vad_session();
  options.settings.detection->interrupt_response = false;
  session_driver one{options};
  one.ask();
  one.speak(4s, "A long answer.");
  one.done();
  one.fresh();
  say_turn(one, "and now");
  CHECK(one.events<response_done>().empty());
  CHECK(one.events<response_created>().empty());
  one.advance(4s);
  CHECK(one.only<response_done>().response.status == response_status::completed);
  CHECK(one.events<response_created>().size() == 1);
  // It still plays when the prompt is made; nobody interrupted it.
  CHECK(one.prompt() == "assistant: A long answer. | user: and now");
}

TEST_CASE("turns: without create_response a detected turn waits for the client", "[runtime][turns]") {
  auto options = unpaced_vad();
  options.settings.detection->create_response = false;
  session_driver one{options};
  say_turn(one, "hi");
  one.advance(5s);
  CHECK(one.events<response_created>().empty());
  one.ask();
  CHECK(one.prompt() == "user: hi");
}

TEST_CASE("C21: speech over the answer ends it once and is answered itself", "[runtime][turns][barge_in]") {
  session_driver one{vad_session()};
  one.ask();
  const auto first = one.request_made();
  one.speak(20s, "A very long answer indeed.");
  one.advance(2s);
  one.fresh();
  one.say(voice(500ms) + silence(600ms));
  const auto types = one.types();
  REQUIRE(types.size() > 7);
  // Audio goes on until the detector is sure; then the ending, nothing of the response after it.
  const auto started = std::find(types.begin(), types.end(), "input_audio_buffer.speech_started");
  REQUIRE(started != types.end());
  CHECK(strings(started, types.end()) == strings{"input_audio_buffer.speech_started", "response.output_audio.done",
                                                 "response.output_audio_transcript.done", "response.content_part.done",
                                                 "conversation.item.done", "response.output_item.done", "response.done",
                                                 "input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
                                                 "conversation.item.added", "conversation.item.done"});
  const auto end = one.only<response_done>().response;
  CHECK(end.status == response_status::cancelled);
  CHECK(end.reason == status_reason::turn_detected);
  CHECK(end.output.front().status == item_status::incomplete);
  REQUIRE(one.actions<call_cancel>().size() == 1);
  CHECK(one.actions<call_cancel>().front().response == first.id);
  one.understood("stop");
  CHECK(one.request_made().epoch > first.epoch);
  CHECK(one.heard(*one.last_turn()).size() == one.retrieve(*one.last_turn()).content.front().audio->samples.size());
}

namespace {

// One interruption at some moment of an answer; the event log does the checking.
void interrupt_at(session_driver& one, std::chrono::milliseconds moment, bool by_speech) {
  one.fresh();
  one.ask();
  const auto asked = one.request_made();
  for (auto left = moment; left > 0ms; left -= 100ms) {
    one.speak(300ms, "word ");
    one.advance(std::min(left, 100ms));
  }
  if (by_speech) {
    one.say(voice(500ms) + silence(600ms));
  } else {
    one.cancel();
  }
  const auto end = one.only<response_done>().response;
  CHECK(end.status == response_status::cancelled);
  CHECK(end.reason == (by_speech ? status_reason::turn_detected : status_reason::client_cancelled));
  one.fresh();
  one.speak(300ms, "stale", asked);
  one.done(parley::runtime::finish_reason::stop, asked);
  CHECK(one.types().empty());
  if (!by_speech) return;
  one.understood("me");
  CHECK(one.events<response_created>().size() == 1);
  one.speak(200ms, "Yes.");
  one.done();
  one.advance(1s);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

}  // namespace

TEST_CASE("C21: two hundred interruptions at random moments", "[runtime][turns][barge_in]") {
  std::mt19937 random{2021};  // fixed: a failure comes again
  std::uniform_int_distribution<int> moment{0, 3000};
  session_driver spoken_to{vad_session()}, cancelled{vad_session()};
  for (int round = 0; round < 200; ++round) {
    interrupt_at(spoken_to, std::chrono::milliseconds{moment(random)}, true);
    interrupt_at(cancelled, std::chrono::milliseconds{moment(random)}, false);
  }
}

TEST_CASE("C21: an interruption in each phase of an answer", "[runtime][turns][barge_in]") {
  session_driver one{vad_session()};
  one.ask();
  SECTION("before the first token") {}
  SECTION("between tokens") { one.speak(0ms, "Words "); }
  SECTION("during speech") { one.speak(3s, "Words "); }
  SECTION("after the last delta, before response.done") {
    one.speak(3s, "Words ");
    one.done();
  }
  SECTION("in a tool call") { one.call("call_1", "look", "{", false); }
  one.say(voice(500ms) + silence(600ms));
  CHECK(one.only<response_done>().response.reason == status_reason::turn_detected);
  one.understood("again");
  CHECK(one.events<response_created>().size() == 2);
}

TEST_CASE("C21: what is said over the end of a finished answer leaves it completed, but cut in history",
          "[runtime][turns][barge_in]") {
  auto options = vad_session();
  options.pace_ahead = 0ms;  // response.done comes long before the sound ends
  session_driver one{options};
  one.ask();
  one.speak(4s, "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd");
  one.done();
  one.advance(1s);
  one.say(voice(500ms) + silence(600ms));
  one.understood("stop");
  CHECK(one.events<response_done>().front().response.status == response_status::completed);
  CHECK(one.prompt() == "assistant: aaaaaaaaaa | user: stop");
}

TEST_CASE("C26: a cancel right behind its request leaves no delta", "[runtime][turns]") {
  session_driver one;
  one.fresh();
  one.ask();
  one.cancel();
  CHECK(one.types() == strings{"response.created", "response.done"});
  CHECK(one.only<response_done>().response.reason == status_reason::client_cancelled);
  CHECK(one.actions<call_cancel>().size() == 1);
  one.ask();
  CHECK(one.errors().empty());
}

TEST_CASE("C26: a cancel without anything to cancel is an error and changes nothing", "[runtime][turns]") {
  session_driver one;
  one.cancel();
  CHECK(one.errors() == strings{"response_cancel_not_active"});
  CHECK(one.only<error_event>().error.message.starts_with("Cancellation failed"));
  one.ask();
  one.fresh();
  one.cancel("resp_other");
  CHECK(one.errors() == strings{"response_cancel_not_active"});
  one.cancel(one.request_made().id.value);
  one.cancel();
  CHECK(one.events<response_done>().size() == 1);
  CHECK(one.errors().size() == 2);
  one.ask();
  one.done();
  one.fresh();
  one.cancel();
  CHECK(one.types() == strings{"error"});
}

TEST_CASE("C25: a second request is refused once and the first is untouched", "[runtime][turns]") {
  session_driver one;
  one.ask();
  one.send(response_create{}, "B");
  REQUIRE(one.errors() == strings{"conversation_already_has_active_response"});
  CHECK(one.only<error_event>().error.client_event_id == "B");
  static_cast<void>(one.write("meanwhile"));
  one.speak(200ms, "A.");
  one.done();
  CHECK(one.only<response_done>().response.status == response_status::completed);
  one.advance(200ms);  // it was heard
  one.ask();
  CHECK(one.errors().size() == 1);
  // The message stands where it was added, the answer's item after it.
  CHECK(one.prompt() == "user: meanwhile | assistant: A.");
}

TEST_CASE("C25: an out-of-band response runs beside and leaves the conversation alone", "[runtime][turns]") {
  auto options = manual_session();
  options.pace_ahead = 400ms;
  session_driver one{options};
  one.ask();
  const auto main = one.request_made();
  one.speak(5s, "Main.");
  one.fresh();
  one.ask({.metadata = raw_json{R"({"topic":"x"})"}, .out_of_band = true});
  const auto beside = one.request_made();
  CHECK(beside.id != main.id);
  one.speak(2s, "Beside.", beside);
  one.done(parley::runtime::finish_reason::stop, beside);
  CHECK(one.only<response_created>().response.metadata == raw_json{R"({"topic":"x"})"});
  CHECK_FALSE(one.only<response_created>().response.conversation);
  CHECK(one.audio_ms() >= 400);  // its clock is its own: it does not wait for the other's sound
  one.advance(2s);
  CHECK(one.only<response_done>().response.id == beside.id);
  CHECK(one.events<item_added>().empty());
  CHECK(one.events<item_done>().empty());
  one.done(parley::runtime::finish_reason::stop, main);
  one.advance(5s);
  one.ask();
  CHECK(one.prompt() == "assistant: Main.");
}

TEST_CASE("turns: at most four responses run out of band", "[runtime][turns]") {
  session_driver one;
  for (int count = 0; count < 4; ++count) one.ask({.out_of_band = true});
  CHECK(one.errors().empty());
  one.ask({.out_of_band = true});
  CHECK(one.errors() == strings{"too_many_responses"});
  one.cancel(one.request_made().id.value);
  one.ask({.out_of_band = true});
  CHECK(one.errors().size() == 1);
  one.cancel();  // an unnamed cancel means the conversation's response
  CHECK(one.errors().back() == "response_cancel_not_active");
}
