#include "server/peer.hpp"

namespace parley::server {

asio::ip::address address_of(const tcp_socket& socket) {
  error_code ec;
  return socket.remote_endpoint(ec).address();
}

task<void> wait_for_turn(asio::ip::address from, const guess_table& guesses) {
  const auto delay = guesses.delay(from, std::chrono::steady_clock::now());
  if (delay <= delay.zero()) co_return;
  steady_timer timer(co_await asio::this_coro::executor, delay);
  co_await timer.async_wait(awaited_tuple);
}

}  // namespace parley::server
