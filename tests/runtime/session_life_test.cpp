// A session from start to close: settings, limits, overflow, drain, and that the same input gives the same output.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_cancel;
using parley::runtime::call_respond;
using parley::runtime::close_reason;
using parley::runtime::close_session;
using parley::runtime::invalidate;
using strings = std::vector<std::string>;

namespace {

close_reason reason_of(const session_driver& one) {
  REQUIRE(one.actions<close_session>().size() == 1);
  return one.actions<close_session>().front().reason;
}

auto paced() {
  auto options = manual_session();
  options.pace_ahead = 400ms;
  return options;
}

}  // namespace

TEST_CASE("C1: every update is answered once, with the whole session", "[runtime][life]") {
  session_driver one;
  CHECK(one.types() == strings{"session.created"});
  one.fresh();
  one.send(session_update{{.instructions = "Be brief."}}, "u1");
  one.update({});
  for (const char* words : {"a", "b", "c"}) one.update({.instructions = words});
  CHECK(one.types() == strings(5, "session.updated"));
  const auto shown = one.events<session_updated>();
  CHECK(shown[0].session.settings->instructions == "Be brief.");
  CHECK(*shown[1].session.settings == *shown[0].session.settings);
  CHECK(shown[1].session.settings->voice == "default");
  CHECK(shown[4].session.settings->instructions == "c");
}

TEST_CASE("C5: accepted settings take effect on the next turn, refused ones not at all", "[runtime][life]") {
  session_driver one;
  one.update({.instructions = "Be brief.",
              .voice = "other",
              .modality = output_modality::text,
              .max_output_tokens = std::optional{7},
              .speed = 1.25,
              .tools = std::vector{tool{"look", {"{}"}}}});
  one.update({.instructions = "Never.", .choice = tool_choice{tool_choice_mode::function, "nope"}});
  one.update({.model = "another", .instructions = "Never."});
  CHECK(one.errors() == strings{"invalid_value", "invalid_value"});
  CHECK(one.events<error_event>().back().error.param == "session.model");
  CHECK(one.events<session_updated>().size() == 1);
  one.ask();
  const auto asked = one.request_made();
  CHECK(asked.instructions == "Be brief.");
  CHECK(asked.voice == "other");
  CHECK(asked.modality == output_modality::text);
  CHECK(asked.max_output_tokens == 7);
  CHECK(asked.speed == 1.25);
  REQUIRE(asked.tools.size() == 1);
  CHECK(asked.tools.front().name == "look");
}

TEST_CASE("C38: the voice is settled once something was spoken", "[runtime][life]") {
  session_driver one;
  one.update({.voice = "b"});
  one.answer(300ms);
  CHECK(one.request_made().voice == "b");
  one.fresh();
  one.update({.instructions = "new", .voice = "b"});
  CHECK(one.types() == strings{"session.updated"});
  one.send(session_update{{.instructions = "newer", .voice = "c"}}, "v");
  CHECK(one.errors() == strings{"cannot_update_voice"});
  CHECK(one.only<error_event>().error.client_event_id == "v");
  one.ask();
  CHECK(one.request_made().voice == "b");
  CHECK(one.request_made().instructions == "new");
}

TEST_CASE("C46: two sessions share no id", "[runtime][life]") {
  std::set<std::string> ids;
  std::size_t made = 0;
  for (std::uint64_t seed : {1, 2}) {
    auto options = manual_session();
    options.id_seed = seed;
    session_driver one{options};
    const auto item = one.write("hi");
    one.answer(300ms);
    CHECK(one.request_made().prompt.size() == 1);
    for (const auto& sent : one.actions<parley::runtime::emit>()) ids.insert(sent.event.id.value), ++made;
    ids.insert(item.value);
    ids.insert(one.request_made().id.value);
    made += 2;
  }
  CHECK(ids.size() == made);
}

TEST_CASE("C78: the time limit ends what runs, tells why and closes", "[runtime][life]") {
  auto options = paced();
  options.max_duration = 5s;
  options.started_unix_s = 1'000'000;
  session_driver one{options};
  CHECK(one.only<session_created>().session.expires_at == 1'000'005);
  one.ask();
  one.ask({.out_of_band = true});
  one.speak(20s, "Long.");
  one.advance(4900ms);
  one.update({});
  CHECK_FALSE(one.closed());
  one.fresh();
  one.advance(10s);
  const auto types = one.types();
  CHECK(one.events<response_done>().size() == 2);
  CHECK(types.back() == "error");
  CHECK(one.errors() == strings{"session_expired"});
  CHECK(reason_of(one) == close_reason::session_expired);
  CHECK_FALSE(one.due());
}

TEST_CASE("C78: without a limit nothing is shown and nothing ends", "[runtime][life]") {
  session_driver one;
  CHECK_FALSE(one.only<session_created>().session.expires_at);
  CHECK_FALSE(one.due());
}

TEST_CASE("life: a flood of bad messages ends in 1008, a trickle does not", "[runtime][life]") {
  session_driver one;
  for (int minute = 0; minute < 5; ++minute) {
    for (int count = 0; count < 99; ++count) one.bad_message();
    one.advance(61s);
  }
  CHECK_FALSE(one.closed());
  one.ask();
  for (int count = 0; count < 100; ++count) one.bad_message();
  CHECK(one.errors().back() == "too_many_bad_messages");
  CHECK(one.events<response_done>().size() == 1);
  CHECK(reason_of(one) == close_reason::policy_violation);
}

