// The one consumer of a session's delivery buffer: takes an event, sequences it under the buffer's guard, tells the
// session, writes. It takes the next event only when the write before it has completed, so what is invalidated while it
// waits is never written. After the last event it does the closing handshake.
// Lifecycle: a local of the coroutine that serves the session; run() is one of its children.
#pragma once

#include "runtime/clock.hpp"
#include "runtime/close_reason.hpp"
#include "server/alarm.hpp"
#include "server/session_host.hpp"
#include "server/websocket.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace parley::server {

class socket_writer {
 public:
  socket_writer(executor home, session_host& host, websocket& socket) : host_(host), socket_(socket), news_(home) {}
  socket_writer(const socket_writer&) = delete;
  socket_writer& operator=(const socket_writer&) = delete;

  // Ends when the socket is closed or lost. Cancellation: terminal; loses the socket. Lifetime: host, socket and writer
  // outlive the task.
  [[nodiscard]] task<runtime::close_reason> run();

  // Since when a write is under way; empty between writes.
  [[nodiscard]] std::optional<runtime::time_point> writing_since() const noexcept { return writing_since_; }
  // The closing handshake has begun: nothing more is read or written.
  [[nodiscard]] bool is_closing() const noexcept { return closing_; }

 private:
  // The bytes of the held event, or null when it was invalidated.
  std::shared_ptr<const std::string> sequence_held();
  // Until the buffer is drained, or the failure.
  task<error_code> write_events();
  task<error_code> write(const std::string& bytes);

  session_host& host_;
  websocket& socket_;
  alarm news_;  // rung by the buffer; only the host puts, so always on the executor
  std::uint64_t next_sequence_ = 1;
  std::optional<runtime::time_point> writing_since_;
  bool closing_ = false;
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
