#include "adapters/audio/voice_level.hpp"

#include <catch2/catch.hpp>

namespace parley::adapters::audio {
namespace {

float after(voice_level& level, const frame_features& frame, int frames) {
  float probability = 0;
  for (int i = 0; i < frames; ++i) probability = level.next(frame);
  return probability;
}

constexpr frame_features speech{.level_dbfs = -25, .voice = true, .noise_certainty = 0.2F};

}  // namespace

TEST_CASE("voice_level: is sure of loud speech within 50 ms and drops it within 60 ms", "[adapters][unit]") {
  voice_level level;
  CHECK(after(level, speech, 2) > 0.5F);
  CHECK(after(level, speech, 3) > 0.9F);
  CHECK(after(level, {.level_dbfs = -90}, 6) < 0.5F);
}

TEST_CASE("voice_level: stays at nothing without the voice detector's yes", "[adapters][unit]") {
  voice_level level;
  CHECK(after(level, {.level_dbfs = -10, .voice = false}, 100) == 0);
}

TEST_CASE("voice_level: never counts what is quieter than the energy gate", "[adapters][unit]") {
  voice_level level;
  CHECK(after(level, {.level_dbfs = -50, .voice = true}, 100) == 0);
}

TEST_CASE("voice_level: gives a level between its marks a value between 0 and 1", "[adapters][unit]") {
  voice_level level;
  const auto middle = after(level, {.level_dbfs = -44, .voice = true}, 50);
  CHECK(middle > 0.1F);
  CHECK(middle < 0.9F);
}

TEST_CASE("voice_level: takes steady noise into its floor and hears louder speech over it", "[adapters][unit]") {
  voice_level level;
  const frame_features noise{.level_dbfs = -35, .voice = true, .noise_certainty = 0.99F};
  CHECK(after(level, noise, 200) < 0.1F);
  CHECK(after(level, {.level_dbfs = -15, .voice = true, .noise_certainty = 0.5F}, 5) > 0.9F);
}

TEST_CASE("voice_level: does not take seconds of loud speech for the floor", "[adapters][unit]") {
  voice_level level;
  CHECK(after(level, speech, 300) > 0.9F);
}

}  // namespace parley::adapters::audio
