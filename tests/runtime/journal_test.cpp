// The journal alone, on a clock of the test.
#include "runtime/journal.hpp"

#include "protocol/encode.hpp"

#include <catch2/catch.hpp>

using namespace parley;
using namespace parley::runtime;
using namespace std::chrono_literals;

namespace {

// `{}` with its number.
journal::event_bytes numbered(std::uint64_t number) {
  std::string text = R"({"a":1})";
  protocol::append_sequence(text, number);
  return std::make_shared<const std::string>(std::move(text));
}

struct desk {
  explicit desk(const journal_limits& limits = {}) : kept(limits) {}
  bool put() {
    if (!kept.admits(7, now)) return false;
    kept.append(numbered(kept.last() + 1), now);
    return true;
  }
  void put(int count) {
    for (int i = 0; i < count; ++i) REQUIRE(put());
  }
  // Of the events above the number; -1 when there is a gap.
  [[nodiscard]] int replayed(std::uint64_t number) const {
    const auto events = kept.after(number);
    return events ? static_cast<int>(events->size()) : -1;
  }

  time_point now{};
  memory_journal kept;
};

}  // namespace

TEST_CASE("statement 150: the journal gives the events above a number, in order and unchanged", "[runtime][journal]") {
  desk one;
  one.put(4);
  const auto events = one.kept.after(2);
  REQUIRE(events);
  REQUIRE(events->size() == 2);
  CHECK(*events->front() == R"({"a":1,"server_event_seq":3})");
  CHECK(*events->back() == R"({"a":1,"server_event_seq":4})");
  CHECK(one.replayed(4) == 0);
  CHECK(one.replayed(0) == 4);
}

TEST_CASE("statement 155: an acknowledgement trims up to its number and none beyond the last", "[runtime][journal]") {
  desk one;
  CHECK_FALSE(one.kept.acknowledge(1));
  CHECK(one.kept.acknowledge(0));
  one.put(5);
  CHECK_FALSE(one.kept.acknowledge(6));
  CHECK(one.replayed(0) == 5);
  CHECK(one.kept.acknowledge(3));
  CHECK(one.replayed(3) == 2);
  CHECK(one.replayed(2) == -1);
  CHECK(one.kept.acknowledge(1));  // an older one changes nothing
  CHECK(one.replayed(3) == 2);
  CHECK(one.kept.acknowledge(5));
  CHECK(one.kept.bytes() == 0);
  CHECK(one.replayed(5) == 0);
  one.put(1);
  CHECK(one.kept.last() == 6);
}

TEST_CASE("statement 149, 156: entries go after their time, and what is below them is a gap", "[runtime][journal]") {
  desk one({.max_age = 60s});
  one.put(2);
  one.now += 59s;
  one.put(1);
  one.kept.trim(one.now);
  CHECK(one.replayed(0) == 3);
  one.now += 1s;
  one.put(1);  // trims by itself
  CHECK(one.replayed(1) == -1);
  CHECK(one.replayed(2) == 2);
  one.now += 60s;
  one.kept.trim(one.now);
  CHECK(one.kept.bytes() == 0);
  CHECK(one.replayed(4) == 0);
  CHECK(one.replayed(3) == -1);
}

TEST_CASE("statement 157: over its limit, number included, the journal stops for good", "[runtime][journal]") {
  const auto size = numbered(1)->size();
  desk one({.max_bytes = 3 * size});
  one.put(3);  // exactly full
  CHECK(one.kept.bytes() == 3 * size);
  CHECK_FALSE(one.put());
  CHECK(one.kept.stopped());
  CHECK(one.kept.last() == 3);
  CHECK(one.kept.bytes() == 0);
  CHECK(one.replayed(3) == -1);
  CHECK(one.kept.acknowledge(3));
  CHECK_FALSE(one.kept.acknowledge(4));
  CHECK_FALSE(one.put());
}

TEST_CASE("journal: counts the digits that a number really has", "[runtime][journal]") {
  desk one({.max_bytes = 12 * numbered(1)->size() + 1});
  one.put(9);
  CHECK(one.kept.acknowledge(9));
  one.put(11);
  CHECK(one.kept.bytes() == 11 * numbered(10)->size());
}

TEST_CASE("journal: what was trimmed to makes room again", "[runtime][journal]") {
  desk one({.max_bytes = 2 * numbered(1)->size()});
  for (int i = 0; i < 9; ++i) {
    one.put(1);
    CHECK(one.kept.acknowledge(one.kept.last()));
  }
  CHECK_FALSE(one.kept.stopped());
}
