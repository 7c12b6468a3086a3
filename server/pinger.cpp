#include "server/pinger.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>

namespace parley::server {

using namespace boost::asio::experimental::awaitable_operators;
using runtime::close_reason;

namespace {

auto now() { return std::chrono::steady_clock::now(); }

}  // namespace

pinger::pinger(executor home, websocket& socket, const ping_limits& limits)
    : socket_(socket), limits_(limits), pong_(home), write_timer_(home), heard_at_(now()) {
  socket_.on_pong([this] {
    answered_ = true;
    heard();
    pong_.ring();
  });
}

void pinger::allow_silence(std::optional<std::chrono::steady_clock::duration> limit) {
  limits_.silence = limit;
  pong_.ring();
}

task<close_reason> pinger::run() {
  auto next = now() + limits_.interval;
  while (true) {
    while (now() < std::min(next, silent_at())) co_await pong_.wait(std::min(next, silent_at()));
    if (now() >= silent_at()) co_return close_reason::ping_timeout;
    answered_ = false;
    const auto sent = now();
    const auto failure = co_await ping();
    if (failure == asio::error::timed_out) co_return close_reason::write_timeout;
    if (failure) break;
    while (!answered_ && now() < sent + limits_.timeout) co_await pong_.wait(sent + limits_.timeout);
    if (!answered_) co_return close_reason::ping_timeout;
    next = sent + limits_.interval;
  }
  // The socket is closing or lost: whoever closes it decides the end.
  while (true) co_await pong_.wait();
}

// While the reader ends the socket after a mistake of the peer, a ping waits for good: hence its deadline.
task<error_code> pinger::ping() {
  const auto outcome = co_await (socket_.ping() || expire_write());
  if (outcome.index() == 1) co_return asio::error::timed_out;
  co_return std::get<0>(std::get<0>(outcome));
}

task<void> pinger::expire_write() {
  write_timer_.expires_after(limits_.write_timeout);
  co_await write_timer_.async_wait(awaited_tuple);
}

pinger::time_point pinger::silent_at() const {
  return limits_.silence ? heard_at_ + *limits_.silence : time_point::max();
}

}  // namespace parley::server
