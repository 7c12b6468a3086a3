// One accepted socket: HTTP requests, one after the other, until it is closed or opens a session.
#pragma once

#include "server/executor.hpp"
#include "server/permits.hpp"
#include "server/services.hpp"

namespace parley::server {

// Cancellation: terminal. Lifetime: `shared` outlives the task; the permit is held until it ends.
[[nodiscard]] task<void> serve_connection(tcp_socket socket, permit_pool::permit held, services& shared);

}  // namespace parley::server
