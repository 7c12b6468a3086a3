#include "adapters/audio/webrtc_speech_detector.hpp"
#include "tests/adapters/test_speech.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace parley::adapters::audio {
namespace {

using samples = std::vector<std::int16_t>;
constexpr const char* question = "what is the weather in paris today";

// How many 10 ms frames reach the threshold.
int frames_of_speech(runtime::speech_detector& detector, const samples& audio, int rate_hz, float threshold = 0.5F) {
  const auto frame = static_cast<std::size_t>(rate_hz / 100);
  int count = 0;
  for (std::size_t at = 0; at + frame <= audio.size(); at += frame) {
    if (detector.probability(std::span(audio).subspan(at, frame)) >= threshold) ++count;
  }
  return count;
}

int frames_of_speech(const samples& audio, int rate_hz) {
  return frames_of_speech(*make_webrtc_speech_detector(rate_hz, std::nullopt), audio, rate_hz);
}

samples scaled(samples audio, double factor) {
  for (auto& sample : audio) sample = static_cast<std::int16_t>(sample * factor);
  return audio;
}

}  // namespace

TEST_CASE("webrtc_speech_detector: finds speech at every rate and with every noise setting", "[adapters][unit]") {
  const int rate_hz = GENERATE(8000, 16000, 22000, 24000, 44100, 48000);
  const auto noise = GENERATE(std::optional<protocol::noise_reduction>(), protocol::noise_reduction{},
                              protocol::noise_reduction{protocol::microphone::far_field, 1.0});
  CAPTURE(rate_hz);
  const auto audio = spoken(question, rate_hz);
  const auto total = static_cast<int>(audio.size()) * 100 / rate_hz;
  const auto detector = make_webrtc_speech_detector(rate_hz, noise);
  const auto speech = frames_of_speech(*detector, audio, rate_hz);
  CHECK(speech > total / 2);
  CHECK(speech < total - 40);  // 600 ms of it are silence
}

TEST_CASE("webrtc_speech_detector: finds speech that is quiet, and speech in noise", "[adapters][unit]") {
  const auto audio = spoken(question, 24000);
  const auto clean = frames_of_speech(audio, 24000);
  CHECK(frames_of_speech(scaled(audio, 0.25), 24000) > clean / 2);
  const auto noise = white_noise(5000, 24000, rms(audio) / 32768 / 3.16);  // 10 dB
  CHECK(frames_of_speech(mixed(audio, noise), 24000) > clean / 2);
}

TEST_CASE("webrtc_speech_detector: silence and quiet noise never count", "[adapters][unit]") {
  const int rate_hz = GENERATE(8000, 16000, 24000);
  CHECK(frames_of_speech(silence(3000, rate_hz), rate_hz) == 0);
  CHECK(frames_of_speech(pink_noise(3000, rate_hz, 0.05), rate_hz) == 0);
  auto later = silence(10000, rate_hz);
  const auto noise = pink_noise(3000, rate_hz, 0.05);
  later.insert(later.end(), noise.begin(), noise.end());
  CHECK(frames_of_speech(later, rate_hz) == 0);
}

TEST_CASE("webrtc_speech_detector: steady noise mostly does not count", "[adapters][unit]") {
  CHECK(frames_of_speech(white_noise(5000, 24000, 0.02), 24000) < 25);
  CHECK(frames_of_speech(white_noise(5000, 24000, 0.05), 24000) < 25);
}

TEST_CASE("webrtc_speech_detector: a higher threshold is stricter", "[adapters][unit]") {
  const auto audio = spoken(question, 16000);
  int previous = 1000000;
  for (const float threshold : {0.2F, 0.5F, 0.9F}) {
    const auto count = frames_of_speech(*make_webrtc_speech_detector(16000, {}), audio, 16000, threshold);
    CHECK(count < previous);
    CHECK(count > 0);
    previous = count;
  }
}

TEST_CASE("webrtc_speech_detector: after reset it answers as a new one", "[adapters][unit]") {
  const auto audio = spoken(question, 24000);
  const auto detector = make_webrtc_speech_detector(24000, std::nullopt);
  const auto first = frames_of_speech(*detector, audio, 24000);
  (void)frames_of_speech(*detector, white_noise(2000, 24000, 0.3), 24000);
  detector->reset();
  CHECK(frames_of_speech(*detector, audio, 24000) == first);
}

}  // namespace parley::adapters::audio
