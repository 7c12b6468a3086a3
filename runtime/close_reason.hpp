// Why a session or its socket ended: one enum, with total functions to the WebSocket close code and a short text.
#pragma once

#include <cstdint>
#include <string_view>

namespace parley::runtime {

enum class close_reason : std::uint8_t {
  client_close,         // 1000: the client closed the socket
  disconnect,           // no close frame can be sent: the socket was lost
  shutdown,             // 1012: drain
  session_expired,      // 1001: maximum session time
  output_backpressure,  // 1013: the client does not read
  policy_violation,     // 1008: flood of bad messages, refused model
  write_timeout,        // disconnect: no write completed in time
  ping_timeout,         // disconnect: the peer answers no ping
  message_timeout,      // 1008: a message that was begun did not come to its end
  model_lost,           // 1011
  internal_error,       // 1011
  // duplex
  idle_expired,         // 1000: the lease ran out; session.expired, idle_ttl_expired
  grace_expired,        // nobody came back in time: session.expired, disconnect_grace_expired
  session_replaced,     // 1000: of a socket that another one took over
  created_undelivered,  // the socket died before session.created was written
  config_timeout,       // 1008: no first message
};

// 0 where no close frame can be sent.
[[nodiscard]] std::uint16_t close_code(close_reason reason) noexcept;
[[nodiscard]] std::string_view close_text(close_reason reason) noexcept;
// `reason` of session.closed and session.expired: one for every way a socket is lost.
[[nodiscard]] std::string_view duplex_text(close_reason reason) noexcept;

}  // namespace parley::runtime
