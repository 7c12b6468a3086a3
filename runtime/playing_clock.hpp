// When the listener hears what: audio starts at max(now, end of the audio before it); a drop moves the end to now.
// One for the conversation, one for each out-of-band response.
#pragma once

#include "runtime/clock.hpp"

#include <algorithm>

namespace parley::runtime {

class playing_clock {
 public:
  // Where audio given now would start to play.
  [[nodiscard]] time_point next_start(time_point now) const noexcept { return std::max(now, end_); }
  // Takes the place for audio of that length and returns its start.
  time_point schedule(time_point now, duration length) noexcept {
    const time_point start = next_start(now);
    end_ = start + length;
    return start;
  }
  void drop(time_point now) noexcept { end_ = std::min(end_, now); }
  [[nodiscard]] time_point end() const noexcept { return end_; }

 private:
  time_point end_{};
};

}  // namespace parley::runtime
