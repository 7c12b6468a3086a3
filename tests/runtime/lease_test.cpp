#include "runtime/lease.hpp"

#include <catch2/catch.hpp>

using namespace parley::runtime;
using namespace std::chrono_literals;

TEST_CASE("lease: idle time counts from the last touch and is looked at on the beat", "[runtime][lease]") {
  lease one(30s, 5s);
  const time_point start{std::chrono::hours{1}};
  one.start(start);
  one.touch(start + 1s);
  CHECK(one.deadline(300s) == start + 305s);
  CHECK_FALSE(one.idle_over(300s, start + 300s));
  CHECK(one.idle_over(300s, start + 301s));
  CHECK_FALSE(one.idle_over(std::nullopt, start + std::chrono::hours{99}));
  CHECK_FALSE(one.deadline(std::nullopt));
}

TEST_CASE("lease: a touch does not lengthen the grace, an attachment ends it", "[runtime][lease]") {
  lease one(30s, 1s);
  const time_point start{};
  one.start(start);
  one.detach(start + 10s);
  one.touch(start + 35s);
  CHECK(one.deadline(std::nullopt) == start + 40s);
  CHECK_FALSE(one.grace_over(start + 39s));
  CHECK(one.grace_over(start + 40s));
  one.attach(start + 39s);
  CHECK_FALSE(one.grace_over(start + std::chrono::hours{1}));
}
