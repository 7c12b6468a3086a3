// What a stretch of samples amounts to, whatever it says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace parley::adapters::audio {

// A muted microphone, not a quiet room: no room is this quiet.
[[nodiscard]] inline bool is_digital_silence(std::span<const std::int16_t> samples) {
  constexpr int loudest = 3;  // of 32768
  return std::all_of(samples.begin(), samples.end(), [](int sample) { return std::abs(sample) <= loudest; });
}

}  // namespace parley::adapters::audio
