// The contract of the delivery buffer, a test a sentence; its limits are in delivery_buffer_limits_test.cpp.
#include "tests/runtime/delivery_desk.hpp"

#include <system_error>
#include <thread>

using namespace parley;
using namespace parley::tests;

// ---- bounded, many producers, one consumer ------------------------------------------------------------------------

TEST_CASE("delivery_buffer: hands events out in the order they came in", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1"), audio("b", "r1"), error("c"), done("d", "r1"), audio("e", "r2")});
  CHECK(drain(*buffer) == ids{"a", "b", "c", "d", "e"});
}

TEST_CASE("delivery_buffer: a producer on another thread wakes the consumer once", "[runtime][delivery_buffer]") {
  auto buffer = make();
  int wakes = 0;
  REQUIRE(buffer->get([&] { ++wakes; }).value() == status::waiting);
  std::thread([&] { fill(*buffer, {text("a", "r1"), text("b", "r1")}); }).join();
  CHECK(wakes == 1);
  CHECK(drain(*buffer) == ids{"a", "b"});
}

TEST_CASE("delivery_buffer: wake is called outside the lock", "[runtime][delivery_buffer]") {
  auto buffer = make();
  std::optional<status> seen;
  REQUIRE(buffer->get([&] { seen = ask(*buffer); }).value() == status::waiting);
  fill(*buffer, {text("a", "r1")});  // would deadlock if the lock were held
  CHECK(seen == status::ready);
  CHECK(send_held(*buffer) == "a");
}

// ---- size and rendering -------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: an event's size is that of its wire JSON, audio as base64", "[runtime][delivery_buffer]") {
  auto buffer = make();
  const auto event = audio("a", "r1", 0, 3000);
  fill(*buffer, {event});
  CHECK(buffer->pending_bytes() == wire_size(event));
  CHECK(buffer->pending_bytes() > 8000);  // 6,000 bytes of PCM are 8,000 characters
}

TEST_CASE("delivery_buffer: the bytes rendered at put are those handed out, without a copy",
          "[runtime][delivery_buffer]") {
  auto buffer = make();
  const auto event = audio("a", "r1", 0, 100);
  fill(*buffer, {event});
  REQUIRE(ask(*buffer) == status::ready);
  delivery_buffer::guard guard(*buffer);
  guard.sequence(1, false);
  const auto bytes = guard.bytes();
  CHECK(*bytes == protocol::render(openai, event));
  CHECK(guard.bytes().get() == bytes.get());
}

TEST_CASE("delivery_buffer: the sequence number is spliced into the bytes", "[runtime][delivery_buffer]") {
  auto buffer = make();
  const auto event = text("a", "r1");
  fill(*buffer, {event});
  REQUIRE(ask(*buffer) == status::ready);
  auto expected = protocol::render(openai, event);
  protocol::append_sequence(expected, 41);
  delivery_buffer::guard guard(*buffer);
  CHECK(guard.sequence(41, true).sequence == 41);
  CHECK(*guard.bytes() == expected);
}

TEST_CASE("delivery_buffer: the bytes outlive the release of the event", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  std::shared_ptr<const std::string> bytes;
  {
    delivery_buffer::guard guard(*buffer);
    guard.sequence(1, false);
    bytes = guard.bytes();
  }
  REQUIRE(ask(*buffer) == status::waiting);
  CHECK(bytes.use_count() == 1);
  CHECK(*bytes == protocol::render(openai, text("a", "r1")));
}

TEST_CASE("delivery_buffer: an event that the dialect does not have is accepted and goes nowhere",
          "[runtime][delivery_buffer]") {
  auto buffer = delivery_buffer::make({}, protocol::dialect::openai_beta).value();
  const protocol::server_event unknown{protocol::event_id{"a"}, protocol::playback_acknowledged{}};
  REQUIRE_FALSE(protocol::is_spoken(protocol::dialect::openai_beta, unknown.body));
  int wakes = 0;
  REQUIRE(buffer->get([&] { ++wakes; }).value() == status::waiting);
  CHECK(buffer->put(unknown) == put_result::accepted);
  CHECK(buffer->pending_events() == 0);
  CHECK(wakes == 0);
}

// ---- put ----------------------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: output after closure is dropped quietly", "[runtime][delivery_buffer]") {
  auto buffer = make();
  buffer->close();
  CHECK(buffer->put(text("a", "r1")) == put_result::closed);
  CHECK(buffer->put(error("b")) == put_result::closed);
  CHECK(buffer->pending_events() == 0);
  CHECK(ask(*buffer) == status::drained);
}

TEST_CASE("delivery_buffer: an overflow leaves the queue exactly as it was", "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1"), audio("b", "r1")});
  fill(*buffer, {text("a", "r1"), audio("b", "r1")});
  const auto bytes_before = buffer->pending_bytes();
  REQUIRE(buffer->put(audio("x", "r1")) == put_result::overflow);
  CHECK(buffer->pending_bytes() == bytes_before);
  CHECK(buffer->pending_events() == 2);
  CHECK(drain(*buffer) == ids{"a", "b"});
}

