// The spellings of the OpenAI Realtime API, GA and beta, and of the duplex dialect. The one place where they stand side
// by side: the decoder accepts a session field in either, the encoder writes that of the dialect.
#pragma once

#include "protocol/event.hpp"

#include <string_view>

namespace parley::protocol {

struct spelling {
  std::string_view ga;
  std::string_view beta;      // of an event: empty = the dialect has no such event, it is not sent; so with all three
  std::string_view duplex{};  // events only
};

// ---- members of session and response ----------------------------------------------------------------------------
namespace spelled {
inline constexpr spelling modalities{"output_modalities", "modalities"};
inline constexpr spelling max_output_tokens{"max_output_tokens", "max_response_output_tokens"};
// Of GA: inside session.audio.input and session.audio.output. Of beta: flat.
inline constexpr spelling input_format{"format", "input_audio_format"};
inline constexpr spelling output_format{"format", "output_audio_format"};
inline constexpr spelling transcription{"transcription", "input_audio_transcription"};
inline constexpr spelling noise_reduction{"noise_reduction", "input_audio_noise_reduction"};
inline constexpr spelling turn_detection{"turn_detection", "turn_detection"};
inline constexpr spelling voice{"voice", "voice"};
inline constexpr spelling speed{"speed", "speed"};
// Types of an item's content parts.
inline constexpr spelling output_text{"output_text", "text"};
inline constexpr spelling output_audio{"output_audio", "audio"};
}  // namespace spelled

// ---- events -----------------------------------------------------------------------------------------------------
[[nodiscard]] const spelling& spelling_of(const event_body& body) noexcept;

}  // namespace parley::protocol
