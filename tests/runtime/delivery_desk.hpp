// A delivery buffer as its tests use it: made, filled, and emptied in the names of events.
#pragma once

#include "runtime/delivery_buffer.hpp"
#include "tests/runtime/delivery_events.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parley::tests {

using runtime::delivery_buffer;
using runtime::put_result;
using status = delivery_buffer::get_status;
using ids = std::vector<std::string>;

inline constexpr auto openai = protocol::dialect::openai;

inline std::size_t wire_size(const protocol::server_event& event) { return protocol::render(openai, event).size(); }

inline std::unique_ptr<delivery_buffer> make(runtime::delivery_limits limits = {}) {
  return delivery_buffer::make(limits, openai).value();
}

// Room for exactly these events, with the default reserve.
inline std::unique_ptr<delivery_buffer> make_for(const std::vector<protocol::server_event>& events) {
  runtime::delivery_limits limits;
  limits.max_bytes = 0;
  for (const auto& event : events) limits.max_bytes += wire_size(event);
  return make(limits);
}

inline status ask(delivery_buffer& buffer) { return buffer.get({}).value(); }

// Sequences the held event; nothing if it was invalidated.
inline std::optional<std::string> send_held(delivery_buffer& buffer) {
  delivery_buffer::guard guard(buffer);
  if (!guard.valid()) return std::nullopt;
  return guard.sequence(1, false).event.value;
}

// The ids of everything that can be taken, in order; "-" for an event that became invalid.
inline ids drain(delivery_buffer& buffer) {
  ids taken;
  while (ask(buffer) == status::ready) taken.push_back(send_held(buffer).value_or("-"));
  return taken;
}

inline void fill(delivery_buffer& buffer, const std::vector<protocol::server_event>& events) {
  for (const auto& event : events) REQUIRE(buffer.put(event) == put_result::accepted);
}

}  // namespace parley::tests
