// When a write has to be given up: not a time after it began, but a time after the peer last took something of it, so
// that a slow link may take as long as it needs. Fed with what the peer's kernel has confirmed, as often as somebody
// looks; what it confirmed since the look before counts as confirmed now. No I/O; the clock is passed in.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace parley::server {

class write_patience {
 public:
  using duration = std::chrono::steady_clock::duration;
  using time_point = std::chrono::steady_clock::time_point;

  explicit write_patience(duration timeout) : timeout_(timeout) {}

  void look(std::uint64_t acked_bytes, time_point now) {
    if (acked_bytes == acked_) return;
    acked_ = acked_bytes;
    moved_ = now;
  }
  // Of the write that began then.
  [[nodiscard]] time_point due(time_point began) const { return std::max(began, moved_) + timeout_; }
  // Of everything that a session which ended then still has to say: with progress longer, but not for good.
  [[nodiscard]] time_point due_after_end(time_point ended) const {
    return std::min(due(ended), ended + last_words_timeouts * timeout_);
  }
  // How long after a look the next one of a write is due, so that a silent peer has little more than its time.
  [[nodiscard]] duration pause() const { return timeout_ / 4; }

 private:
  static constexpr int last_words_timeouts = 6;

  const duration timeout_;
  std::uint64_t acked_ = 0;
  time_point moved_ = time_point::min();
};

}  // namespace parley::server
