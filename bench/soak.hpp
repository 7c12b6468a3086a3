// Many callers that behave as badly as callers do, for a minute, against a parley of its own: they speak, interrupt,
// cancel, lose their sockets, come back, take over, leave for good. What each is sent is checked (duplex_checks.hpp);
// afterwards every session must be accounted for and the server must hold as much as before: sockets, threads, slots.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace parley::bench {

struct soak_options {
  std::string parley;
  std::size_t sessions = 200;  // at once
  std::chrono::seconds length{60};
  std::uint64_t seed = 0;  // of everything random
};

// Prints a summary; true when no promise was broken. Throws when the server can not be started.
[[nodiscard]] bool run_soak(const soak_options& options, std::ostream& out);

}  // namespace parley::bench
