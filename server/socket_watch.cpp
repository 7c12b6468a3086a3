#include "server/socket_watch.hpp"

#include <algorithm>

namespace parley::server {

using runtime::close_reason;

namespace {

runtime::time_point now() { return std::chrono::steady_clock::now(); }

}  // namespace

socket_watch::socket_watch(executor home, alarm& deadline_alarm, session_host& host, const socket_writer& writer,
                           websocket& socket, const watch_limits& limits)
    : deadline_alarm_(deadline_alarm), host_(host), writer_(writer), socket_(socket), limits_(limits), pong_(home) {
  socket_.on_pong([this] {
    answered_ = true;
    pong_.ring();
  });
}

task<close_reason> socket_watch::deadlines() {
  while (true) {
    const auto at = now();
    host_.wake_if_due(at);
    const auto since = oldest_write();
    if (since && *since + limits_.write_timeout <= at) co_return close_reason::write_timeout;
    const auto ended = host_.closed_at();
    if (ended && *ended + limits_.write_timeout <= at) co_return host_.reason();
    co_await deadline_alarm_.wait(next_look(at));
  }
}

std::optional<socket_watch::time_point> socket_watch::oldest_write() const {
  const auto event = writer_.writing_since();
  return event && pinging_since_ ? std::min(*event, *pinging_since_) : (event ? event : pinging_since_);
}

// Writes are not watched one by one: looking once a write_timeout finds every write under way early enough to wait for
// the exact end of its time.
socket_watch::time_point socket_watch::next_look(time_point at) const {
  auto next = oldest_write().value_or(at) + limits_.write_timeout;
  if (const auto ended = host_.closed_at()) return std::min(next, *ended + limits_.write_timeout);
  if (const auto due = host_.deadline()) next = std::min(next, *due);
  return next;
}

task<close_reason> socket_watch::pings() {
  auto next = now() + limits_.ping_interval;
  while (true) {
    while (now() < next) co_await pong_.wait(next);
    answered_ = false;
    const auto sent = now();
    // While the reader ends the socket after a mistake of the peer, a ping waits for good: hence its deadline.
    pinging_since_ = sent;
    const auto [failure] = co_await socket_.ping();
    pinging_since_.reset();
    if (failure) break;
    while (!answered_ && now() < sent + limits_.ping_timeout) co_await pong_.wait(sent + limits_.ping_timeout);
    if (!answered_) co_return close_reason::ping_timeout;
    next = sent + limits_.ping_interval;
  }
  // The socket is closing or lost: whoever closes it decides the end.
  while (true) co_await pong_.wait();
}

}  // namespace parley::server
