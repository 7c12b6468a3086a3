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
    const auto since = writer_.writing_since();
    if (since && *since + write_timeout_ <= at) co_return close_reason::write_timeout;
    const auto ended = host_.closed_at();
    if (ended && *ended + write_timeout_ <= at) co_return host_.reason();
    co_await deadline_alarm_.wait(next_look(at));
  }
}

// Writes are not watched one by one: looking once a write_timeout finds every write under way early enough to wait for
// the exact end of its time.
socket_watch::time_point socket_watch::next_look(time_point at) const {
  auto next = writer_.writing_since().value_or(at) + write_timeout_;
  if (const auto ended = host_.closed_at()) return std::min(next, *ended + write_timeout_);
  if (const auto due = host_.deadline()) next = std::min(next, *due);
  return next;
}

}  // namespace parley::server
