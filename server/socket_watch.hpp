// The deadlines of a live session: the session's own timer, a write that makes no progress, and a closed session whose
// queue does not drain. Lifecycle: a local of the coroutine that serves the session; deadlines() is one of its
// children.
#pragma once

#include "runtime/close_reason.hpp"
#include "server/alarm.hpp"
#include "server/session_host.hpp"
#include "server/socket_writer.hpp"
#include "server/websocket.hpp"
#include "server/write_patience.hpp"

#include <chrono>

namespace parley::server {

class socket_watch {
 public:
  // `deadline_alarm` is the one that the host rings.
  socket_watch(alarm& deadline_alarm, session_host& host, const websocket& socket, const socket_writer& writer,
               std::chrono::steady_clock::duration write_timeout)
      : deadline_alarm_(deadline_alarm),
        host_(host),
        socket_(socket),
        writer_(writer),
        write_timeout_(write_timeout),
        patience_(write_timeout) {}
  socket_watch(const socket_watch&) = delete;
  socket_watch& operator=(const socket_watch&) = delete;

  // Ends with the reason when the socket has to be given up. Cancellation: terminal. Lifetime: all parts and the watch
  // outlive the task.
  [[nodiscard]] task<runtime::close_reason> deadlines();

 private:
  using time_point = runtime::time_point;
  // When deadlines() must look again, at the latest.
  [[nodiscard]] time_point next_look(time_point now) const;

  alarm& deadline_alarm_;
  session_host& host_;
  const websocket& socket_;
  const socket_writer& writer_;
  const std::chrono::steady_clock::duration write_timeout_;
  write_patience patience_;
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