TEST_CASE("delivery_buffer: a smaller event may still fit after an overflow", "[runtime][delivery_buffer]") {
  auto buffer = make_for({text("a", "r1", 100), text("b", "r1", 1)});
  fill(*buffer, {text("a", "r1", 100)});
  REQUIRE(buffer->put(text("x", "r1", 100)) == put_result::overflow);
  CHECK(buffer->put(text("b", "r1", 1)) == put_result::accepted);
}

// ---- get ----------------------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: nothing comes once it is closed and drained", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1")});
  buffer->close();
  REQUIRE(ask(*buffer) == status::ready);
  CHECK(ask(*buffer) == status::drained);
  CHECK(ask(*buffer) == status::drained);
}

TEST_CASE("delivery_buffer: taking the next event releases the one held", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1"), text("b", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  CHECK(send_held(*buffer) == "a");
  REQUIRE(ask(*buffer) == status::ready);
  CHECK(send_held(*buffer) == "b");
}

TEST_CASE("delivery_buffer: a second waiting consumer is reported", "[runtime][delivery_buffer]") {
  auto buffer = make();
  int first = 0;
  int second = 0;
  REQUIRE(buffer->get([&] { ++first; }).value() == status::waiting);
  CHECK(buffer->get([&] { ++second; }).error() == std::errc::operation_in_progress);
  fill(*buffer, {text("a", "r1")});
  CHECK(first == 1);  // the first still waited
  CHECK(second == 0);
}

TEST_CASE("delivery_buffer: closing wakes the waiting consumer", "[runtime][delivery_buffer]") {
  auto buffer = make();
  int wakes = 0;
  REQUIRE(buffer->get([&] { ++wakes; }).value() == status::waiting);
  SECTION("with a terminal event") {
    buffer->close(terminal(), protocol::event_id{"t"});
    CHECK(drain(*buffer) == ids{"t"});
  }
  SECTION("without one") { buffer->close(); }
  CHECK(wakes == 1);
  CHECK(ask(*buffer) == status::drained);
}

// ---- invalidate ---------------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: invalidate removes queued audio of that response up to and including the epoch",
          "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1", 1), audio("b", "r1", 2), audio("c", "r1", 3), audio("d", "r2", 1)});
  buffer->invalidate(protocol::response_id{"r1"}, {2});
  CHECK(drain(*buffer) == ids{"c", "d"});
}

TEST_CASE("delivery_buffer: every other event keeps its exact place", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1"), audio("b", "r1"), text("c", "r1"), audio("d", "r2"), error("e"), audio("f", "r1"),
                 done("g", "r1")});
  buffer->invalidate(protocol::response_id{"r1"}, {0});
  CHECK(drain(*buffer) == ids{"a", "c", "d", "e", "g"});
}

TEST_CASE("delivery_buffer: what is invalidated frees its room", "[runtime][delivery_buffer]") {
  auto buffer = make_for({audio("a", "r1"), text("b", "r1")});
  fill(*buffer, {audio("a", "r1"), text("b", "r1")});
  buffer->invalidate(protocol::response_id{"r1"}, {0});
  CHECK(buffer->pending_events() == 1);
  CHECK(buffer->pending_bytes() == wire_size(text("b", "r1")));
  CHECK(buffer->put(audio("c", "r1", 1)) == put_result::accepted);
}

TEST_CASE("delivery_buffer: audio that is taken but not sequenced becomes invalid", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1", 3)});
  REQUIRE(ask(*buffer) == status::ready);
  SECTION("of that response and epoch") {
    buffer->invalidate(protocol::response_id{"r1"}, {3});
    CHECK_FALSE(delivery_buffer::guard(*buffer).valid());
  }
  SECTION("not of a later epoch") {
    buffer->invalidate(protocol::response_id{"r1"}, {2});
    CHECK(delivery_buffer::guard(*buffer).valid());
  }
  SECTION("not of another response") {
    buffer->invalidate(protocol::response_id{"r2"}, {3});
    CHECK(delivery_buffer::guard(*buffer).valid());
  }
}

TEST_CASE("delivery_buffer: a held event that is no audio stays valid", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  buffer->invalidate(protocol::response_id{"r1"}, {9});
  CHECK(delivery_buffer::guard(*buffer).valid());
}

TEST_CASE("delivery_buffer: invalidity of one held event does not pass to the next", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1"), text("b", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  buffer->invalidate(protocol::response_id{"r1"}, {0});
  REQUIRE(ask(*buffer) == status::ready);
  CHECK(send_held(*buffer) == "b");
}

TEST_CASE("delivery_buffer: what is sequenced can no longer be invalidated", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  REQUIRE(send_held(*buffer) == "a");
  buffer->invalidate(protocol::response_id{"r1"}, {9});
  delivery_buffer::guard guard(*buffer);
  CHECK(guard.valid());
  CHECK(*guard.bytes() == protocol::render(openai, audio("a", "r1")));
}

