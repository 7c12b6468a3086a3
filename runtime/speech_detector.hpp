// Tells speech from everything else, 10 ms at a time. The turn logic (hysteresis, padding, silence) is runtime's
// turn_detector; implementations live in adapters/audio and convert the rate for themselves.
#pragma once

#include "protocol/session_settings.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace parley::runtime {

// Thread safety: none; one per session, used on the session's executor.
class speech_detector {
 public:
  virtual ~speech_detector() = default;
  // The probability (0..1) that this frame holds speech. REQUIRES: frame is exactly 10 ms at the detector's rate.
  [[nodiscard]] virtual float probability(std::span<const std::int16_t> frame) = 0;
  // Forgets what it adapted to; after a clear or a gap.
  virtual void reset() = 0;
};

// Takes noise out of input audio, 10 ms at a time; what the client asked for with noise_reduction.
// Thread safety: as speech_detector.
class noise_reducer {
 public:
  virtual ~noise_reducer() = default;
  // REQUIRES: frame is exactly 10 ms at the reducer's rate. Changes it in place.
  virtual void reduce(std::span<std::int16_t> frame) = 0;
};

// Makes a detector for input at `rate_hz`; called on the session's executor, must not block.
using speech_detector_factory =
    std::function<std::unique_ptr<speech_detector>(int rate_hz, std::optional<protocol::noise_reduction> noise)>;
using noise_reducer_factory =
    std::function<std::unique_ptr<noise_reducer>(int rate_hz, const protocol::noise_reduction& noise)>;

}  // namespace parley::runtime
