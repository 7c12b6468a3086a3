// Whether a message that is not complete yet comes in fast enough: a limit of the whole message's time would cut a
// large one on a slow link, no limit would let a peer hold memory for good. So every 256 KiB of it have `time` to come,
// the last ones too: what is smaller must be complete in that time, and a stall is noticed whatever came before. No
// I/O; the clock is passed in. Thread safety: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace parley::server {

class message_pace {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::size_t step_bytes = 256 * 1024;

  explicit message_pace(std::chrono::steady_clock::duration time) : time_(time) {}

  // A piece came and the message is not complete.
  void advance(std::size_t bytes, time_point now) {
    came_ += bytes;
    if (step_began_ && came_ < step_bytes) return;
    came_ = step_began_ ? 0 : bytes;
    step_began_ = now;
  }
  void complete() noexcept {
    step_began_.reset();
    came_ = 0;
  }
  // When it has taken too long; empty: no message is incomplete.
  [[nodiscard]] std::optional<time_point> due() const {
    return step_began_ ? std::optional(*step_began_ + time_) : std::nullopt;
  }

 private:
  const std::chrono::steady_clock::duration time_;
  std::optional<time_point> step_began_;
  std::size_t came_ = 0;  // of the step
};

}  // namespace parley::server