TEST_CASE("delivery_buffer: invalidate remembers nothing", "[runtime][delivery_buffer]") {
  auto buffer = make();
  buffer->invalidate(protocol::response_id{"r1"}, {9});
  fill(*buffer, {audio("a", "r1", 1)});
  CHECK(drain(*buffer) == ids{"a"});
}

// ---- guard --------------------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: validity is stable while the guard lives", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1")});
  REQUIRE(ask(*buffer) == status::ready);
  std::optional<delivery_buffer::guard> guard(std::in_place, *buffer);
  REQUIRE(guard->valid());
  std::thread invalidator([&] { buffer->invalidate(protocol::response_id{"r1"}, {0}); });  // blocks on the guard
  CHECK(guard->valid());
  guard->sequence(1, false);
  guard.reset();
  invalidator.join();
  CHECK(delivery_buffer::guard(*buffer).valid());  // it was sequenced first
}

// ---- close --------------------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: queued output, then the terminal event, then end", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1"), audio("b", "r1")});
  buffer->close(terminal(), protocol::event_id{"t"});
  CHECK(drain(*buffer) == ids{"a", "b", "t"});
  CHECK(ask(*buffer) == status::drained);
}

TEST_CASE("delivery_buffer: queued audio can still be invalidated after closing", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1"), text("b", "r1")});
  buffer->close(terminal(), protocol::event_id{"t"});
  buffer->invalidate(protocol::response_id{"r1"}, {0});
  CHECK(drain(*buffer) == ids{"b", "t"});
}

namespace {

std::string terminal_bytes(delivery_buffer& buffer) {
  REQUIRE(ask(buffer) == status::ready);
  delivery_buffer::guard guard(buffer);
  guard.sequence(1, false);
  return *guard.bytes();
}

}  // namespace

TEST_CASE("delivery_buffer: a terminal of up to 4096 bytes goes out as it is", "[runtime][delivery_buffer]") {
  const protocol::event_id id{"t"};
  const auto room = 4096 - protocol::render(id, terminal(0)).size();
  const auto event = terminal(room);
  REQUIRE(protocol::render(id, event).size() == 4096);
  auto buffer = make();
  buffer->close(event, id);
  CHECK(terminal_bytes(*buffer) == protocol::render(id, event));
}

TEST_CASE("delivery_buffer: a larger terminal is replaced by a compact one", "[runtime][delivery_buffer]") {
  const protocol::event_id id{"t"};
  auto event = terminal(4097 - protocol::render(id, terminal(0)).size());
  REQUIRE(protocol::render(id, event).size() == 4097);
  event.type = GENERATE("session.closed", "session.expired");
  auto buffer = make();
  buffer->close(event, id);
  const protocol::terminal_event compact{event.type, protocol::session_id{"sess_1"},
                                         "close_details_exceed_output_limit", protocol::raw_json{"{}"}};
  CHECK(terminal_bytes(*buffer) == protocol::render(id, compact));
}

TEST_CASE("delivery_buffer: closing twice is harmless and the first one counts", "[runtime][delivery_buffer]") {
  auto buffer = make();
  buffer->close(terminal(), protocol::event_id{"t1"});
  buffer->close(terminal(), protocol::event_id{"t2"});
  buffer->close();
  CHECK(drain(*buffer) == ids{"t1"});
}

// ---- counts and receipts ------------------------------------------------------------------------------------------

TEST_CASE("delivery_buffer: pending counts what waits, not what is held", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {text("a", "r1"), audio("b", "r1")});
  CHECK(buffer->pending_events() == 2);
  CHECK(buffer->pending_bytes() == wire_size(text("a", "r1")) + wire_size(audio("b", "r1")));
  REQUIRE(ask(*buffer) == status::ready);
  CHECK(buffer->pending_events() == 1);
  CHECK(buffer->pending_bytes() == wire_size(audio("b", "r1")));
  buffer->close(terminal(), protocol::event_id{"t"});
  CHECK(buffer->pending_events() == 2);
  drain(*buffer);
  CHECK(buffer->pending_events() == 0);
  CHECK(buffer->pending_bytes() == 0);
}

TEST_CASE("delivery_buffer: the receipt tells event, response and sample interval", "[runtime][delivery_buffer]") {
  auto buffer = make();
  fill(*buffer, {audio("a", "r1", 0, 480, 9600), text("b", "r2"), error("c")});
  const auto next = [&](std::uint64_t number) {
    REQUIRE(ask(*buffer) == status::ready);
    return delivery_buffer::guard(*buffer).sequence(number, false);
  };
  const auto of_audio = next(5);
  CHECK(of_audio.event == protocol::event_id{"a"});
  CHECK(of_audio.sequence == 5);
  CHECK(of_audio.response == protocol::response_id{"r1"});
  CHECK(of_audio.item == protocol::item_id{"item_1"});
  CHECK(of_audio.first_sample == 9600);
  CHECK(of_audio.samples == 480);
  const auto of_text = next(6);
  CHECK(of_text.response == protocol::response_id{"r2"});
  CHECK_FALSE(of_text.item);
  CHECK(of_text.samples == 0);
  CHECK_FALSE(next(7).response);
}
