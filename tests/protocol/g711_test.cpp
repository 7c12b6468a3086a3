#include "protocol/g711.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

namespace parley::protocol {
namespace {

TEST_CASE("g711: mu-law codes have the values of the standard", "[protocol][g711]") {
  CHECK(ulaw_decode(0x00) == -32124);
  CHECK(ulaw_decode(0x80) == 32124);
  CHECK(ulaw_decode(0xff) == 0);
  CHECK(ulaw_decode(0x7f) == 0);
  CHECK(ulaw_decode(0xfe) == 8);
  CHECK(ulaw_decode(0xef) == 132);
  CHECK(ulaw_decode(0x90) == 15996);
}

TEST_CASE("g711: A-law codes have the values of the standard", "[protocol][g711]") {
  CHECK(alaw_decode(0x2a) == -32256);
  CHECK(alaw_decode(0xaa) == 32256);
  CHECK(alaw_decode(0xd5) == 8);
  CHECK(alaw_decode(0x55) == -8);
  CHECK(alaw_decode(0xc5) == 264);
  CHECK(alaw_decode(0x80) == 5504);
}

TEST_CASE("g711: every code comes back", "[protocol][g711]") {
  for (int i = 0; i < 256; ++i) {
    const auto code = static_cast<std::uint8_t>(i);
    CHECK(alaw_encode(alaw_decode(code)) == code);
    // The two zeros of mu-law are one sample.
    CHECK(ulaw_encode(ulaw_decode(code)) == (code == 0x7f ? 0xff : code));
  }
}

TEST_CASE("g711: every sample goes to a nearest code", "[protocol][g711]") {
  for (int i = -32768; i <= 32767; ++i) {
    const auto sample = static_cast<std::int16_t>(i);
    const auto ulaw = ulaw_encode(sample), alaw = alaw_encode(sample);
    const int ulaw_off = std::abs(ulaw_decode(ulaw) - i), alaw_off = std::abs(alaw_decode(alaw) - i);
    // Half a quantisation step, which is 1/32 of the magnitude plus mu-law's bias, or of A-law's linear part;
    // the clipped ends are as far off as they are clipped.
    const int magnitude = std::abs(i);
    REQUIRE(ulaw_off <= std::max((magnitude + 132) / 32 + 4, magnitude - 32124));
    REQUIRE(alaw_off <= std::max(magnitude / 32 + 1, 16));
  }
}

TEST_CASE("g711: codes are monotonic in the sample", "[protocol][g711]") {
  for (int i = -32767; i <= 32767; ++i) {
    const auto before = static_cast<std::int16_t>(i - 1), sample = static_cast<std::int16_t>(i);
    REQUIRE(ulaw_decode(ulaw_encode(before)) <= ulaw_decode(ulaw_encode(sample)));
    REQUIRE(alaw_decode(alaw_encode(before)) <= alaw_decode(alaw_encode(sample)));
  }
}

TEST_CASE("g711: PCM16 is little endian and a dangling byte is left out", "[protocol][g711]") {
  const std::vector<std::uint8_t> in{0x01, 0x80, 0xff, 0x7f, 0x12};
  std::vector<std::int16_t> samples(2);
  CHECK(decode_samples(audio_encoding::pcm16, in, samples.data()) == 2);
  CHECK(samples == std::vector<std::int16_t>{-32767, 32767});
  std::vector<std::uint8_t> out(4);
  encode_samples(audio_encoding::pcm16, samples, out.data());
  CHECK(out == std::vector<std::uint8_t>{0x01, 0x80, 0xff, 0x7f});
}

TEST_CASE("g711: whole buffers use the code of their encoding", "[protocol][g711]") {
  const std::vector<std::uint8_t> in{0x00, 0x2a, 0xd5};
  std::vector<std::int16_t> samples(3);
  std::vector<std::uint8_t> out(3);
  CHECK(decode_samples(audio_encoding::g711_ulaw, in, samples.data()) == 3);
  CHECK(samples == std::vector<std::int16_t>{-32124, ulaw_decode(0x2a), ulaw_decode(0xd5)});
  encode_samples(audio_encoding::g711_ulaw, samples, out.data());
  CHECK(out == in);
  CHECK(decode_samples(audio_encoding::g711_alaw, in, samples.data()) == 3);
  CHECK(samples == std::vector<std::int16_t>{alaw_decode(0x00), -32256, 8});
  encode_samples(audio_encoding::g711_alaw, samples, out.data());
  CHECK(out == in);
}

TEST_CASE("g711: floats are clipped, and what is no number is silence", "[protocol][g711]") {
  const float in[] = {0.0F,
                      0.5F,
                      -1.0F,
                      1.0F,
                      7.0F,
                      -7.0F,
                      std::numeric_limits<float>::quiet_NaN(),
                      std::numeric_limits<float>::infinity()};
  std::vector<std::uint8_t> bytes(sizeof in);
  std::memcpy(bytes.data(), in, sizeof in);
  std::vector<std::int16_t> samples(std::size(in));
  CHECK(decode_samples(audio_encoding::pcm_f32, bytes, samples.data()) == samples.size());
  CHECK(samples == std::vector<std::int16_t>{0, 16384, -32768, 32767, 32767, -32768, 0, 32767});
  std::vector<std::uint8_t> back(4);
  encode_samples(audio_encoding::pcm_f32, std::vector<std::int16_t>{16384}, back.data());
  CHECK(back == std::vector<std::uint8_t>{0, 0, 0, 0x3f});
}

}  // namespace
}  // namespace parley::protocol
