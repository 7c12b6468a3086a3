// Reads one message after the other and hands each to the session before the next is read. It never waits for a model:
// what a command sets off happens behind the host. It waits for the client: while the answers to what it sent find no
// room, nothing more is read, so a client that pipelines is slowed to the speed at which it reads. Lifecycle: a local
// of the coroutine that serves the session; run() is one of its children.
#pragma once

#include "protocol/decode.hpp"
#include "runtime/close_reason.hpp"
#include "server/alarm.hpp"
#include "server/session_host.hpp"
#include "server/socket_writer.hpp"
#include "server/websocket.hpp"

namespace parley::server {

class socket_reader {
 public:
  socket_reader(executor home, protocol::dialect spoken, session_host& host, websocket& socket,
                const socket_writer& writer)
      : host_(host), socket_(socket), writer_(writer), room_(home), never_(home), decoder_(spoken) {}
  socket_reader(const socket_reader&) = delete;
  socket_reader& operator=(const socket_reader&) = delete;

  // Ends when the peer closed or the socket is lost. Cancellation: terminal; loses the socket. Lifetime: host, socket
  // and reader outlive the task.
  [[nodiscard]] task<runtime::close_reason> run();

 private:
  void handle_message();
  // Ends at once where there is room; at the latest when the socket is lost, which cancels it.
  task<void> wait_for_room();

  session_host& host_;
  websocket& socket_;
  const socket_writer& writer_;
  alarm room_;  // rung by the host
  alarm never_;
  protocol::decoder decoder_;
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
