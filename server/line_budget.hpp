// How many lines may be logged in a time: so many at once, and after that so many a second. What is refused is counted,
// so that the next line can say how much is missing. The clock is passed in.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace parley::server {

template <class TimePoint>
class line_budget {
 public:
  // REQUIRES: both are positive.
  line_budget(int burst, int per_second) : burst_(burst), per_second_(per_second), left_(burst) {}

  // False: that line is left out.
  [[nodiscard]] bool take(TimePoint now) {
    refill(now);
    if (left_ < 1) {
      ++left_out_;
      return false;
    }
    left_ -= 1;
    return true;
  }
  // Lines left out since it was asked last.
  [[nodiscard]] std::uint64_t take_left_out() noexcept { return std::exchange(left_out_, 0); }

 private:
  // A clock that was set back gives nothing.
  void refill(TimePoint now) {
    if (started_ && now > at_) {
      const std::chrono::duration<double> passed = now - at_;
      left_ = std::min<double>(burst_, left_ + passed.count() * per_second_);
    }
    if (!started_ || now > at_) at_ = now;
    started_ = true;
  }

  const int burst_;
  const int per_second_;
  double left_;
  std::uint64_t left_out_ = 0;
  TimePoint at_{};
  bool started_ = false;
};

}  // namespace parley::server
