// The wire forms of a sample: ITU-T G.711 (one byte, table driven both ways; any byte decodes, any sample encodes),
// PCM16 and 32-bit floats. int16 inside.
#pragma once

#include "protocol/audio_format.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace parley::protocol {

[[nodiscard]] std::int16_t ulaw_decode(std::uint8_t code) noexcept;
[[nodiscard]] std::int16_t alaw_decode(std::uint8_t code) noexcept;
[[nodiscard]] std::uint8_t ulaw_encode(std::int16_t sample) noexcept;
[[nodiscard]] std::uint8_t alaw_encode(std::int16_t sample) noexcept;

// Wire bytes -> samples. A dangling odd byte of PCM16 is left out. REQUIRES: out has in.size() / bytes_per_sample room.
// Returns the samples written. PCM16 and floats are little endian; wav is read and written as PCM16, without a header.
std::size_t decode_samples(audio_encoding encoding, std::span<const std::uint8_t> in, std::int16_t* out) noexcept;

// Samples -> wire bytes. REQUIRES: out has in.size() * bytes_per_sample room.
void encode_samples(audio_encoding encoding, std::span<const std::int16_t> in, std::uint8_t* out) noexcept;

}  // namespace parley::protocol
