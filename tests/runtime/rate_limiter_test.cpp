#include "runtime/rate_limiter.hpp"

#include <catch2/catch.hpp>

namespace parley::runtime {
namespace {

using namespace std::chrono_literals;
constexpr time_point start{1h};

TEST_CASE("rate_limiter: without limits everything is admitted and nothing shown", "[runtime][limits]") {
  rate_limiter none{std::nullopt, std::nullopt};
  for (int i = 0; i < 1000; ++i) REQUIRE(none.admit(start));
  none.spend_tokens(1'000'000, start);
  CHECK(none.admit(start));
  CHECK(none.state(start).empty());
}

TEST_CASE("rate_limiter: responses come back evenly", "[runtime][limits]") {
  rate_limiter six{6, std::nullopt};
  for (int i = 0; i < 6; ++i) REQUIRE(six.admit(start));
  CHECK_FALSE(six.admit(start));
  CHECK_FALSE(six.admit(start + 9s));
  CHECK(six.admit(start + 10s));
  CHECK_FALSE(six.admit(start + 10s));
  const auto shown = six.state(start + 10s);
  REQUIRE(shown.size() == 1);
  CHECK(shown.front().name == protocol::rate_limit_name::requests);
  CHECK(shown.front().limit == 6);
  CHECK(shown.front().remaining == 0);
  CHECK(shown.front().reset_seconds == Approx(60));
  CHECK(six.state(start + 1h).front().remaining == 6);
}

TEST_CASE("rate_limiter: a long answer leaves a debt", "[runtime][limits]") {
  rate_limiter sixty{std::nullopt, 60};
  REQUIRE(sixty.admit(start));
  sixty.spend_tokens(90, start);
  CHECK(sixty.state(start).front().remaining == 0);
  CHECK_FALSE(sixty.admit(start + 30s));
  CHECK(sixty.admit(start + 31s));
}

TEST_CASE("rate_limiter: what one limit refuses costs nothing of the other", "[runtime][limits]") {
  rate_limiter both{2, 10};
  REQUIRE(both.admit(start));
  both.spend_tokens(10, start);
  CHECK_FALSE(both.admit(start));
  CHECK(both.state(start)[0].remaining == 1);
}

}  // namespace
}  // namespace parley::runtime
