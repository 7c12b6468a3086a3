// What was heard of an answer in the duplex dialect: acknowledgements early, late, again, of the wrong thing.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using strings = std::vector<std::string>;

namespace {

constexpr const char* said = "One two three four five six.";

void commit_turn(session_driver& one) {
  one.append(voice(900ms, 8000, duplex_hz));
  one.send(input_audio_commit{});
  one.understood("Go on.");
}

auto turn_based() {
  auto options = duplex_session();
  options.capabilities.native = false;
  return options;
}

// 2400 ms, finished; its id.
response_id answer(session_driver& one) {
  commit_turn(one);
  one.ask();
  one.speak(2400ms, said);
  one.done();
  const auto id = one.events<response_done>().back().response.id;
  one.fresh();
  return id;
}

void acknowledge(session_driver& one, std::optional<response_id> response, std::int64_t ms, bool truncate = false) {
  one.send(playback_ack{.response = std::move(response), .played_ms = ms, .truncate = truncate});
}

// What the next prompt holds.
std::string history(session_driver& one) {
  commit_turn(one);
  one.ask();
  return one.prompt();
}

}  // namespace

TEST_CASE("C23: acknowledged in time, history holds what was heard, and only that", "[runtime][playback]") {
  session_driver none{turn_based()};
  const auto unheard = answer(none);
  CHECK(history(none) == "user: Go on. | user: Go on.");

  session_driver part{turn_based()};
  const auto half = answer(part);
  acknowledge(part, half, 1200);
  CHECK(part.only<playback_acknowledged>().history_committed);
  CHECK(part.only<playback_acknowledged>().playback == playback_counters{2400, 2400, 1200, 1200});
  CHECK(history(part) == "user: Go on. | assistant: One two three | user: Go on.");

  session_driver all{turn_based()};
  const auto whole = answer(all);
  acknowledge(all, whole, 2400);
  acknowledge(all, whole, 2400);
  CHECK(all.events<playback_acknowledged>()[1].history_committed);
  CHECK(history(all) == std::string{"user: Go on. | assistant: "} + said + " | user: Go on.");
}

TEST_CASE("C23: an acknowledgement that comes after the next turn is refused and changes nothing",
          "[runtime][playback]") {
  session_driver one{turn_based()};
  const auto first = answer(one);
  commit_turn(one);
  one.fresh();
  acknowledge(one, first, 1200);
  CHECK(one.errors() == strings{"playback_ack_too_late"});
  one.ask();
  CHECK(one.prompt() == "user: Go on. | user: Go on.");

  session_driver kept{turn_based()};
  const auto reserved = answer(kept);
  acknowledge(kept, reserved, 0);
  commit_turn(kept);
  kept.fresh();
  acknowledge(kept, reserved, 1200);
  CHECK(kept.errors() == strings{});
  kept.ask();
  CHECK(kept.prompt() == "user: Go on. | assistant: One two three | user: Go on.");
}

TEST_CASE("C23: counters never run back, a value beyond what was sent is held to it", "[runtime][playback]") {
  session_driver one{turn_based()};
  const auto id = answer(one);
  acknowledge(one, id, 1200);
  acknowledge(one, id, 900);
  acknowledge(one, id, 999'999);
  const auto told = one.events<playback_acknowledged>();
  REQUIRE(told.size() == 3);
  CHECK(told[1].playback.played_ms == 1200);
  CHECK(told[1].played_ms == 900);
  CHECK(told[2].playback == playback_counters{2400, 2400, 2400, 2400});
}

TEST_CASE("C23: an acknowledgement must name an answer, and the right one", "[runtime][playback]") {
  session_driver one{turn_based()};
  one.fresh();
  acknowledge(one, std::nullopt, 10);
  acknowledge(one, response_id{"resp_nowhere"}, 10);
  CHECK(one.errors() == strings{"playback_item_not_found", "playback_item_not_found"});
  const auto first = answer(one);
  acknowledge(one, std::nullopt, 100);
  CHECK(one.only<playback_acknowledged>().response == first);
  acknowledge(one, first, 2400);
  const auto second = answer(one);
  one.send(playback_ack{.response = first, .item = item_id{"item_" + second.value}, .played_ms = 10});
  CHECK(one.errors() == strings{"playback_item_mismatch"});
}

TEST_CASE("statement 129, 132: while it is spoken nothing is final; a cancel keeps what was acknowledged by then",
          "[runtime][playback]") {
  session_driver one{turn_based()};
  commit_turn(one);
  one.ask();
  one.speak(2400ms, said);
  const auto id = one.only<response_created>().response.id;
  one.fresh();
  acknowledge(one, id, 1200);
  CHECK_FALSE(one.only<playback_acknowledged>().history_committed);
  one.cancel();
  CHECK(one.only<item_done>().value.content.front().transcript == "One two three");
  CHECK(one.only<transcript_done>().transcript == said);
  acknowledge(one, id, 2400, true);
  CHECK_FALSE(one.events<playback_acknowledged>().back().history_committed);
  CHECK(history(one) == "user: Go on. | assistant: One two three | user: Go on.");
}

TEST_CASE("statement 131: a cut is for good", "[runtime][playback]") {
  session_driver one{turn_based()};
  const auto id = answer(one);
  acknowledge(one, id, 1200, true);
  acknowledge(one, id, 2400);
  CHECK(history(one) == "user: Go on. | assistant: One two three | user: Go on.");
}

TEST_CASE("statement 141: a cut of what is still being said holds for what comes later", "[runtime][playback]") {
  session_driver one{turn_based()};
  commit_turn(one);
  one.ask();
  one.speak(1200ms, "One two three ");
  const auto id = one.only<response_created>().response.id;
  one.fresh();
  one.send(item_truncate{item_id{"item_" + id.value}, 0, 400});
  CHECK(one.types() == strings{"conversation.item.truncated", "playback.acknowledged"});
  one.speak(1200ms, "four five six.");
  one.done();
  CHECK(one.retrieve(item_id{"item_" + id.value}).content.front().transcript == "One");
  acknowledge(one, id, 2400);
  CHECK(history(one) == "user: Go on. | assistant: One | user: Go on.");
}

TEST_CASE("duplex: commit_all_on_done and estimate need no acknowledgement", "[runtime][playback]") {
  for (const auto policy : {playback_policy::commit_all_on_done, playback_policy::estimate}) {
    session_driver one{turn_based()};
    one.update({.playback = policy});
    answer(one);
    one.advance(3s);
    CHECK(history(one) == std::string{"user: Go on. | assistant: "} + said + " | user: Go on.");
  }
}
