// What the delivery buffer's limits bound, and who may use the reserve: a test a sentence of its contract.
#include "tests/runtime/delivery_desk.hpp"

#include <system_error>

using namespace parley;
using namespace parley::tests;

TEST_CASE("delivery_buffer: max_bytes bounds what is queued", "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1"), text("b", "r1")});
  fill(*buffer, {text("a", "r1"), text("b", "r1")});
  CHECK(buffer->put(text("c", "r1")) == put_result::overflow);
}

TEST_CASE("F1: delivery_buffer: one event larger than max_bytes is let in when nothing else waits",
          "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1")});
  fill(*buffer, {text("a", "r1", 5000)});
  CHECK(buffer->put(text("x", "r1", 1)) == put_result::overflow);  // until it is taken
  CHECK(buffer->put(error("b")) == put_result::accepted);          // the reserve is open
  CHECK(drain(*buffer) == ids{"a", "b"});
  fill(*buffer, {text("c", "r1")});
  CHECK(buffer->put(text("x", "r1", 5000)) == put_result::overflow);  // something waits
  CHECK(drain(*buffer) == ids{"c"});
  CHECK(buffer->pending_bytes() == 0);
}

TEST_CASE("delivery_buffer: an event that was refused can be put again without being rendered again",
          "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1")});
  fill(*buffer, {text("a", "r1")});
  auto waits = buffer->render(text("b", "r1"));
  CHECK(buffer->put(waits) == put_result::overflow);
  CHECK(drain(*buffer) == ids{"a"});
  CHECK(buffer->put(waits) == put_result::accepted);
  CHECK(drain(*buffer) == ids{"b"});
}

TEST_CASE("delivery_buffer: max_events bounds what is queued", "[runtime][delivery_buffer]") {
  runtime::delivery_limits limits;
  limits.max_events = 2;
  auto buffer = make(limits);
  fill(*buffer, {text("a", "r1"), text("b", "r1")});
  CHECK(buffer->put(text("c", "r1")) == put_result::overflow);
}

TEST_CASE("delivery_buffer: a taken event frees its room", "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1")});
  fill(*buffer, {text("a", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  CHECK(buffer->put(text("b", "r1")) == put_result::accepted);
}

TEST_CASE("delivery_buffer: only error and response.done may use the reserve", "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1")});
  fill(*buffer, {text("a", "r1")});
  CHECK(buffer->put(text("x", "r1")) == put_result::overflow);
  CHECK(buffer->put(audio("x", "r1")) == put_result::overflow);
  CHECK(buffer->put({protocol::event_id{"x"}, protocol::input_cleared{}}) == put_result::overflow);
  CHECK(buffer->put(error("b")) == put_result::accepted);
  CHECK(buffer->put(done("c", "r1")) == put_result::accepted);
}

TEST_CASE("delivery_buffer: events of the reserve stay in FIFO order with the rest", "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1"), text("b", "r1")});
  fill(*buffer, {text("a", "r1"), text("b", "r1"), error("c")});
  REQUIRE(ask(*buffer) == status::ready);
  REQUIRE(send_held(*buffer) == "a");
  fill(*buffer, {text("d", "r1")});
  CHECK(drain(*buffer) == ids{"b", "c", "d"});
}

TEST_CASE("delivery_buffer: the reserve is bounded by its events", "[runtime][delivery_buffer]") {
  runtime::delivery_limits limits;
  limits.max_events = 1;
  limits.reserve_events = 2;
  auto buffer = make(limits);
  fill(*buffer, {text("a", "r1"), error("b"), error("c")});
  CHECK(buffer->put(error("d")) == put_result::overflow);
}

TEST_CASE("delivery_buffer: the reserve is bounded by its bytes", "[runtime][delivery_buffer]") {
  runtime::delivery_limits limits;
  limits.max_events = 1;
  limits.reserve_bytes = wire_size(error("b")) + wire_size(error("c"));
  auto buffer = make(limits);
  fill(*buffer, {text("a", "r1"), error("b"), error("c")});
  CHECK(buffer->put(error("d", 1)) == put_result::overflow);
}

TEST_CASE("delivery_buffer: an event uses the reserve only when ordinary room is out", "[runtime][delivery_buffer]") {
  runtime::delivery_limits limits;
  limits.max_events = 2;
  limits.reserve_events = 1;
  auto buffer = make(limits);
  fill(*buffer, {error("a"), error("b")});  // both in ordinary room
  CHECK(buffer->put(error("c")) == put_result::accepted);
  CHECK(buffer->put(error("d")) == put_result::overflow);
}

TEST_CASE("delivery_buffer: an event of the reserve frees the reserve when taken", "[runtime][delivery_buffer]") {
  runtime::delivery_limits limits;
  limits.max_events = 1;
  limits.reserve_events = 1;
  auto buffer = make(limits);
  fill(*buffer, {text("a", "r1"), error("b")});
  REQUIRE(ask(*buffer) == status::ready);  // a: ordinary room is free, the reserve is not
  fill(*buffer, {text("c", "r1")});
  REQUIRE(buffer->put(error("x")) == put_result::overflow);
  REQUIRE(ask(*buffer) == status::ready);  // b
  CHECK(buffer->put(text("x", "r1")) == put_result::overflow);
  CHECK(buffer->put(error("d")) == put_result::accepted);
}

TEST_CASE("delivery_buffer: the terminal event has a slot of its own", "[runtime][delivery_buffer]") {
  runtime::delivery_limits limits;
  limits.max_events = limits.reserve_events = 1;
  auto buffer = make(limits);
  fill(*buffer, {text("a", "r1"), error("b")});
  REQUIRE(buffer->put(error("x")) == put_result::overflow);  // even the reserve is full
  buffer->close(terminal(), protocol::event_id{"t"});
  CHECK(drain(*buffer) == ids{"a", "b", "t"});
}

TEST_CASE("delivery_buffer: a limit that is not positive is an error at construction", "[runtime][delivery_buffer]") {
  using limits_type = runtime::delivery_limits;
  const auto member = GENERATE(&limits_type::max_bytes, &limits_type::max_events, &limits_type::reserve_bytes,
                               &limits_type::reserve_events, &limits_type::max_terminal_bytes);
  limits_type limits;
  limits.*member = 0;
  CHECK(delivery_buffer::make(limits, openai).error() == std::errc::invalid_argument);
  limits.*member = 1;
  CHECK(delivery_buffer::make(limits, openai).has_value());
}
