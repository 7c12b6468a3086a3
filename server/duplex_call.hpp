// One socket of the duplex dialect, from the accepted upgrade to its end: opens or resumes a session, by itself or as
// the first message says, then hands it every message. The session is a task of its own (live_session): this one ends
// with the socket.
#pragma once

#include "server/executor.hpp"
#include "server/handshake.hpp"
#include "server/http_message.hpp"
#include "server/services.hpp"

namespace parley::server {

// Cancellation: terminal. Lifetime: `shared` outlives the task.
[[nodiscard]] task<void> serve_duplex(tcp_socket socket, http_request request, session_wish wish, services& shared);

}  // namespace parley::server
