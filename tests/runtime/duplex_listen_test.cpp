// What a commit comes to where no answer follows it, in sessions of the duplex dialect: the listen that clients wait
// for, the items that are told of, and answers that the limits forbid.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_hear_unit;
using parley::runtime::call_respond;
using strings = std::vector<std::string>;

namespace {

auto answering_session() {
  auto options = duplex_session();
  options.settings.duplex.auto_response = true;
  return options;
}

samples words_of(std::chrono::milliseconds length) { return voice(length, 8000, duplex_hz); }

void commit(session_driver& one, std::optional<bool> create, std::optional<bool> is_speech = std::nullopt) {
  one.send(input_audio_commit{.create_response = create, .is_speech = is_speech});
}

// The answer is over: the model says that it listens again.
void ends_answer(session_driver& one) {
  one.done();
  one.output(parley::runtime::model_listen{});
}

std::size_t position(const strings& types, const std::string& wanted) {
  return static_cast<std::size_t>(std::find(types.begin(), types.end(), wanted) - types.begin());
}

std::size_t listens_told(const session_driver& one) {
  const auto all = one.events<response_listen>();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto& each) { return each.model_listen && !each.buffering && !each.listened; }));
}

}  // namespace

// ---- F20 ----------------------------------------------------------------------------------------------------------

TEST_CASE("F20: a commit over an answer that goes on is followed by a listen when the answer is over",
          "[runtime][duplex]") {
  session_driver one{answering_session()};
  one.append(words_of(200ms));
  one.speaks();
  one.speak(400ms, "So it is.");
  one.append(words_of(300ms));  // over the answer, which nobody asked to stop
  one.speaks();                 // it goes on
  one.fresh();
  commit(one, std::nullopt);
  CHECK(one.events<input_committed>().size() == 1);
  one.speaks();  // the unit of the commit: likewise
  CHECK(listens_told(one) == 0);
  ends_answer(one);
  CHECK(listens_told(one) == 1);
  const strings types = one.types();
  CHECK(position(types, "response.done") < position(types, "response.listen"));
  CHECK(position(types, "input_audio_buffer.committed") < position(types, "response.listen"));
}

TEST_CASE("F20: also where the model decided to listen, and where the answer is cut off", "[runtime][duplex]") {
  for (const bool cut : {false, true}) {
    session_driver one{answering_session()};
    one.append(words_of(200ms));
    one.speaks();
    one.speak(10s, "A long story.");
    one.append(words_of(100ms));
    commit(one, std::nullopt);
    one.fresh();
    one.listens();
    CHECK(listens_told(one) == 0);
    if (cut) {
      one.cancel();
    } else {
      one.done();
    }
    CHECK(listens_told(one) == 1);
    CHECK(one.types().back() == "response.listen");
  }
}

TEST_CASE("F20: a model that listens again when its answer is over is told, once, behind response.done",
          "[runtime][duplex]") {
  for (const auto pace : {0ms, 400ms}) {
    auto options = answering_session();
    options.pace_ahead = pace;
    session_driver one{options};
    one.append(words_of(200ms));
    one.speaks();
    one.fresh();
    one.speak(2s, "Two seconds.");
    ends_answer(one);
    one.advance(3s);
    CHECK(one.events<response_done>().size() == 1);
    CHECK(listens_told(one) == 1);
    CHECK(one.types().back() == "response.listen");
    one.output(parley::runtime::model_listen{});
    CHECK(listens_told(one) == 1);
  }
}

TEST_CASE("F20: a turn without sound and words is one listen, whatever follows", "[runtime][duplex]") {
  session_driver one{answering_session()};
  one.append(words_of(200ms));
  one.fresh();
  one.speaks();
  ends_answer(one);
  CHECK(one.types() == strings{"response.listen"});
}

TEST_CASE("F20: a session that answers when asked needs no word about it", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  one.speaks();
  one.fresh();
  one.speak(200ms, "Yes.");
  ends_answer(one);
  CHECK(one.events<response_done>().size() == 1);
  CHECK(listens_told(one) == 0);
}

TEST_CASE("F20: an acknowledgement stays unanswered: a listen follows the answer it was said over",
          "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  one.speaks();
  one.speak(400ms, "Well then.");
  one.append(words_of(300ms));
  one.fresh();
  commit(one, true);
  CHECK(one.only<input_committed>().facts->overlap_ack);
  one.done();
  CHECK(listens_told(one) == 1);
  CHECK(one.types().back() == "response.listen");
}

