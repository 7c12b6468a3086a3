#include "adapters/audio/voice_level.hpp"

#include <algorithm>

namespace parley::adapters::audio {
namespace {

constexpr float lowest_floor_dbfs = -53;
constexpr float unlikely_db = 3;          // above the floor: what noise itself reaches
constexpr float certain_db = 15;          // above the floor
constexpr float noise_is_certain = 0.9F;  // of the suppressor's estimate, 0.99 in steady noise
constexpr float noise_rise = 0.03F;       // of the gap per frame: a third of a second to follow
constexpr float other_rise_db = 0.02F;    // per frame: 2 dB a second
constexpr float fall = 0.3F;              // of the gap per frame
constexpr float attack = 0.5F;            // of the gap per frame
constexpr float release = 0.15F;          // of the gap per frame

}  // namespace

float voice_level::next(const frame_features& frame) noexcept {
  follow_floor(frame);
  const float above_db = frame.level_dbfs - floor_dbfs_;
  const float likely = std::clamp((above_db - unlikely_db) / (certain_db - unlikely_db), 0.0F, 1.0F);
  const float now = frame.voice ? likely : 0;
  smoothed_ += (now - smoothed_) * (now > smoothed_ ? attack : release);
  return smoothed_;
}

void voice_level::follow_floor(const frame_features& frame) noexcept {
  const float gap = frame.level_dbfs - floor_dbfs_;
  if (gap < 0) {
    floor_dbfs_ += gap * fall;
  } else if (frame.noise_certainty >= noise_is_certain) {
    floor_dbfs_ += gap * noise_rise;
  } else {
    floor_dbfs_ += std::min(gap, other_rise_db);
  }
  floor_dbfs_ = std::max(floor_dbfs_, lowest_floor_dbfs);
}

}  // namespace parley::adapters::audio