TEST_CASE("life: overflow closes only this session by default", "[runtime][life][overflow]") {
  session_driver one{paced()};
  one.ask();
  one.speak(3s, "Too much.");
  one.fresh();
  one.overflow(one.request_made().id);
  CHECK(one.only<response_done>().response.status == response_status::failed);
  CHECK(one.errors() == strings{"output_backpressure"});
  CHECK(one.only<error_event>().error.kind == error_class::rate_limit_error);
  CHECK(reason_of(one) == close_reason::output_backpressure);
}

TEST_CASE("life: overflow fails the response alone when it is told to", "[runtime][life][overflow]") {
  auto options = paced();
  options.fail_response_on_overflow = true;
  session_driver one{options};
  one.ask();
  const auto first = one.request_made();
  one.speak(3s, "Too much.");
  one.fresh();
  one.overflow(first.id);
  CHECK(one.only<response_done>().response.failure->code == errc::output_backpressure);
  REQUIRE(one.actions<invalidate>().size() == 1);
  CHECK(one.actions<invalidate>().front().response == first.id);
  CHECK(one.actions<call_cancel>().size() == 1);
  one.fresh();
  one.overflow(first.id);  // F2: its end was told already, and the client learns that something is missing
  CHECK(one.errors() == strings{"output_backpressure"});
  CHECK_FALSE(one.closed());
  one.fresh();
  one.answer(300ms);
  CHECK(one.events<response_done>().size() == 1);
  one.overflow(std::nullopt);  // of no response: the session, whatever the policy
  CHECK(reason_of(one) == close_reason::output_backpressure);
}

TEST_CASE("life: a drain lets answers end, begins none and closes", "[runtime][life][drain]") {
  session_driver one{paced()};
  one.ask();
  one.speak(2s, "To the end.");
  one.drain();
  CHECK_FALSE(one.closed());
  one.ask({.out_of_band = true});
  CHECK(one.errors() == strings{"server_shutdown"});
  one.done();
  one.advance(2s);
  CHECK(one.only<response_done>().response.status == response_status::completed);
  CHECK(reason_of(one) == close_reason::shutdown);
}

TEST_CASE("life: a drained session closes behind the turn that was being spoken", "[runtime][life][drain]") {
  session_driver one{vad_session()};
  one.say(voice(300ms));
  one.drain();
  one.say(voice(300ms) + silence(600ms));
  CHECK_FALSE(one.closed());
  one.understood("hello");
  CHECK(one.actions<call_respond>().empty());
  CHECK(reason_of(one) == close_reason::shutdown);
}

TEST_CASE("life: an idle session is drained at once", "[runtime][life][drain]") {
  session_driver one;
  one.drain();
  CHECK(reason_of(one) == close_reason::shutdown);
}

TEST_CASE("life: closing ends all responses, cancels their work and nothing follows", "[runtime][life]") {
  session_driver one;
  one.ask();
  one.ask({.out_of_band = true});
  one.close(close_reason::disconnect);
  CHECK(one.actions<call_cancel>().size() == 2);
  CHECK(one.events<response_done>().back().response.reason == status_reason::session_closed);
  one.fresh();
  one.speak(300ms);
  one.update({});
  one.bad_message();
  one.close(close_reason::client_close);
  one.overflow(std::nullopt);
  one.drain();
  one.advance(1s);
  CHECK(one.print().empty());
}

TEST_CASE("life: a model that is lost for good ends the session with an error", "[runtime][life]") {
  session_driver one;
  one.ask();
  one.output(parley::runtime::model_closed{"The model is gone."});
  CHECK(one.only<response_done>().response.status == response_status::failed);
  CHECK(one.errors() == strings{"model_failed"});
  CHECK(reason_of(one) == close_reason::model_lost);
}

namespace {

strings random_conversation(unsigned seed) {
  auto options = vad_session();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  std::mt19937 random{seed};
  const auto ms = [&](int most) {
    return std::chrono::milliseconds{static_cast<int>(random() % static_cast<unsigned>(most))};
  };
  one.ask();
  for (int step = 0; step < 300; ++step) {
    switch (random() % 14) {
      case 0:
        one.say(voice(ms(900)));
        break;
      case 1:
        one.say(silence(ms(900)));
        break;
      case 2:
        one.ask();
        break;
      case 3:
        one.cancel();
        break;
      case 4:
        one.speak(ms(3000), "some words ");
        break;
      case 5:
        one.done();
        break;
      case 6:
        one.advance(ms(4000));
        break;
      case 7:
        if (one.last_turn()) one.understood("words");
        break;
      case 8:
        if (one.last_turn()) one.blank();
        break;
      case 9:
        one.commit();
        break;
      case 10:
        one.send(input_audio_clear{});
        break;
      case 11:
        one.call("call_" + std::to_string(step), "look", "{}", random() % 2 == 0);
        break;
      case 12:
        static_cast<void>(one.write("typed"));
        break;
      default:
        one.ask({.out_of_band = true});
        break;
    }
  }
  one.close(close_reason::client_close);
  return one.print();
}

}  // namespace

TEST_CASE("life: the same input gives the same actions, and any input a sound log", "[runtime][life]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto first = random_conversation(seed);
    CHECK(first.size() > 100);
    CHECK((first == random_conversation(seed)));
  }
}