TEST_CASE("F20: a barge-in takes back what was to be listened to", "[runtime][duplex]") {
  session_driver one{answering_session()};
  one.append(words_of(200ms));
  one.speaks();
  one.speak(10s, "A long story.");
  one.append(words_of(100ms));
  commit(one, std::nullopt);
  one.speaks();
  one.fresh();
  one.send(barge_in{});
  CHECK(one.events<response_done>().size() == 1);
  CHECK(listens_told(one) == 0);
}

// ---- F19 ----------------------------------------------------------------------------------------------------------

TEST_CASE("F19: declared silence and acknowledgements name no item, for none is told", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(100ms));
  one.fresh();
  commit(one, std::nullopt, false);
  CHECK(one.only<input_committed>().item.empty());
  CHECK(one.only<speech_stopped>().item == one.only<speech_stopped>().item);
  CHECK(one.events<item_added>().empty());
  CHECK(one.events<item_done>().empty());

  session_driver over{duplex_session()};
  over.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) over.listens();
  commit(over, true);
  over.speaks();
  over.speak(1s, "Well.");
  over.append(words_of(300ms));
  over.fresh();
  commit(over, true);
  CHECK(over.only<input_committed>().facts->overlap_ack);
  CHECK(over.only<input_committed>().item.empty());
  CHECK(over.events<item_added>().empty());
}

// ---- F35 ----------------------------------------------------------------------------------------------------------

namespace {

void check_refused(const session_driver& one) {
  const auto done = one.only<response_done>().response;
  CHECK(done.status == response_status::failed);
  REQUIRE(done.failure);
  CHECK(done.failure->code == errc::rate_limit_exceeded);
  CHECK(one.only<response_created>().response.id == done.id);
  CHECK(one.actions<call_respond>().empty());
}

}  // namespace

TEST_CASE("F35: an answer that a native model begins by itself counts, and is refused beyond the limit",
          "[runtime][duplex]") {
  auto options = answering_session();
  options.limits.responses_per_minute = 1;
  session_driver one{options};
  one.append(words_of(200ms));
  one.speaks();
  one.speak(200ms, "One.");
  one.done();
  CHECK(one.only<response_done>().response.status == response_status::completed);
  one.fresh();
  one.append(words_of(200ms));
  one.speaks();
  check_refused(one);
  one.fresh();
  one.output(parley::runtime::model_speak{});  // of no unit
  check_refused(one);
  one.advance(60s);
  one.fresh();
  one.output(parley::runtime::model_speak{});
  CHECK(one.actions<call_respond>().size() == 1);
}

TEST_CASE("F35: so does one that a commit opens before the decision", "[runtime][duplex]") {
  auto options = duplex_session();
  options.limits.responses_per_minute = 1;
  session_driver one{options};
  for (const bool admitted : {true, false}) {
    one.append(words_of(800ms));
    for (int unit = 0; unit < 4; ++unit) one.listens();
    one.fresh();
    commit(one, true);
    CHECK(one.events<response_created>().size() == 1);
    if (!admitted) check_refused(one);
    one.speaks();
    CHECK(one.actions<call_respond>().size() == (admitted ? 1 : 0));
    if (!admitted) continue;
    one.speak(200ms, "One.");
    one.done();
  }
  CHECK(one.events<response_created>().size() == 1);  // the decision opens no other
}

TEST_CASE("F35: so does the answer of a turn-based model to a commit", "[runtime][duplex]") {
  auto options = duplex_session();
  options.capabilities.native = false;
  options.limits.responses_per_minute = 1;
  session_driver one{options};
  for (const bool admitted : {true, false}) {
    one.append(words_of(900ms));
    one.fresh();
    commit(one, true);
    one.understood("And now?");
    if (!admitted) return check_refused(one);
    one.speak(200ms, "One.");
    one.done();
  }
}

TEST_CASE("F35: in the openai dialect a native model's own answers count, too", "[runtime]") {
  auto options = manual_session();
  options.capabilities.native = true;
  options.capabilities.chunk_period = 200ms;
  options.limits.responses_per_minute = 1;
  session_driver one{options};
  one.append(voice(200ms));
  one.speaks();
  one.speak(100ms, "One.");
  one.done();
  one.fresh();
  one.append(voice(200ms));
  one.speaks();
  check_refused(one);
}
