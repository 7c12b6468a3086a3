#include "server/socket_reader.hpp"

#include <utility>

namespace parley::server {

using runtime::close_reason;

namespace {

protocol::wire_error binary_refused() {
  return {.code = protocol::errc::invalid_value,
          .message = "Binary messages are not accepted: send JSON events as text messages, audio as base64."};
}

}  // namespace

task<close_reason> socket_reader::run() {
  // At the frame, not at the end of the handshake: the model must not work on for a peer that takes its time (C58).
  socket_.on_close([this] { host_.close(close_reason::client_close); });
  host_.on_room([this] { room_.ring(); });
  while (true) {
    const auto [ec, bytes] = co_await socket_.read();
    if (is_orderly_close(ec)) co_return close_reason::client_close;
    if (ec) break;
    handle_message();
    socket_.drop_message();
    if (!host_.takes_commands()) co_await wait_for_room();
  }
  // The writer's closing handshake has taken over the reading: it decides the end, within its own deadline.
  if (writer_.is_closing()) co_await never_.wait();
  co_return close_reason::disconnect;
}

// A session that has ended takes no commands, but its socket is read for the close frame.
task<void> socket_reader::wait_for_room() {
  while (!host_.takes_commands() && !host_.closed_at()) co_await room_.wait();
}

void socket_reader::handle_message() {
  if (host_.closed_at()) return;
  if (!socket_.message_is_text()) return host_.on(binary_refused());
  auto decoded = decoder_.decode(socket_.message());
  if (decoded) {
    host_.on(*decoded);
  } else {
    host_.on(std::move(decoded).error());
  }
}

}  // namespace parley::server
