// Lets one coroutine wait for a time or for a call, whichever is first. A ring that comes while nobody waits is kept,
// so none is lost between looking and waiting.
#pragma once

#include "server/executor.hpp"

#include <chrono>

namespace parley::server {

class alarm {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit alarm(executor home) : timer_(home) {}

  // Returns at `until` or on ring(). One waiter at a time. Cancellation: terminal. Lifetime: the alarm outlives the
  // task.
  [[nodiscard]] task<void> wait(time_point until = time_point::max()) {
    if (!rung_) {
      armed_ = until;
      timer_.expires_at(until);
      co_await timer_.async_wait(awaited_tuple);
      armed_ = time_point::min();
    }
    rung_ = false;
  }

  void ring() {
    rung_ = true;
    timer_.cancel();
  }

  // Rings only when the waiter would sleep beyond `due`.
  void ring_before(time_point due) {
    if (due < armed_) ring();
  }

 private:
  steady_timer timer_;
  time_point armed_ = time_point::min();  // min = nobody waits
  bool rung_ = false;
  // Thread safety: none; used on its executor.
};

}  // namespace parley::server
