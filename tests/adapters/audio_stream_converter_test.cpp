#include "adapters/audio/stream_converter.hpp"
#include "adapters/factory.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace parley::adapters::audio {
namespace {

using samples = std::vector<std::int16_t>;

constexpr int to_hz = 16000;
constexpr double amplitude = 10000;

samples sine(double frequency_hz, int rate_hz, std::size_t length) {
  samples out(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double phase = 2 * std::numbers::pi * frequency_hz * static_cast<double>(i) / rate_hz;
    out[i] = static_cast<std::int16_t>(std::lround(amplitude * std::sin(phase)));
  }
  return out;
}

// In pieces of 20 ms, as a client appends them.
samples converted(const samples& input, int from_hz) {
  const auto converter = make_sample_converter_factory()(from_hz, to_hz);
  const auto piece = static_cast<std::size_t>(from_hz / 50);
  samples out;
  for (std::size_t at = 0; at < input.size(); at += piece) {
    const auto more = converter->convert(std::span(input).subspan(at, std::min(piece, input.size() - at)));
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

// Of the part after the filter has filled up.
double amplitude_of(const samples& of) {
  double energy = 0;
  constexpr std::size_t from = 1600;
  for (std::size_t i = from; i < of.size(); ++i) energy += double{1} * of[i] * of[i];
  return std::sqrt(2 * energy / static_cast<double>(of.size() - from));
}

}  // namespace

TEST_CASE("stream_converter: a second is a second and a sine keeps its level", "[adapters][unit]") {
  const auto from_hz = GENERATE(8000, 16000, 24000, 48000, 192000);
  CAPTURE(from_hz);
  const auto output = converted(sine(400, from_hz, static_cast<std::size_t>(from_hz)), from_hz);
  CHECK(output.size() == static_cast<std::size_t>(to_hz));
  CHECK(amplitude_of(output) == Approx(amplitude).epsilon(0.01));
}

TEST_CASE("stream_converter: what the lower rate can not hold is gone", "[adapters][unit]") {
  const auto from_hz = GENERATE(24000, 48000, 192000);
  CAPTURE(from_hz);
  CHECK(amplitude_of(converted(sine(10500, from_hz, static_cast<std::size_t>(from_hz)), from_hz)) < amplitude / 100);
}

TEST_CASE("stream_converter: odd rates neither gain nor lose time", "[adapters][unit]") {
  const auto from_hz = GENERATE(8001, 11025, 44100, 191999);
  CAPTURE(from_hz);
  const auto output = converted(sine(400, from_hz, static_cast<std::size_t>(from_hz) * 3), from_hz);
  CHECK(std::abs(static_cast<int>(output.size()) - 3 * to_hz) <= 1);
}

TEST_CASE("stream_converter: two of one factory know nothing of each other", "[adapters][unit]") {
  const auto make = make_sample_converter_factory();
  const auto one = make(24000, to_hz);
  const auto other = make(24000, to_hz);
  const auto input = sine(400, 24000, 480);
  const auto first = one->convert(input);
  (void)one->convert(input);
  CHECK(other->convert(input) == first);
}

}  // namespace parley::adapters::audio
