// What the kernel knows of a TCP connection's progress. The server writes a message as a whole, so that only the kernel
// can tell a peer that takes it slowly from one that takes nothing.
#pragma once

#include <cstdint>

namespace parley::server {

// In bytes; all 0 of what is no connection (any more).
struct tcp_progress {
  std::uint64_t acked = 0;    // written and confirmed by the peer's kernel, since the connection began
  std::uint64_t unacked = 0;  // written and not confirmed yet
  std::uint64_t unread = 0;   // came from the peer and was not read yet
};

[[nodiscard]] tcp_progress progress_of(int socket) noexcept;

}  // namespace parley::server
