// The audio encodings of the wire and the arithmetic between bytes, samples and milliseconds. Always mono.
// Inside the server audio is int16 samples at the rate of the wire; G.711 is coded and decoded at the edge (g711.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace parley::protocol {

// pcm_f32 comes in and wav goes out in the duplex dialect only: 32-bit floats in -1..1, and PCM16 of which every delta
// is a complete WAV file.
enum class audio_encoding : std::uint8_t { pcm16, g711_ulaw, g711_alaw, pcm_f32, wav };

struct audio_format {
  audio_encoding encoding = audio_encoding::pcm16;
  int rate_hz = 24000;  // 8000 for G.711
  friend bool operator==(const audio_format&, const audio_format&) = default;
};

// Bytes of one sample on the wire, a WAV header not counted.
[[nodiscard]] constexpr std::size_t bytes_per_sample(audio_encoding encoding) noexcept {
  switch (encoding) {
    case audio_encoding::pcm16:
    case audio_encoding::wav:
      return 2;
    case audio_encoding::pcm_f32:
      return 4;
    case audio_encoding::g711_ulaw:
    case audio_encoding::g711_alaw:
      break;
  }
  return 1;
}

// Whole milliseconds that `samples` last at `rate_hz`, rounded down.
[[nodiscard]] constexpr std::int64_t samples_to_ms(std::int64_t samples, int rate_hz) noexcept {
  return samples * 1000 / rate_hz;
}

// Samples of `ms` milliseconds, rounded down.
[[nodiscard]] constexpr std::int64_t ms_to_samples(std::int64_t ms, int rate_hz) noexcept {
  return ms * rate_hz / 1000;
}

[[nodiscard]] constexpr std::chrono::microseconds samples_to_time(std::int64_t samples, int rate_hz) noexcept {
  return std::chrono::microseconds{samples * 1'000'000 / rate_hz};
}

[[nodiscard]] constexpr std::int64_t time_to_samples(std::chrono::microseconds time, int rate_hz) noexcept {
  return time.count() * rate_hz / 1'000'000;
}

}  // namespace parley::protocol
