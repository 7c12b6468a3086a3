// How long a session of the duplex dialect lives without being used: the idle lease while anything may come, the grace
// while no socket is attached. Looked at on the reaper's beat, so an end comes up to one beat late.
// Thread safety: none; owned by the session.
#pragma once

#include "runtime/clock.hpp"

#include <algorithm>
#include <optional>

namespace parley::runtime {

class lease {
 public:
  lease(duration grace, duration beat) noexcept : grace_(grace), beat_(std::max<duration>(beat, duration{1})) {}

  void start(time_point now) noexcept { started_ = touched_ = now; }
  void touch(time_point at) noexcept { touched_ = std::max(touched_, at); }
  void detach(time_point now) noexcept { detached_ = now; }
  void attach(time_point now) noexcept {
    detached_.reset();
    touched_ = now;
  }

  [[nodiscard]] bool grace_over(time_point now) const noexcept { return detached_ && now >= *detached_ + grace_; }
  [[nodiscard]] bool idle_over(std::optional<duration> idle, time_point now) const noexcept {
    return idle && now >= touched_ + *idle;
  }
  // When to look; `idle` is empty while the lease can not run out.
  [[nodiscard]] std::optional<time_point> deadline(std::optional<duration> idle) const noexcept {
    std::optional<time_point> due;
    if (detached_) due = *detached_ + grace_;
    if (idle) due = std::min(due.value_or(time_point::max()), touched_ + *idle);
    return due ? std::optional{on_beat(*due)} : std::nullopt;
  }

 private:
  [[nodiscard]] time_point on_beat(time_point due) const noexcept {
    if (due <= started_) return started_;
    const auto beats = (due - started_ + beat_ - duration{1}) / beat_;
    return started_ + beats * beat_;
  }

  duration grace_;
  duration beat_;
  time_point started_{};
  time_point touched_{};
  std::optional<time_point> detached_;
};

}  // namespace parley::runtime
