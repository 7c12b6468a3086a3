// Units of a model-native conversation: whole, in order, one at a time.
#include "runtime/unit_feed.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using namespace parley::runtime;

namespace {

constexpr time_point now{};

std::vector<std::int16_t> ramp(std::size_t count, std::int16_t from = 0) {
  std::vector<std::int16_t> made(count);
  std::iota(made.begin(), made.end(), from);
  return made;
}

unit_feed tenths() { return unit_feed{std::chrono::milliseconds{100}, 1000}; }  // 100 samples a unit

}  // namespace

TEST_CASE("unit_feed: a unit is given when it is whole, the next after the decision", "[runtime][units]") {
  auto feed = tenths();
  feed.push(ramp(99), {}, {});
  CHECK_FALSE(feed.next(now));
  feed.push(ramp(151, 99), {}, {});
  auto first = feed.next(now);
  REQUIRE(first);
  CHECK(first->number == 1);
  CHECK(first->samples == ramp(100));
  CHECK_FALSE(feed.next(now));
  CHECK_FALSE(feed.settle(7));
  CHECK(feed.settle(1));
  CHECK_FALSE(feed.settle(1));
  auto second = feed.next(now);
  REQUIRE(second);
  CHECK(second->samples == ramp(100, 100));
  CHECK(feed.pending_bytes() == 100);
}

TEST_CASE("unit_feed: the end of a turn fills its unit with silence, also an empty one", "[runtime][units]") {
  auto feed = tenths();
  feed.push(ramp(30, 1), {"frame"}, {.buffering = true});
  feed.close({});
  feed.push(ramp(100, 500), {}, {});
  const auto ended = feed.next(now);
  REQUIRE(ended);
  CHECK(ended->ends_turn);
  CHECK_FALSE(ended->buffering);
  CHECK(ended->frames == std::vector<std::string>{"frame"});
  auto expected = ramp(30, 1);
  expected.resize(100);
  CHECK(ended->samples == expected);
  CHECK(feed.settle(1));
  feed.close({});
  CHECK(feed.next(now)->samples == ramp(100, 500));  // a whole unit: the end gets its own
  CHECK(feed.settle(2));
  CHECK(feed.next(now)->samples == std::vector<std::int16_t>(100));
}

TEST_CASE("unit_feed: to be made to listen holds for the whole unit", "[runtime][units]") {
  auto feed = tenths();
  feed.push(ramp(20), {}, {.force_listen = true});
  feed.push(ramp(80), {}, {});
  CHECK(feed.next(now)->force_listen);
}

TEST_CASE("unit_feed: what is cleared is not given, what is abandoned is not decided", "[runtime][units]") {
  auto feed = tenths();
  feed.push(ramp(50), {}, {});
  feed.close({});
  feed.push(ramp(70), {}, {});
  feed.clear_open();
  CHECK(feed.pending_bytes() == 100);
  CHECK(feed.boundaries() == 1);
  CHECK(feed.next(now)->ends_turn);
  feed.push(ramp(500), {}, {});
  feed.abandon();
  CHECK_FALSE(feed.settle(1));
  CHECK_FALSE(feed.in_flight());
  CHECK_FALSE(feed.ready());
  CHECK(feed.pending_bytes() == 0);
}
