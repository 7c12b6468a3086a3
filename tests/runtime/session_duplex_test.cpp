// Sessions of the duplex dialect with a model-native talker: units, commits, decisions, order, what fails.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_hear_unit;
using parley::runtime::call_respond;
using parley::runtime::close_session;
using strings = std::vector<std::string>;

namespace {

auto answering_session() {
  auto options = duplex_session();
  options.settings.duplex.auto_response = true;
  return options;
}

samples words_of(std::chrono::milliseconds length) { return voice(length, 8000, duplex_hz); }
samples quiet(std::chrono::milliseconds length) { return silence(length, duplex_hz); }

void commit(session_driver& one, std::optional<bool> create, std::optional<std::string> event_id = std::nullopt) {
  one.send(input_audio_commit{.create_response = create}, std::move(event_id));
}

const strings fan_out{"input_audio_buffer.speech_stopped", "conversation.item.added", "conversation.item.created",
                      "input_audio_buffer.committed", "conversation.item.done"};

strings operator+(strings left, const strings& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const strings opened{"response.created",           "conversation.item.added",     "conversation.item.created",
                     "response.output_item.added", "response.content_part.added", "response.speak"};
const strings ended{"response.output_audio.done", "response.output_audio_transcript.done",
                    "response.content_part.done", "response.output_item.done",
                    "conversation.item.done",     "response.done",
                    "rate_limits.updated"};
const strings spoken{"response.output_audio.delta", "response.output_audio_transcript.delta"};

// A committed turn that the model answers with a second of speech.
void answered_turn(session_driver& one, std::chrono::milliseconds length = 200ms) {
  one.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  one.speaks();
  one.fresh();
  one.speak(length, "Hello there.");
}

}  // namespace

TEST_CASE("duplex: a session says twice what it is, updated first in the journal", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  CHECK(one.types() == strings{"session.created", "session.updated"});
  CHECK_FALSE(is_journaled(one.only<session_created>()));
  CHECK(is_journaled(one.only<session_updated>()));
  const auto view = one.only<session_updated>().session;
  REQUIRE(view.duplex);
  CHECK(view.duplex->turn_state == turn_state::idle);
  CHECK(view.duplex->capabilities.chunk_period_ms == 200);
}

TEST_CASE("duplex: a commit with response_create opens the answer before the decision", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.fresh();
  one.append(words_of(100ms));
  one.append(words_of(700ms));
  CHECK(one.types() == strings{"input_audio_buffer.speech_started"});
  for (int unit = 0; unit < 4; ++unit) one.listens();
  one.fresh();
  commit(one, true);
  CHECK(one.types() == fan_out + strings{"response.created"});
  const auto unit = one.actions<call_hear_unit>().back().unit;
  CHECK(unit.ends_turn);
  CHECK_FALSE(unit.force_listen);
  one.fresh();
  one.speaks();
  CHECK(one.types() == strings{});
  one.speak(100ms, "Yes.");
  one.done();
  strings rest{opened.begin() + 1, opened.end()};
  CHECK(one.types() == rest + spoken + ended);
  CHECK(one.only<response_done>().response.duplex->playback.sent_ms == 100);
  CHECK(one.only<audio_delta>().facts->end_of_turn == false);
}

TEST_CASE("C29: a listen decision on an opened answer names and ends it; without one it names none",
          "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(900ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  one.fresh();
  one.listens();
  CHECK(one.types() == strings{"response.listen", "response.done"});
  const auto listen = one.only<response_listen>();
  CHECK(listen.listened == one.only<response_done>().response.id);
  CHECK(listen.model_listen);

  one.fresh();
  one.append(words_of(300ms));
  one.listens();
  commit(one, false);
  one.listens();
  CHECK(one.events<response_created>().empty());
  CHECK_FALSE(one.events<response_listen>().back().listened);
  CHECK(one.events<response_listen>().back().model_listen);
}

TEST_CASE("duplex: a turn without sound and words is a listen, not a response", "[runtime][duplex]") {
  session_driver one{answering_session()};
  one.append(words_of(200ms));
  one.fresh();
  one.speaks();
  one.done();
  CHECK(one.types() == strings{"response.listen"});
  one.append(words_of(200ms));
  one.listens();
  CHECK(one.types() == strings{"response.listen", "response.listen"});
}

TEST_CASE("duplex: an answering session gives units without a commit and answers by the model's word",
          "[runtime][duplex]") {
  session_driver one{answering_session()};
  one.fresh();
  one.append(words_of(150ms));
  CHECK(one.actions<call_hear_unit>().empty());
  one.append(words_of(450ms));
  CHECK(one.actions<call_hear_unit>().size() == 1);  // one at a time
  one.listens();
  one.listens();
  CHECK(one.actions<call_hear_unit>().size() == 3);
  one.speaks();
  one.fresh();
  one.speak(100ms, "So.");
  CHECK(one.types() == opened + spoken);
  one.append(words_of(200ms));  // speech over it goes to the model, nothing is decided about it
  CHECK(one.events<overlap_decision>().empty());
  one.speaks();  // it goes on
  one.done();
  CHECK(one.events<response_created>().size() == 1);
  CHECK(one.events<response_speak>().size() == 1);
}

TEST_CASE("duplex: a commit waits for the unit before it; appends that failed take it along", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(200ms));
  one.fresh();
  commit(one, true, "c1");
  CHECK(one.errors() == strings{});
  CHECK(one.types() == strings{});
  one.listens();
  CHECK(one.types().front() == "response.listen");
  CHECK(one.events<input_committed>().size() == 1);

