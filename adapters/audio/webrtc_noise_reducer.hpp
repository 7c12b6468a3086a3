// WebRTC APM's noise suppression as a noise_reducer, at any rate from 8000 to 48000 Hz. The suppressor itself works at
// 8, 16, 32 or 48 kHz; other rates go through the next higher one of these and back.
//
// `strength` picks one of two levels, as the suppressor has levels and no dial:
//
//               0          below 0.5     from 0.5
//   near_field  unchanged  10 dB         15 dB
//   far_field   unchanged  15 dB         20 dB, and a high-pass filter against rumble at both
//
// The figures are the most that it takes from steady noise. It learns the noise within about a second. What comes out
// is 6 ms late, 10 ms where the rate is converted. A microphone that is muted (digital silence) gives silence, and what
// was learned of the noise before is kept.
#pragma once

#include "runtime/speech_detector.hpp"

#include <memory>

namespace parley::adapters::audio {

// Throws std::runtime_error when it can not be made (memory).
// REQUIRES: rate_hz in 8000..48000, a multiple of 100.
[[nodiscard]] std::unique_ptr<runtime::noise_reducer> make_webrtc_noise_reducer(int rate_hz,
                                                                                const protocol::noise_reduction& noise);

}  // namespace parley::adapters::audio
