// One session on one socket, from the accepted upgrade to the released slot: owns the WebSocket, the host, the reader
// and the writer, runs their coroutines side by side and joins them. Whoever ends first gives the reason; the others
// are cancelled, and the session is closed, which ends the work of its model.
#pragma once

#include "server/executor.hpp"
#include "server/handshake.hpp"
#include "server/http_message.hpp"
#include "server/services.hpp"

namespace parley::server {

// The permit is held for as long as the session lives, which can be shorter than its socket. Cancellation: terminal.
// Lifetime: `shared` outlives the task.
[[nodiscard]] task<void> serve_session(tcp_socket socket, http_request request, session_wish wish,
                                       permit_pool::permit place, services& shared);

}  // namespace parley::server
