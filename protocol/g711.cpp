#include "protocol/g711.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace parley::protocol {
namespace {

// A code is sign, exponent (3 bits) and mantissa (4 bits). mu-law has every bit inverted and a bias that makes each
// segment begin at a power of two; A-law has every second bit inverted and a linear first segment. On the wire a set
// sign bit means positive in both.

constexpr int ulaw_bias = 0x84;

constexpr std::int16_t expand_ulaw(int code) {
  const int plain = ~code & 0xff;
  const int magnitude = ((((plain & 0x0f) << 3) + ulaw_bias) << (plain >> 4 & 7)) - ulaw_bias;
  return static_cast<std::int16_t>((plain & 0x80) != 0 ? -magnitude : magnitude);
}

constexpr std::int16_t expand_alaw(int code) {
  const int plain = code ^ 0x55;
  const int exponent = plain >> 4 & 7;
  const int step_middle = ((plain & 0x0f) << 4) + 8;
  const int magnitude = exponent == 0 ? step_middle : (step_middle + 0x100) << (exponent - 1);
  return static_cast<std::int16_t>((plain & 0x80) != 0 ? magnitude : -magnitude);
}

// mu-law sees the upper 14 bits of a sample, A-law the upper 12; negative ones in one's complement, as the
// reference software of ITU-T G.191 does.
constexpr std::uint8_t compress_ulaw(int sample14) {
  const int magnitude = sample14 < 0 ? ~sample14 : sample14;
  const int biased = magnitude + (ulaw_bias >> 2) > 0x1fff ? 0x1fff : magnitude + (ulaw_bias >> 2);
  const int exponent = static_cast<int>(std::bit_width(static_cast<unsigned>(biased))) - 6;
  const int code = exponent << 4 | (biased >> (exponent + 1) & 0x0f);
  return static_cast<std::uint8_t>(~(code | (sample14 < 0 ? 0x80 : 0)) & 0xff);
}

constexpr std::uint8_t compress_alaw(int sample12) {
  const int magnitude = sample12 < 0 ? ~sample12 : sample12;
  const int width = static_cast<int>(std::bit_width(static_cast<unsigned>(magnitude)));
  const int exponent = width <= 4 ? 0 : width - 4;
  const int mantissa = exponent == 0 ? magnitude : magnitude >> (exponent - 1) & 0x0f;
  return static_cast<std::uint8_t>((exponent << 4 | mantissa | (sample12 < 0 ? 0 : 0x80)) ^ 0x55);
}

template <class Value, std::size_t Size, class Function>
constexpr std::array<Value, Size> table_of(int first, Function function) {
  std::array<Value, Size> table{};
  for (std::size_t i = 0; i < Size; ++i) table[i] = function(first + static_cast<int>(i));
  return table;
}

constexpr auto ulaw_samples = table_of<std::int16_t, 256>(0, expand_ulaw);
constexpr auto alaw_samples = table_of<std::int16_t, 256>(0, expand_alaw);
constexpr auto ulaw_codes = table_of<std::uint8_t, 1 << 14>(-(1 << 13), compress_ulaw);
constexpr auto alaw_codes = table_of<std::uint8_t, 1 << 12>(-(1 << 11), compress_alaw);

void samples_from_pcm16(std::span<const std::uint8_t> in, std::int16_t* out) noexcept {
  const std::size_t samples = in.size() / 2;
  if constexpr (std::endian::native == std::endian::little) {
    if (samples != 0) std::memcpy(out, in.data(), samples * 2);
  } else {
    for (std::size_t i = 0; i < samples; ++i) {
      out[i] = static_cast<std::int16_t>(static_cast<std::uint16_t>(in[2 * i] | in[2 * i + 1] << 8));
    }
  }
}

void pcm16_from_samples(std::span<const std::int16_t> in, std::uint8_t* out) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    if (!in.empty()) std::memcpy(out, in.data(), in.size_bytes());
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[2 * i] = static_cast<std::uint8_t>(in[i]);
      out[2 * i + 1] = static_cast<std::uint8_t>(static_cast<std::uint16_t>(in[i]) >> 8);
    }
  }
}

constexpr float full_scale = 32768.0F;

// What is louder than full scale is clipped; what is no number is silence.
std::int16_t sample_from_float(float value) noexcept {
  if (std::isnan(value)) return 0;
  return static_cast<std::int16_t>(std::lround(std::clamp(value * full_scale, -full_scale, full_scale - 1)));
}

void samples_from_floats(std::span<const std::uint8_t> in, std::int16_t* out) noexcept {
  for (std::size_t at = 0; at + 4 <= in.size(); at += 4) {
    const std::uint32_t bits = in[at] | static_cast<std::uint32_t>(in[at + 1]) << 8U |
                               static_cast<std::uint32_t>(in[at + 2]) << 16U |
                               static_cast<std::uint32_t>(in[at + 3]) << 24U;
    *out++ = sample_from_float(std::bit_cast<float>(bits));
  }
}

void floats_from_samples(std::span<const std::int16_t> in, std::uint8_t* out) noexcept {
  for (const std::int16_t sample : in) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(sample) / full_scale);
    for (unsigned shift = 0; shift < 32; shift += 8) *out++ = static_cast<std::uint8_t>(bits >> shift & 0xffU);
  }
}

}  // namespace

std::int16_t ulaw_decode(std::uint8_t code) noexcept { return ulaw_samples[code]; }
std::int16_t alaw_decode(std::uint8_t code) noexcept { return alaw_samples[code]; }

std::uint8_t ulaw_encode(std::int16_t sample) noexcept {
  return ulaw_codes[static_cast<std::size_t>((sample >> 2) + (1 << 13))];
}
std::uint8_t alaw_encode(std::int16_t sample) noexcept {
  return alaw_codes[static_cast<std::size_t>((sample >> 4) + (1 << 11))];
}

std::size_t decode_samples(audio_encoding encoding, std::span<const std::uint8_t> in, std::int16_t* out) noexcept {
  switch (encoding) {
    case audio_encoding::pcm16:
    case audio_encoding::wav:
      samples_from_pcm16(in, out);
      break;
    case audio_encoding::g711_ulaw:
      for (const std::uint8_t code : in) *out++ = ulaw_samples[code];
      break;
    case audio_encoding::g711_alaw:
      for (const std::uint8_t code : in) *out++ = alaw_samples[code];
      break;
    case audio_encoding::pcm_f32:
      samples_from_floats(in, out);
      break;
  }
  return in.size() / bytes_per_sample(encoding);
}

void encode_samples(audio_encoding encoding, std::span<const std::int16_t> in, std::uint8_t* out) noexcept {
  switch (encoding) {
    case audio_encoding::pcm16:
    case audio_encoding::wav:
      pcm16_from_samples(in, out);
      break;
    case audio_encoding::g711_ulaw:
      for (const std::int16_t sample : in) *out++ = ulaw_encode(sample);
      break;
    case audio_encoding::g711_alaw:
      for (const std::int16_t sample : in) *out++ = alaw_encode(sample);
      break;
    case audio_encoding::pcm_f32:
      floats_from_samples(in, out);
      break;
  }
}

}  // namespace parley::protocol
