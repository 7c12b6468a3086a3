#include "server/permits.hpp"

#include <catch2/catch.hpp>

using parley::server::permit_pool;

TEST_CASE("permits: no more than the limit, and each comes back once", "[server][permits]") {
  permit_pool pool(2);
  auto first = pool.try_take();
  {
    const auto second = pool.try_take();
    CHECK(second);
    CHECK_FALSE(pool.try_take());
  }
  CHECK(pool.in_use() == 1);
  const auto moved = std::move(*first);
  first.reset();
  CHECK(pool.in_use() == 1);
}

TEST_CASE("permits: when_idle calls at once or with the last permit, and only once", "[server][permits]") {
  permit_pool pool(2);
  int calls = 0;
  pool.when_idle([&] { ++calls; });
  CHECK(calls == 1);
  {
    const auto first = pool.try_take();
    const auto second = pool.try_take();
    pool.when_idle([&] { ++calls; });
    CHECK(calls == 1);
  }
  CHECK(calls == 2);
  static_cast<void>(pool.try_take());
  CHECK(calls == 2);
}
