#include "server/socket_watch.hpp"

#include <algorithm>

namespace parley::server {

using runtime::close_reason;

namespace {

runtime::time_point now() { return std::chrono::steady_clock::now(); }

}  // namespace

task<close_reason> socket_watch::deadlines() {
  while (true) {
    const auto at = now();
    host_.wake_if_due(at);
    patience_.look(socket_.progress().acked, at);
    const auto since = writer_.writing_since();
    if (since && patience_.due(*since) <= at) co_return close_reason::write_timeout;
    const auto ended = host_.closed_at();
    if (ended && patience_.due_after_end(*ended) <= at) co_return host_.reason();
    co_await deadline_alarm_.wait(next_look(at));
  }
}

// Writes are not watched one by one: looking once a write_timeout finds every write under way; from then on it is
// looked at often enough to see its progress.
socket_watch::time_point socket_watch::next_look(time_point at) const {
  const auto since = writer_.writing_since();
  auto next = at + (since ? patience_.pause() : write_timeout_);
  if (since) next = std::min(next, patience_.due(*since));
  if (const auto ended = host_.closed_at()) {
    return std::min({next, at + patience_.pause(), patience_.due_after_end(*ended)});
  }
  if (const auto due = host_.deadline()) next = std::min(next, *due);
  return next;
}

}  // namespace parley::server
