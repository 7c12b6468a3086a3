// Typed event -> the compact JSON of a dialect, rendered once. The bytes are what is counted, queued, journaled and
// written; in the duplex dialect the writer appends the sequence number (append_sequence) before they leave.
#pragma once

#include "protocol/dialect.hpp"
#include "protocol/event.hpp"

#include <cstdint>
#include <string>

namespace parley::protocol {

// Room that render() leaves behind the bytes, so that append_sequence never reallocates.
inline constexpr std::size_t sequence_room_bytes = 48;

// True when the dialect has this event at all (beta knows no conversation.item.done, for instance).
[[nodiscard]] bool is_spoken(dialect spoken, const event_body& body) noexcept;

// REQUIRES: is_spoken(spoken, event.body).
[[nodiscard]] std::string render(dialect spoken, const server_event& event);
[[nodiscard]] std::string render(const event_id& id, const terminal_event& event);

// Splices `"server_event_seq":seq` in before the closing brace.
void append_sequence(std::string& rendered, std::uint64_t sequence);

}  // namespace parley::protocol
