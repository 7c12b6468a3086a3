// One WebSocket: a thin class around the WebSocket library, which is instantiated in websocket.cpp alone. Text frames,
// one frame a message, no compression. The library answers pings and close frames while a read is pending, and closes
// by itself on broken frames and close codes that nobody may send (1002), broken UTF-8 (1007) and messages announced
// above the limit (1009). Lifecycle: a local of the connection coroutine; every task it returned has ended before it
// goes.
#pragma once

#include "protocol/decode.hpp"
#include "server/executor.hpp"
#include "server/http_message.hpp"
#include "server/tcp_progress.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace parley::server {

struct websocket_limits {
  std::size_t max_message_bytes;
  std::chrono::steady_clock::duration close_timeout;    // of the opening and the closing handshake
  std::chrono::steady_clock::duration message_timeout;  // of each message_pace::step_bytes of a message
};

class websocket {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  websocket(tcp_socket socket, const websocket_limits& limits);
  ~websocket();
  websocket(const websocket&) = delete;
  websocket& operator=(const websocket&) = delete;

  // Answers the upgrade, selecting `subprotocol` unless it is empty.
  [[nodiscard]] task<error_code> accept(const http_request& request, std::string subprotocol);

  // One read, one write, one ping and one close may be pending at the same time. Cancellation: terminal; the
  // connection is lost then. Lifetime: arguments live until the task ends.
  [[nodiscard]] task<std::tuple<error_code, std::size_t>> read();
  [[nodiscard]] task<std::tuple<error_code, std::size_t>> write(const std::string& text);
  [[nodiscard]] task<std::tuple<error_code>> ping();
  [[nodiscard]] task<error_code> close(std::uint16_t code, std::string_view reason);

  // The message that read() completed: valid, with padding behind it, until drop_message().
  [[nodiscard]] protocol::frame_view message();
  [[nodiscard]] bool message_is_text() const;
  // Also gives back the memory of a large message.
  void drop_message();

  // Called for every pong of the peer, inside read().
  void on_pong(std::function<void()> call);
  // Called when the peer's close frame arrives, inside read(), which ends only when the closing handshake is complete.
  void on_close(std::function<void()> call);
  [[nodiscard]] bool peer_closed() const noexcept;
  // Called when a message is not complete in its time; read() goes on. Without it the connection is cut.
  void on_stalled(std::function<void()> call);
  // When a part of a message came last that could not be read at once: the peer can not answer a ping inside of it.
  [[nodiscard]] time_point heard_in_message() const noexcept;
  [[nodiscard]] tcp_progress progress() const noexcept;
  // The connection has ended at the peer's side, as far as the kernel knows; false while unread bytes lie before it.
  [[nodiscard]] bool peer_is_gone() const noexcept;
  // Ends everything that is pending, without a close frame.
  void abort() noexcept;

 private:
  struct impl;
  const std::shared_ptr<impl> impl_;  // shared with its timer
  // Thread safety: none; used on the socket's executor.
};

// The peer's close frame was answered: the orderly end of a WebSocket.
[[nodiscard]] bool is_orderly_close(const error_code& ec) noexcept;

}  // namespace parley::server
