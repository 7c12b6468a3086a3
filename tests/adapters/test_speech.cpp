#include "tests/adapters/test_speech.hpp"

#include "adapters/audio/resampler.hpp"
#include "adapters/local/flite_voice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>

namespace parley::adapters {
namespace {

std::size_t samples_in(int length_ms, int rate_hz) {
  return static_cast<std::size_t>(length_ms) * static_cast<std::size_t>(rate_hz) / 1000;
}

std::int16_t clipped(double value) { return static_cast<std::int16_t>(std::clamp(value, -32768.0, 32767.0)); }

}  // namespace

std::vector<std::int16_t> spoken(const std::string& text, int rate_hz, int margin_ms) {
  std::vector<std::int16_t> made;
  int made_hz = rate_hz;
  const auto take = [&](std::span<const std::int16_t> samples, int voice_hz) {
    made.insert(made.end(), samples.begin(), samples.end());
    made_hz = voice_hz;
    return true;
  };
  (void)local::flite_voice::find("rms")->speak(text, 1.0, take);
  const auto words = audio::resampled(made, made_hz, rate_hz);
  auto out = silence(margin_ms, rate_hz);
  out.insert(out.end(), words.begin(), words.end());
  out.resize(out.size() + samples_in(margin_ms, rate_hz));
  return out;
}

std::vector<std::int16_t> silence(int length_ms, int rate_hz) {
  return std::vector<std::int16_t>(samples_in(length_ms, rate_hz));
}

std::vector<std::int16_t> white_noise(int length_ms, int rate_hz, double amplitude) {
  std::mt19937 random(1);
  std::normal_distribution<double> level(0, amplitude * 32768);
  auto out = silence(length_ms, rate_hz);
  for (auto& sample : out) sample = clipped(level(random));
  return out;
}

// Voss: the sum of random values, the n-th of which changes every 2^n samples.
std::vector<std::int16_t> pink_noise(int length_ms, int rate_hz, double amplitude) {
  constexpr std::size_t rows = 12;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> value(-1, 1);
  std::array<double, rows> row{};
  auto out = silence(length_ms, rate_hz);
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (std::size_t n = 0; n < rows; ++n) {
      if (i % (std::size_t{1} << n) == 0) row[n] = value(random);
      sum += row[n];
    }
    out[i] = clipped(sum / rows * amplitude * 32768);
  }
  return out;
}

std::vector<std::int16_t> mixed(std::vector<std::int16_t> a, const std::vector<std::int16_t>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) a[i] = clipped(static_cast<double>(a[i]) + b[i]);
  return a;
}

double rms(const std::vector<std::int16_t>& samples) {
  double sum = 0;
  for (const auto sample : samples) sum += static_cast<double>(sample) * sample;
  return samples.empty() ? 0 : std::sqrt(sum / static_cast<double>(samples.size()));
}

}  // namespace parley::adapters
