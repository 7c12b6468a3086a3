// Pauses: how long one must last to end a turn, what silence for too long does, and a turn that nobody understood.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

namespace parley::tests {
namespace {

using namespace protocol;
using runtime::call_end_turn;
using runtime::call_hear;
using runtime::call_respond;
using runtime::turn_partial;

session_driver& with_semantic_vad(session_driver& one, eagerness eager) {
  one.update({.detection = turn_detection_patch{.type = turn_detection_type::semantic_vad, .eager = eager}});
  return one;
}

item_id speaking_turn(session_driver& one) { return one.only<speech_started>().item; }

TEST_CASE("semantic_vad: a finished thought ends the turn soon, an open one is waited for", "[runtime][turns]") {
  session_driver one{vad_session()};
  with_semantic_vad(one, eagerness::high).say(voice(500ms));
  one.output(turn_partial{speaking_turn(one), "order a pizza"});
  one.output(turn_partial{speaking_turn(one), " and"});
  one.say(silence(1500ms));
  CHECK(one.events<speech_stopped>().empty());
  one.say(voice(300ms));
  one.output(turn_partial{speaking_turn(one), " a salad"});
  one.say(silence(400ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("semantic_vad: the longest pause ends even an open thought", "[runtime][turns]") {
  session_driver one{vad_session()};
  with_semantic_vad(one, eagerness::high).say(voice(500ms));
  one.output(turn_partial{speaking_turn(one), "and"});
  one.say(silence(1900ms));
  CHECK(one.events<speech_stopped>().empty());
  one.say(silence(200ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("semantic_vad: the words of one turn say nothing about the next", "[runtime][turns]") {
  session_driver one{vad_session()};
  with_semantic_vad(one, eagerness::high).say(voice(500ms));
  one.output(turn_partial{speaking_turn(one), "and"});
  one.say(silence(2100ms));
  one.understood("and");
  one.answer(100ms);
  one.fresh();
  one.say(voice(500ms) + silence(400ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("semantic_vad: words do not change server_vad", "[runtime][turns]") {
  session_driver one{vad_session()};
  one.say(voice(500ms));
  one.output(turn_partial{speaking_turn(one), "and"});
  one.say(silence(520ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("transcription: words known before the turn ended are told once it is an item", "[runtime][turns]") {
  auto options = vad_session();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  one.say(voice(500ms));
  one.output(turn_partial{speaking_turn(one), "good"});
  one.output(turn_partial{speaking_turn(one), " morning"});
  CHECK(one.events<transcription_delta>().empty());
  one.say(silence(520ms));
  CHECK(one.only<transcription_delta>().delta == "good morning");
  one.output(turn_partial{*one.last_turn(), " all"});
  CHECK(one.events<transcription_delta>().size() == 2);
  one.understood("good morning all");
  CHECK(one.only<transcription_completed>().transcript == "good morning all");
}

// ---- idle_timeout_ms --------------------------------------------------------------------------------------------

runtime::session_options with_idle_timeout() {
  auto options = vad_session();
  options.settings.detection->idle_timeout = 5000ms;
  return options;
}

void first_answer(session_driver& one) {
  one.say(voice(500ms) + silence(600ms));
  one.understood("hello");
  one.answer(1000ms);
  one.fresh();
}

TEST_CASE("idle timeout: silence behind an answer becomes a turn and is answered", "[runtime][turns]") {
  session_driver one{with_idle_timeout()};
  first_answer(one);
  one.say(silence(4800ms));
  CHECK(one.events<timeout_triggered>().empty());
  one.say(silence(1500ms));
  const auto timeout = one.only<timeout_triggered>();
  CHECK(timeout.audio_end_ms - timeout.audio_start_ms >= 4900);
  CHECK(timeout.audio_end_ms - timeout.audio_start_ms <= 5100);
  CHECK(one.only<input_committed>().item == timeout.item);
  CHECK(one.only<item_done>().value.id == timeout.item);
  CHECK(one.events<speech_started>().empty());
  one.blank();
  CHECK(one.events<response_created>().size() == 1);
  CHECK(one.actions<call_respond>().size() == 1);
}

TEST_CASE("idle timeout: it works with a client that sends nothing", "[runtime][turns]") {
  session_driver one{with_idle_timeout()};
  first_answer(one);
  one.advance(7000ms);
  const auto timeout = one.only<timeout_triggered>();
  CHECK(timeout.audio_end_ms - timeout.audio_start_ms == 100);  // all that came behind the turn before
  one.blank();
  one.answer(500ms, "Are you there?");
  one.fresh();
  one.advance(7000ms);  // and again behind that answer
  CHECK(one.events<timeout_triggered>().size() == 1);
}

TEST_CASE("idle timeout: speech, a turn, no answer yet and semantic_vad keep it away", "[runtime][turns]") {
  session_driver one{with_idle_timeout()};
  one.advance(20'000ms);
  CHECK(one.events<timeout_triggered>().empty());  // nothing was answered yet
  first_answer(one);
  SECTION("speech") {
    one.say(silence(4000ms) + voice(3000ms));
    CHECK(one.events<timeout_triggered>().empty());
  }
  SECTION("another kind of detection") {
    with_semantic_vad(one, eagerness::high);
    one.advance(20'000ms);
    CHECK(one.events<timeout_triggered>().empty());
  }
  SECTION("nobody is to be answered") {
    one.update({.detection = turn_detection_patch{.create_response = false}});
    one.advance(20'000ms);
    CHECK(one.events<timeout_triggered>().empty());
  }
  SECTION("switched off") {
    one.update({.detection = turn_detection_patch{.idle_timeout = std::optional<std::chrono::milliseconds>{}}});
    one.advance(20'000ms);
    CHECK(one.events<timeout_triggered>().empty());
  }
}

// ---- not understood ---------------------------------------------------------------------------------------------

TEST_CASE("C17: a blank turn that cut an answer off is answered: silence would leave both waiting",
          "[runtime][turns]") {
  session_driver one{vad_session()};
  one.ask();
  one.speak(5000ms, "A long story.");
  one.say(voice(500ms) + silence(600ms));
  CHECK(one.only<response_done>().response.reason == status_reason::turn_detected);
  one.fresh();
  one.blank();
  CHECK(one.events<response_created>().size() == 1);
  one.answer(500ms, "Sorry?");
  one.fresh();
  one.say(silence(1000ms) + voice(500ms) + silence(600ms));  // nothing was cut off by this one
  one.blank();
  CHECK(one.events<response_created>().empty());
}

TEST_CASE("C17: a failed recognition is never answered, whatever it cut off", "[runtime][turns]") {
  session_driver one{vad_session()};
  one.ask();
  one.speak(5000ms, "A long story.");
  one.say(voice(500ms) + silence(600ms));
  one.fresh();
  one.output(runtime::turn_failed{*one.last_turn(), "The recogniser is gone."});
  CHECK(one.events<response_created>().empty());
}

}  // namespace
}  // namespace parley::tests
