// The deadlines of a live session: the session's own timer, a write that does not complete, a closed session whose
// queue does not drain, and a peer that answers no ping. Lifecycle: a local of the coroutine that serves the session;
// deadlines() and pings() are two of its children.
#pragma once

#include "runtime/close_reason.hpp"
#include "server/alarm.hpp"
#include "server/session_host.hpp"
#include "server/socket_writer.hpp"
#include "server/websocket.hpp"

#include <chrono>
#include <optional>

namespace parley::server {

struct watch_limits {
  std::chrono::steady_clock::duration ping_interval;
  std::chrono::steady_clock::duration ping_timeout;
  std::chrono::steady_clock::duration write_timeout;
};

class socket_watch {
 public:
  // `deadline_alarm` is the one that the host rings.
  socket_watch(executor home, alarm& deadline_alarm, session_host& host, const socket_writer& writer, websocket& socket,
               const watch_limits& limits);
  socket_watch(const socket_watch&) = delete;
  socket_watch& operator=(const socket_watch&) = delete;

  // End with the reason when the socket has to be given up. Cancellation: terminal. Lifetime: all parts and the watch
  // outlive the tasks.
  [[nodiscard]] task<runtime::close_reason> deadlines();
  [[nodiscard]] task<runtime::close_reason> pings();

 private:
  using time_point = runtime::time_point;
  // Since when the oldest event or ping that is being written waits.
  [[nodiscard]] std::optional<time_point> oldest_write() const;
  // When deadlines() must look again, at the latest.
  [[nodiscard]] time_point next_look(time_point now) const;

  alarm& deadline_alarm_;
  session_host& host_;
  const socket_writer& writer_;
  websocket& socket_;
  const watch_limits limits_;
  alarm pong_;
  bool answered_ = false;
  std::optional<time_point> pinging_since_;
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
