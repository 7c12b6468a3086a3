// The runtime's speech_detector on WebRTC's audio processing: high-pass filter, noise suppression, voice detector, in
// this order, at 16 kHz; other rates are converted first, which delays the answer by one frame. What the three say of a
// frame becomes a probability in voice_level.
#pragma once

#include "protocol/session_settings.hpp"
#include "runtime/speech_detector.hpp"

#include <memory>
#include <optional>

namespace parley::adapters::audio {

// `noise` sets how much is suppressed: far_field most. Throws std::runtime_error when the processor can not be made.
// REQUIRES: rate_hz is a multiple of 100 in 8000..48000.
[[nodiscard]] std::unique_ptr<runtime::speech_detector> make_webrtc_speech_detector(
    int rate_hz, std::optional<protocol::noise_reduction> noise);

}  // namespace parley::adapters::audio