  session_driver failing{duplex_session()};
  failing.append_text(base64(words_of(200ms)), "a1");
  commit(failing, true, "c1");
  failing.update({.instructions = "Other."});
  failing.append(words_of(200ms));
  failing.fresh();
  failing.unit_fails();
  CHECK(failing.errors() == strings{"engine_error", "commit_aborted", "session_update_aborted"});
  CHECK(failing.events<error_event>()[1].error.client_event_id == "c1");
  failing.fresh();
  failing.append(words_of(200ms));
  CHECK(failing.actions<call_hear_unit>().size() == 1);  // afresh
}

TEST_CASE("duplex: an update behind a failed append changes nothing, once", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(200ms));
  one.unit_fails();
  one.fresh();
  one.update({.instructions = "Other."});
  CHECK(one.errors() == strings{"session_update_aborted"});
  one.fresh();
  one.update({.instructions = "Other."});
  CHECK(one.types() == strings{"session.updated"});
}

TEST_CASE("statement 97: the append that an opened answer waits for fails", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(900ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  one.fresh();
  one.unit_fails();
  const auto done = one.only<response_done>().response;
  CHECK(done.status == response_status::failed);
  CHECK(done.failure->code == errc::runtime_append_failed);
}

TEST_CASE("duplex: a unit without a decision fails when its time is over", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(200ms));
  one.fresh();
  one.advance(29s);
  CHECK(one.errors() == strings{});
  one.advance(1s);
  CHECK(one.errors() == strings{"engine_error"});
  one.listens();  // too late
  CHECK(one.events<response_listen>().empty());
}

TEST_CASE("statement 57: input beyond the limit is refused before anything changed", "[runtime][duplex]") {
  auto options = duplex_session();
  options.limits.pending_input_bytes = 32'000;  // one second
  session_driver one{options};
  one.append(words_of(200ms));
  one.append(words_of(900ms));
  one.fresh();
  one.append_text(base64(words_of(200ms)), "full");
  CHECK(one.errors() == strings{"input_backpressure"});
  CHECK(one.only<error_event>().error.client_event_id == "full");
  one.listens();
  CHECK(one.actions<call_hear_unit>().size() == 1);
}

TEST_CASE("statement 74: no more pending commits than the limit", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(200ms));
  one.fresh();
  for (int count = 0; count < 4; ++count) commit(one, false);
  CHECK(one.errors() == strings{});
  commit(one, false, "fifth");
  CHECK(one.errors() == strings{"input_backpressure"});
}

TEST_CASE("statement 98: a lost engine is an error, the failed ending, the end of the session", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  answered_turn(one);
  one.fresh();
  one.output(parley::runtime::model_closed{"The engine is gone."});
  CHECK(one.types().front() == "error");
  CHECK(one.errors() == strings{"runtime_data_plane_stream_failed"});
  CHECK(one.only<response_done>().response.status == response_status::failed);
  const auto end = one.actions<close_session>().front();
  REQUIRE(end.last);
  CHECK(end.last->type == "session.closed");
}

