#include "adapters/audio/resampler.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace parley::adapters::audio {
namespace {

using samples = std::vector<std::int16_t>;

samples sine(double frequency_hz, int rate_hz, std::size_t length) {
  samples out(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double phase = 2 * std::numbers::pi * frequency_hz * static_cast<double>(i) / rate_hz;
    out[i] = static_cast<std::int16_t>(std::lround(10000 * std::sin(phase)));
  }
  return out;
}

samples in_chunks(const samples& input, int from_hz, int to_hz, std::size_t chunk) {
  resampler converter(from_hz, to_hz);
  samples out;
  const auto add = [&](const samples& more) { out.insert(out.end(), more.begin(), more.end()); };
  for (std::size_t at = 0; at < input.size(); at += chunk) {
    add(converter.process(std::span(input).subspan(at, std::min(chunk, input.size() - at))));
  }
  add(converter.flush());
  return out;
}

// The largest difference away from both ends, where the filter sees the edge of the signal.
int worst_difference(const samples& a, const samples& b) {
  int worst = 0;
  for (std::size_t i = 200; i + 200 < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("resampler: keeps frequency, level and place of a sine", "[adapters][unit]") {
  const auto rates = GENERATE(std::pair{24000, 16000}, std::pair{16000, 24000}, std::pair{8000, 16000},
                              std::pair{48000, 16000}, std::pair{16000, 44100}, std::pair{22050, 16000});
  const auto [from_hz, to_hz] = rates;
  CAPTURE(from_hz, to_hz);
  const auto input = sine(440, from_hz, static_cast<std::size_t>(from_hz));
  const auto output = resampled(input, from_hz, to_hz);
  REQUIRE(output.size() == static_cast<std::size_t>(to_hz));
  CHECK(worst_difference(output, sine(440, to_hz, output.size())) < 60);  // 0.6 % of the amplitude
}

TEST_CASE("resampler: gives exactly the rounded number of samples", "[adapters][unit]") {
  const auto length = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{160}, std::size_t{4801});
  CHECK(resampled(samples(length, 100), 24000, 16000).size() == (length * 2 * 16000 + 24000) / 48000);
  CHECK(resampled(samples(length, 100), 16000, 24000).size() == (length * 2 * 24000 + 16000) / 32000);
}

TEST_CASE("resampler: gives the same output however the input is cut", "[adapters][unit]") {
  const auto input = sine(313, 24000, 12007);
  const auto whole = resampled(input, 24000, 16000);
  for (const std::size_t chunk : {1, 7, 240, 1697, 4063, 9000}) {
    CAPTURE(chunk);
    CHECK(in_chunks(input, 24000, 16000, chunk) == whole);
  }
}

TEST_CASE("resampler: passes equal rates through untouched", "[adapters][unit]") {
  const samples input{1, -2, 32767, -32768};
  CHECK(in_chunks(input, 16000, 16000, 3) == input);
}

TEST_CASE("resampler: is as new after flush and after reset", "[adapters][unit]") {
  const auto input = sine(500, 24000, 2400);
  resampler converter(24000, 16000);
  const auto convert = [&] {
    auto out = converter.process(input);
    const auto rest = converter.flush();
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  };
  const auto first = convert();
  CHECK(convert() == first);
  (void)converter.process(sine(2000, 24000, 333));
  converter.reset();
  CHECK(convert() == first);
}

}  // namespace parley::adapters::audio
