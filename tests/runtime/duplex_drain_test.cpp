// Sessions of the duplex dialect that have something to wait for: an answer that is owed waits for the user, a drain
// for what is going on.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_hear_unit;
using parley::runtime::call_respond;
using parley::runtime::close_session;
using strings = std::vector<std::string>;

namespace {

samples words_of(std::chrono::milliseconds length) { return voice(length, 8000, duplex_hz); }
samples quiet(std::chrono::milliseconds length) { return silence(length, duplex_hz); }

void commit(session_driver& one, bool create) { one.send(input_audio_commit{.create_response = create}); }

auto turn_based_session() {
  auto options = duplex_session();
  options.capabilities.native = false;
  return options;
}

// A turn over an answer that is answered behind it: committed, and not understood yet.
void deferred_turn(session_driver& one) {
  one.append(words_of(900ms));
  commit(one, true);
  one.understood("What time is it?");
  one.speak(200ms, "Noon.");
  one.append(words_of(900ms));
  commit(one, true);
  one.understood("And the day?");
}

}  // namespace

TEST_CASE("F8: an answer that is owed does not begin while the duplex user speaks", "[runtime][duplex]") {
  session_driver one{turn_based_session()};
  deferred_turn(one);
  one.append(words_of(300ms));  // the user speaks again
  one.fresh();
  one.done();
  CHECK(one.events<response_done>().size() == 1);
  CHECK(one.events<response_created>().empty());
  CHECK(one.actions<call_respond>().empty());
  one.fresh();
  commit(one, false);
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("F8: an answer that is owed begins at once where nobody speaks, or nobody does any more",
          "[runtime][duplex]") {
  session_driver one{turn_based_session()};
  deferred_turn(one);
  one.fresh();
  one.done();
  CHECK(one.events<response_created>().size() == 1);

  session_driver cleared{turn_based_session()};
  deferred_turn(cleared);
  cleared.append(words_of(300ms));
  cleared.done();
  cleared.fresh();
  cleared.send(input_audio_clear{});
  CHECK(cleared.events<response_created>().size() == 1);
}

TEST_CASE("F8: a drain does not close a duplex session in the middle of a turn", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(100ms));
  one.drain();
  CHECK_FALSE(one.closed());
  one.fresh();
  commit(one, true);  // nothing new is begun: the turn is told, and not answered
  CHECK(one.events<input_committed>().size() == 1);
  CHECK(one.events<response_created>().empty());
  CHECK_FALSE(one.closed());
  one.listens();
  CHECK(one.closed());
}

TEST_CASE("F8: a drain waits for the decision on a unit, and for what waits behind it", "[runtime][duplex]") {
  session_driver one{duplex_session()};
  one.append(words_of(200ms));  // in flight
  commit(one, false);
  one.drain();
  CHECK_FALSE(one.closed());
  one.fresh();
  one.listens();
  CHECK(one.events<input_committed>().size() == 1);
  CHECK_FALSE(one.closed());  // the end of the turn is being decided on
  one.listens();
  CHECK(one.closed());
  REQUIRE(one.closed());
  CHECK(one.actions<close_session>().front().reason == parley::runtime::close_reason::shutdown);
}

TEST_CASE("F8: a drain closes a duplex session that has nothing to do at once", "[runtime][duplex]") {
  session_driver idle{duplex_session()};
  idle.drain();
  CHECK(idle.closed());

  auto options = duplex_session();
  options.settings.duplex.auto_response = true;
  session_driver paused{options};  // nobody ends turns here: a pause has to do
  paused.append(words_of(200ms));
  paused.listens();
  paused.append(quiet(200ms));
  paused.listens();
  paused.drain();
  CHECK(paused.closed());
}

TEST_CASE("F8: a turn-based model is not asked by a commit of a session that drains", "[runtime][duplex]") {
  session_driver one{turn_based_session()};
  one.append(words_of(900ms));
  one.drain();
  CHECK_FALSE(one.closed());
  one.fresh();
  commit(one, true);
  CHECK(one.events<response_created>().empty());
  CHECK_FALSE(one.closed());
  one.understood("Hello?");
  CHECK(one.actions<call_respond>().empty());
  CHECK(one.closed());
}
