// Where a connection comes from, and the wait that a guesser's address has to take.
#pragma once

#include "server/executor.hpp"
#include "server/guess_table.hpp"

#include <boost/asio/ip/address.hpp>

namespace parley::server {

// 0.0.0.0 when the peer has gone already.
[[nodiscard]] asio::ip::address address_of(const tcp_socket& socket);

// Before a key or token from there is looked at. Cancellation: terminal. Lifetime: the table outlives the task.
[[nodiscard]] task<void> wait_for_turn(asio::ip::address from, const guess_table& guesses);

}  // namespace parley::server
