#include "server/pinger.hpp"

#include "server/write_patience.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>
#include <utility>

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
    const bool answered = co_await wait_for_pong();
    if (!answered) co_return close_reason::ping_timeout;
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

// It waits behind the message that is being written, for as long as the peer takes something of that.
task<void> pinger::expire_write() {
  write_patience patience(limits_.write_timeout);
  const auto began = now();
  while (true) {
    patience.look(socket_.progress().acked, now());
    if (patience.due(began) <= now()) co_return;
    write_timer_.expires_after(patience.pause());
    const auto [cancelled] = co_await write_timer_.async_wait(awaited_tuple);
    if (cancelled) co_return;
  }
}

task<bool> pinger::wait_for_pong() {
  auto seen = socket_.progress();
  const auto end_of_ping = seen.acked + seen.unacked;
  auto since = now();
  while (!answered_) {
    since = std::max(since, socket_.heard_in_message());
    if (now() < since + limits_.timeout) {
      co_await pong_.wait(since + limits_.timeout);
      continue;
    }
    const auto before = std::exchange(seen, socket_.progress());
    const bool still_taking = before.acked < end_of_ping && seen.acked > before.acked;
    // Its answer may be among what the reader has not come to yet.
    if (!still_taking && seen.unread == 0) co_return false;
    since = now();
  }
  co_return true;
}

pinger::time_point pinger::silent_at() const {
  return limits_.silence ? std::max(heard_at_, socket_.heard_in_message()) + *limits_.silence : time_point::max();
}

}  // namespace parley::server
