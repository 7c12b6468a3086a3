// How slow a peer may be, by a clock that is passed in.
#include "server/message_pace.hpp"
#include "server/write_patience.hpp"

#include <catch2/catch.hpp>

using namespace parley::server;
using std::chrono::seconds;

namespace {

constexpr auto time_allowed = seconds(20);
const message_pace::time_point start{seconds(1000)};

}  // namespace

TEST_CASE("F3: a message is due a time after its first piece, whatever dribbles in", "[server][pace]") {
  message_pace pace(time_allowed);
  CHECK_FALSE(pace.due());
  pace.advance(1, start);
  pace.advance(0, start + seconds(5));
  pace.advance(1000, start + seconds(19));
  CHECK(pace.due() == start + time_allowed);
}

TEST_CASE("F3: a large message on a slow link has the time for each of its steps", "[server][pace]") {
  message_pace pace(time_allowed);
  auto now = start;
  pace.advance(1000, now);
  // 15 MiB at 256 kbit/s: eight minutes.
  for (std::size_t came = 0; came < 15 * 1024 * 1024; came += 32 * 1024) {
    now += seconds(1);
    pace.advance(32 * 1024, now);
    REQUIRE(pace.due() > now);
  }
}

TEST_CASE("F3: a stall is due a time after the last step, however fast the message was before", "[server][pace]") {
  message_pace pace(time_allowed);
  pace.advance(1000, start);
  pace.advance(20 * 1024 * 1024, start + seconds(1));
  pace.advance(10, start + seconds(10));
  CHECK(pace.due() == start + seconds(1) + time_allowed);
}

TEST_CASE("F3: a complete message is not due, and the next one begins anew", "[server][pace]") {
  message_pace pace(time_allowed);
  pace.advance(1000, start);
  pace.complete();
  CHECK_FALSE(pace.due());
  pace.advance(1000, start + seconds(100));
  CHECK(pace.due() == start + seconds(100) + time_allowed);
}

TEST_CASE("F3: a write is due a time after the peer took something last", "[server][pace]") {
  write_patience patience(seconds(10));
  patience.look(0, start);
  CHECK(patience.due(start) == start + seconds(10));
  patience.look(1, start + seconds(9));
  CHECK(patience.due(start) == start + seconds(19));
  patience.look(1, start + seconds(18));
  CHECK(patience.due(start) == start + seconds(19));
  CHECK(patience.due(start + seconds(30)) == start + seconds(40));
}

TEST_CASE("F3: what an ended session still says may take longer with progress, but not for good", "[server][pace]") {
  write_patience patience(seconds(10));
  patience.look(1, start + seconds(9));
  CHECK(patience.due_after_end(start) == start + seconds(19));
  patience.look(2, start + seconds(300));
  CHECK(patience.due_after_end(start) == start + seconds(60));
}
