// What waits for room in the delivery buffer: order, what may wait, and that it costs a client that reads nothing.
#include "runtime/spill_queue.hpp"

#include "tests/runtime/delivery_desk.hpp"

using namespace parley;
using namespace parley::tests;
using runtime::spill_queue;

namespace {

constexpr std::size_t small_bytes = 2000;

// A buffer of 2,000 bytes and 4 events behind a spill queue, and the consumer of both.
struct desk {
  explicit desk(bool audio_may_wait = true) : spill(*buffer, limits(), audio_may_wait) {}
  static runtime::delivery_limits limits() {
    runtime::delivery_limits small;
    small.max_bytes = small_bytes;
    small.max_events = 4;
    small.reserve_events = 1;
    return small;
  }
  put_result put(protocol::server_event event) { return spill.put(std::move(event)); }
  // As a writer does: take, sequence, tell; everything, in order.
  ids read() {
    ids taken;
    while (ask(*buffer) == status::ready) {
      taken.push_back(send_held(*buffer).value_or("-"));
      rooms += spill.flush() ? 1 : 0;
    }
    return taken;
  }

  std::unique_ptr<delivery_buffer> buffer = make(limits());
  spill_queue spill;
  int rooms = 0;  // times that the queue was emptied
};

protocol::server_event large(std::string id) {
  protocol::text_done event;
  event.at.response = protocol::response_id{"r1"};
  event.text.assign(3 * small_bytes, 'x');
  return {protocol::event_id{std::move(id)}, std::move(event)};
}

}  // namespace

TEST_CASE("F1: an event larger than the budget goes out alone, and what follows waits for it", "[runtime][spill]") {
  desk one;
  for (const auto* id : {"a", "b", "c"}) CHECK(one.put(large(id)) == put_result::accepted);
  CHECK(one.buffer->pending_events() == 1);
  CHECK(one.spill.size() == 2);
  CHECK(one.read() == ids{"a", "b", "c"});
  CHECK(one.rooms == 1);
  CHECK_FALSE(one.spill.full());
}

TEST_CASE("F25: more events than may wait come out in order when they are read", "[runtime][spill]") {
  desk one;
  ids all;
  for (int count = 0; count < 40; ++count) {
    all.push_back(std::to_string(count));
    CHECK(one.put({protocol::event_id{all.back()}, protocol::input_cleared{}}) == put_result::accepted);
  }
  CHECK(one.spill.full());
  CHECK(one.spill.is_crowded());
  CHECK(one.buffer->pending_events() == 4);
  CHECK(one.read() == all);
}

TEST_CASE("spill_queue: what may use the reserve does not overtake what waits", "[runtime][spill]") {
  desk one;
  CHECK(one.put(large("a")) == put_result::accepted);
  CHECK(one.put(large("b")) == put_result::accepted);
  CHECK(one.put(error("c")) == put_result::accepted);
  CHECK(one.read() == ids{"a", "b", "c"});
}

TEST_CASE("spill_queue: text that waits is joined with the text before it", "[runtime][spill]") {
  desk one;
  CHECK(one.put(large("a")) == put_result::accepted);
  CHECK(one.put(large("b")) == put_result::accepted);
  for (int count = 0; count < 1000; ++count) CHECK(one.put(text("t", "r1")) == put_result::accepted);
  CHECK(one.spill.size() == 2);
  CHECK(one.read() == ids{"a", "b", "t"});
}

TEST_CASE("spill_queue: sound of a model that can not be slowed is an overflow where the buffer is full",
          "[runtime][spill]") {
  desk one{false};
  for (const auto* id : {"a", "b", "c", "d"}) CHECK(one.put(audio(id, "r1")) == put_result::accepted);
  CHECK(one.put(audio("x", "r1")) == put_result::overflow);
  CHECK(one.read() == ids{"a", "b", "c", "d"});
  CHECK(one.put(audio("e", "r1")) == put_result::accepted);
}

TEST_CASE("spill_queue: such sound waits behind one large event as far as the bounds reach", "[runtime][spill]") {
  desk one{false};
  CHECK(one.put(large("a")) == put_result::accepted);
  CHECK(one.put(audio("b", "r1")) == put_result::accepted);
  put_result last = put_result::accepted;
  int more = 0;
  for (; more < 10 && last == put_result::accepted; ++more) last = one.put(audio("c", "r1"));
  CHECK(last == put_result::overflow);
  CHECK(one.read().size() == static_cast<std::size_t>(more) + 1);
}

TEST_CASE("spill_queue: an interruption takes sound back, also what is rendered already", "[runtime][spill]") {
  desk one;
  CHECK(one.put(large("a")) == put_result::accepted);
  for (const auto* id : {"b", "c"}) CHECK(one.put(audio(id, "r1", 3)) == put_result::accepted);
  CHECK(one.put(audio("d", "r1", 4)) == put_result::accepted);
  CHECK(one.put(audio("e", "r2", 3)) == put_result::accepted);
  one.spill.invalidate(protocol::response_id{"r1"}, protocol::epoch{3});
  CHECK(one.read() == ids{"a", "d", "e"});
}

TEST_CASE("spill_queue: the terminal event comes behind what waits, and nothing behind it", "[runtime][spill]") {
  desk one;
  CHECK(one.put(large("a")) == put_result::accepted);
  CHECK(one.put(large("b")) == put_result::accepted);
  one.spill.close(terminal(), protocol::event_id{"t"});
  CHECK(one.put(error("x")) == put_result::closed);
  CHECK(one.read() == ids{"a", "b", "t"});
  CHECK(ask(*one.buffer) == status::drained);
}

TEST_CASE("spill_queue: closed with nothing but stale sound in it, the buffer closes at the invalidation",
          "[runtime][spill]") {
  desk one;
  CHECK(one.put(large("a")) == put_result::accepted);
  CHECK(one.put(audio("b", "r1", 1)) == put_result::accepted);
  one.spill.close(std::nullopt, {});
  one.spill.invalidate(protocol::response_id{"r1"}, protocol::epoch{1});
  CHECK(one.read() == ids{"a"});
  CHECK(ask(*one.buffer) == status::drained);
}