TEST_CASE("statement 119: without a detector it is said once and the session goes on", "[runtime][duplex]") {
  auto options = duplex_session();
  options.settings.detection = turn_detection{};
  options.make_detector = {};
  session_driver one{options};
  one.fresh();
  one.append(words_of(100ms));
  one.append(words_of(100ms));
  CHECK(one.errors() == strings{"server_vad_unavailable"});
  CHECK(one.events<speech_started>().size() == 1);
}

TEST_CASE("C24: over an answer, by policy: heard, dropped, cut in", "[runtime][duplex]") {
  for (const auto policy : {overlap_policy::listen_only, overlap_policy::by_length}) {
    auto options = duplex_session();
    options.settings.duplex.overlap = policy;
    session_driver one{options};
    answered_turn(one, 10s);
    one.fresh();
    one.append(words_of(300ms));
    CHECK(one.only<overlap_decision>().action == overlap_action::listen);
    CHECK(one.only<overlap_decision>().defer_runtime_append);
    CHECK(one.actions<call_hear_unit>().empty());
    commit(one, true);  // a word of the listener: no turn
    const auto committed = one.only<input_committed>().facts;
    CHECK(committed->overlap_ack);
    CHECK_FALSE(committed->is_speech);
    CHECK(one.events<item_added>().empty());
    one.fresh();
    for (int piece = 0; piece < 4; ++piece) one.append(words_of(500ms));
    const bool cut = policy == overlap_policy::by_length;
    CHECK((one.events<response_done>().size() == 1) == cut);
    if (cut) CHECK(one.only<response_done>().response.reason == status_reason::barge_in);
  }
}

