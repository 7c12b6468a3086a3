// One WebSocket of the duplex dialect, as its session sees it. The socket stays on the executor that accepted it and is
// read there; a session on any executor writes to it, ends it or cuts it off. Lifecycle: shared by the coroutine that
// serves the socket and the session that it is attached to, because either may end first.
#pragma once

#include "server/alarm.hpp"
#include "server/executor.hpp"
#include "server/websocket.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace parley::server {

// How a socket ends: a last message, if any, then the close frame.
struct farewell {
  std::shared_ptr<const std::string> last_words{};
  std::uint16_t code = 1000;  // 0: it is cut off
  std::string text{};
};

class duplex_socket {
 public:
  using pointer = std::shared_ptr<duplex_socket>;

  duplex_socket(tcp_socket socket, const websocket_limits& limits, std::chrono::steady_clock::duration write_timeout);
  duplex_socket(const duplex_socket&) = delete;
  duplex_socket& operator=(const duplex_socket&) = delete;

  // ---- the session's side, from any executor --------------------------------------------------------------------
  // One write at a time. Ends in bounded time only when the socket is cut off. Lifetime: the caller holds the socket.
  [[nodiscard]] task<error_code> write(std::shared_ptr<const std::string> bytes);
  // The first one holds. REQUIRES: no write is pending, and none follows.
  static void say_goodbye(const pointer& to, farewell last);
  static void abort(const pointer& socket);
  // What the peer's kernel has confirmed.
  [[nodiscard]] task<std::uint64_t> bytes_acked();
  // The peer has gone, known without waiting: what it sent before does not count.
  [[nodiscard]] task<bool> is_gone();
  // The peer said something after it was attached: so it has got the message that attached it.
  [[nodiscard]] bool was_heard() const noexcept { return heard_; }

  // ---- the side of the coroutine that serves it, on its executor ------------------------------------------------
  [[nodiscard]] websocket& stream() noexcept { return stream_; }
  void note_heard() noexcept { heard_ = true; }
  [[nodiscard]] bool is_leaving() const noexcept { return farewell_.has_value(); }
  // Until goodbye is said, or that time.
  [[nodiscard]] task<void> wait_for_goodbye(std::chrono::steady_clock::time_point until);
  // Says it. Cancellation: terminal. REQUIRES: is_leaving().
  [[nodiscard]] task<void> leave();

 private:
  [[nodiscard]] task<error_code> write_here(std::shared_ptr<const std::string> bytes);
  task<bool> look_for_peer();
  task<std::uint64_t> look_for_acks();
  task<void> close();
  task<void> expire();

  const executor home_;
  const std::chrono::steady_clock::duration write_timeout_;
  websocket stream_;
  alarm goodbye_;
  steady_timer patience_;
  std::optional<farewell> farewell_;
  std::atomic<bool> heard_ = false;
  // Thread safety: as the two groups say.
};

}  // namespace parley::server
