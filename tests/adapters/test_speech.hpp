// Speech for tests, spoken by flite when the test runs, and what to mix with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parley::adapters {

// `text` in the rms voice, with `margin_ms` of silence on both sides.
[[nodiscard]] std::vector<std::int16_t> spoken(const std::string& text, int rate_hz, int margin_ms = 300);
[[nodiscard]] std::vector<std::int16_t> silence(int length_ms, int rate_hz);
// The same noise on every run; amplitude relative to full scale: standard deviation of white, peak of pink noise.
[[nodiscard]] std::vector<std::int16_t> white_noise(int length_ms, int rate_hz, double amplitude);
[[nodiscard]] std::vector<std::int16_t> pink_noise(int length_ms, int rate_hz, double amplitude);
[[nodiscard]] std::vector<std::int16_t> mixed(std::vector<std::int16_t> a, const std::vector<std::int16_t>& b);
[[nodiscard]] double rms(const std::vector<std::int16_t>& samples);

}  // namespace parley::adapters