TEST_CASE("duplex: a longer word over an answer waits for its end and is answered then", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  answered_turn(one, 400ms);
  one.append(words_of(900ms));
  one.fresh();
  commit(one, true);
  CHECK(one.only<input_committed>().facts->overlap_deferred);
  CHECK(one.only<input_committed>().facts->response_create_deferred);
  CHECK(one.actions<call_hear_unit>().empty());
  one.done();
  CHECK(one.events<response_done>().size() == 1);
  REQUIRE(one.actions<call_hear_unit>().size() == 1);
  for (int unit = 0; unit < 4; ++unit) one.listens();
  one.fresh();
  one.speaks();
  one.speak(100ms, "Now you.");
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("duplex: a barge-in ends the answer, drops the input and raises the epoch", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  answered_turn(one, 10s);
  one.append(words_of(900ms));
  one.fresh();
  one.send(barge_in{});
  const auto done = one.only<response_done>().response;
  CHECK(done.reason == status_reason::barge_in);
  CHECK(done.duplex->epoch.value == 1);
  CHECK(done.duplex->cancelled_epoch->value == 0);
  CHECK(one.only<item_done>().value.content.front().transcript == "");  // nothing was acknowledged
  commit(one, true);
  CHECK(one.errors() == strings{"input_audio_buffer_empty"});
  one.fresh();
  one.send(barge_in{});
  CHECK(one.types() == strings{"input_audio_buffer.cleared"});
  one.send(turn_signal{"thinking"});
  CHECK(one.only<turn_event>().epoch.value == 2);
}

TEST_CASE("duplex: what the model says after its answer was cut is nobody's", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  answered_turn(one, 10s);
  one.cancel();
  one.fresh();
  one.speak(200ms, "More.");
  one.done();
  CHECK(one.types() == strings{});
  one.cancel();
  CHECK(one.errors() == strings{"response_not_active"});
}

TEST_CASE("duplex: a clear forgets the turn, not what came before or comes after", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(100ms));
  one.send(input_audio_clear{});
  one.fresh();
  commit(one, true);
  CHECK(one.errors() == strings{"input_audio_buffer_empty"});
  one.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("duplex: a turn-based model answers commits, and its blank turn is a listen", "[runtime][duplex]") {
  auto options = duplex_session();
  options.capabilities.native = false;
  options.capabilities.takes_video = false;
  session_driver one{options};
  one.append(words_of(900ms));
  one.fresh();
  commit(one, true);
  CHECK(one.types() == fan_out + strings{"response.created"});
  CHECK(one.heard(*one.last_turn()) == words_of(900ms));
  one.understood("What time is it?");
  CHECK(one.prompt() == "user: What time is it?");
  one.speak(200ms, "Noon.");
  one.done();
  CHECK(one.only<response_done>().response.status == response_status::completed);
  one.fresh();
  one.append(words_of(900ms));
  commit(one, true);
  one.blank();
  CHECK(one.only<response_listen>().listened == one.only<response_done>().response.id);
}

TEST_CASE("duplex: a turn-based model in an answering session, by the turn detector", "[runtime][duplex]") {
  auto options = answering_session();
  options.capabilities.native = false;
  session_driver one{options};
  one.fresh();
  one.append(quiet(1000ms));
  CHECK(one.types() == strings{"response.listen"});
  one.append(words_of(600ms));
  one.append(quiet(600ms));
  CHECK(one.events<input_committed>().size() == 1);
  one.understood("Hello?");
  one.fresh();
  one.speak(100ms, "Yes.");
  one.done();
  CHECK(one.events<response_done>().size() == 1);
}

TEST_CASE("duplex: the detector's utterance is one item from started to committed", "[runtime][duplex]") {
  auto options = duplex_session();
  options.settings.detection = turn_detection{};
  options.settings.duplex.overlap = overlap_policy::barge_in_on_speech;
  session_driver one{options};
  one.append(quiet(400ms));
  one.fresh();
  one.append(words_of(600ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  one.append(quiet(600ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  const auto item = one.only<speech_started>().item;
  CHECK(one.only<speech_started>().audio_start_ms == 100);
  CHECK(one.only<speech_stopped>().item == item);
  CHECK(one.only<input_committed>().item == item);
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("duplex: the lease runs out when nothing goes on, never under work", "[runtime][duplex]") {
  auto options = duplex_session();
  options.settings.duplex.idle_timeout_s = 10;
  options.reaper_period = 1s;
  session_driver one{options};
  one.advance(9s);
  one.send(session_heartbeat{});
  one.advance(9s);
  CHECK_FALSE(one.closed());
  one.append(words_of(200ms));  // the model is deciding
  one.advance(20s);
  CHECK_FALSE(one.closed());
  one.listens();
  one.advance(9s);
  CHECK_FALSE(one.closed());
  one.fresh();
  one.advance(2s);
  REQUIRE(one.closed());
  const auto end = one.actions<close_session>().front();
  CHECK(end.last->type == "session.expired");
  CHECK(end.last->reason == "idle_ttl_expired");
}

TEST_CASE("C45: grace is grace, whatever is acknowledged elsewhere", "[runtime][duplex]") {
  auto options = duplex_session();
  options.disconnect_grace = 2s;
  options.settings.duplex.idle_timeout_s.reset();
  session_driver one{options};
  one.detach();
  one.advance(1s);
  CHECK(one.attach());
  one.advance(10s);
  CHECK_FALSE(one.closed());
  one.detach();
  one.advance(3s);  // the reaper has not looked yet
  one.fresh();
  CHECK_FALSE(one.attach());
  CHECK(one.closed());
  CHECK(one.actions<close_session>().front().last->reason == "disconnect_grace_expired");

  session_driver forgotten{options};
  forgotten.detach();
  forgotten.advance(7s);
  CHECK(forgotten.closed());
}

TEST_CASE("duplex: a native model in the openai dialect hears all, speaks by itself and when asked",
          "[runtime][duplex]") {
  auto options = manual_session();
  options.capabilities.native = true;
  options.capabilities.chunk_period = 200ms;
  session_driver one{options};
  one.append(voice(200ms));
  REQUIRE(one.actions<call_hear_unit>().size() == 1);
  one.fresh();
  one.listens();
  CHECK(one.types() == strings{});
  one.append(voice(200ms));
  one.speaks();
  one.speak(100ms, "By myself.");
  one.done();
  CHECK(one.events<response_done>().size() == 1);
  one.fresh();
  one.ask();
  one.speak(100ms, "As you wish.");
  one.done();
  CHECK(one.events<response_done>().size() == 1);
  CHECK(one.events<error_event>().empty());
}
