// Unpredictable ids and seeds from libsodium: ids are never reused, also not by the next process (C46).
#pragma once

#include "protocol/dialect.hpp"
#include "protocol/ids.hpp"

#include <cstdint>

namespace parley::server {

// Once before anything else of libsodium; throws std::runtime_error when the system has no randomness.
void prepare_randomness();

// "sess_" and 24 hexadecimal digits; in the duplex dialect "duplex-" and 32.
[[nodiscard]] protocol::session_id new_session_id(protocol::dialect spoken);
// "event_" and 24 hexadecimal digits: of an event that no session sends.
[[nodiscard]] protocol::event_id new_event_id();
[[nodiscard]] std::uint64_t random_seed();

}  // namespace parley::server
