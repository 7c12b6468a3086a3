// Whether a peer is still there: pings it now and then, and ends with the reason when it answers none in time, when a
// ping can not be written, or when nothing at all came from it for too long. A peer that is still taking what was
// written before the ping, or is inside of a message of its own, can not answer yet: its time begins with its last
// progress. Lifecycle: a part of what serves a socket;
// run() is one of its children.
#pragma once

#include "runtime/close_reason.hpp"
#include "server/alarm.hpp"
#include "server/websocket.hpp"

#include <chrono>
#include <optional>

namespace parley::server {

struct ping_limits {
  std::chrono::steady_clock::duration interval;
  std::chrono::steady_clock::duration timeout;
  std::chrono::steady_clock::duration write_timeout;
  std::optional<std::chrono::steady_clock::duration> silence{};  // no message and no pong; empty = any time
};

class pinger {
 public:
  pinger(executor home, websocket& socket, const ping_limits& limits);
  pinger(const pinger&) = delete;
  pinger& operator=(const pinger&) = delete;

  // Cancellation: terminal; may lose the socket. Lifetime: socket and pinger outlive the task.
  [[nodiscard]] task<runtime::close_reason> run();
  // How long the peer may be silent from now on; empty = any time.
  void allow_silence(std::optional<std::chrono::steady_clock::duration> limit);
  // The peer sent something.
  void heard() noexcept { heard_at_ = std::chrono::steady_clock::now(); }

 private:
  using time_point = std::chrono::steady_clock::time_point;
  // Empty when it was written; timed_out when not in time.
  task<error_code> ping();
  task<void> expire_write();
  // False when the pong did not come in time.
  task<bool> wait_for_pong();
  [[nodiscard]] time_point silent_at() const;

  websocket& socket_;
  ping_limits limits_;
  alarm pong_;
  steady_timer write_timer_;
  time_point heard_at_;
  bool answered_ = false;
  // Thread safety: none; used on the socket's executor.
};

}  // namespace parley::server
