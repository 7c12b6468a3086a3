#include "adapters/audio/webrtc_noise_reducer.hpp"
#include "adapters/audio/webrtc_speech_detector.hpp"
#include "tests/adapters/test_speech.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace parley::adapters::audio {
namespace {

using protocol::microphone;
using samples = std::vector<std::int16_t>;
constexpr const char* question = "what is the weather in paris today";

samples reduced(runtime::noise_reducer& reducer, samples audio, int rate_hz) {
  const auto frame = static_cast<std::size_t>(rate_hz / 100);
  audio.resize(audio.size() / frame * frame);
  for (std::size_t at = 0; at < audio.size(); at += frame) reducer.reduce(std::span(audio).subspan(at, frame));
  return audio;
}

samples reduced(const samples& audio, int rate_hz, microphone type, double strength = 1) {
  return reduced(*make_webrtc_noise_reducer(rate_hz, {type, strength}), audio, rate_hz);
}

samples from(const samples& audio, int begin_ms, int rate_hz) {
  return {audio.begin() + static_cast<std::ptrdiff_t>(begin_ms) * rate_hz / 1000, audio.end()};
}

double change_db(const samples& before, const samples& after) { return 20 * std::log10(rms(after) / rms(before)); }

// Of the noise alone, once it is learned.
double noise_change_db(int rate_hz, microphone type, double strength = 1) {
  const auto noise = white_noise(4000, rate_hz, 0.02);
  return change_db(from(noise, 2000, rate_hz), from(reduced(noise, rate_hz, type, strength), 2000, rate_hz));
}

// By how many samples `after` is later than `before`, where they are most alike.
int delay_of(const samples& before, const samples& after, int most) {
  int best = 0;
  double best_sum = -1e300;
  for (int delay = 0; delay <= most; ++delay) {
    double sum = 0;
    for (std::size_t i = 0; i + static_cast<std::size_t>(delay) < after.size(); ++i)
      sum += static_cast<double>(before[i]) * after[i + static_cast<std::size_t>(delay)];
    if (sum > best_sum) best_sum = sum, best = delay;
  }
  return best;
}

int frames_of_speech(const samples& audio, int rate_hz) {
  const auto detector = make_webrtc_speech_detector(rate_hz, protocol::noise_reduction{});
  const auto frame = static_cast<std::size_t>(rate_hz / 100);
  int count = 0;
  for (std::size_t at = 0; at + frame <= audio.size(); at += frame)
    count += detector->probability(std::span(audio).subspan(at, frame)) >= 0.5F ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("webrtc_noise_reducer: steady noise falls by several dB at every rate", "[adapters][unit]") {
  const int rate_hz = GENERATE(8000, 8100, 11000, 16000, 22000, 24000, 32000, 44100, 48000);
  CAPTURE(rate_hz);
  CHECK(noise_change_db(rate_hz, microphone::near_field) < -9);
  CHECK(noise_change_db(rate_hz, microphone::far_field) < -12);
}

TEST_CASE("webrtc_noise_reducer: more strength and a far microphone take more noise", "[adapters][unit]") {
  const auto weak = noise_change_db(24000, microphone::near_field, 0.3);
  CHECK(weak < -5);
  CHECK(noise_change_db(24000, microphone::near_field, 1) < weak - 2);
  CHECK(noise_change_db(24000, microphone::far_field, 0.3) < weak - 2);
  CHECK(noise_change_db(24000, microphone::far_field, 1) < noise_change_db(24000, microphone::far_field, 0.3) - 2);
}

TEST_CASE("webrtc_noise_reducer: speech keeps its length and its level, and is late by a little", "[adapters][unit]") {
  const int rate_hz = GENERATE(8000, 16000, 22000, 24000, 44100, 48000);
  const auto type = GENERATE(microphone::near_field, microphone::far_field);
  CAPTURE(rate_hz);
  auto audio = spoken(question, rate_hz);
  audio.resize(audio.size() / static_cast<std::size_t>(rate_hz / 100) * static_cast<std::size_t>(rate_hz / 100));
  const auto out = reduced(audio, rate_hz, type);
  CHECK(out.size() == audio.size());
  CHECK(std::abs(change_db(audio, out)) < 4);                 // what lies below 200 Hz included
  CHECK(delay_of(audio, out, rate_hz / 50) <= rate_hz / 80);  // 12.5 ms
}

TEST_CASE("webrtc_noise_reducer: speech in noise keeps its level while the noise falls", "[adapters][unit]") {
  const auto audio = spoken(question, 24000, 2000);
  const auto noise = white_noise(20000, 24000, rms(audio) / 32768 / 3.16);
  const auto out = reduced(mixed(audio, noise), 24000, microphone::near_field);
  const auto middle = [](const samples& all) { return samples(all.begin() + 48000, all.end() - 48000); };
  const auto pause = [](const samples& all) { return samples(all.begin() + 24000, all.begin() + 43200); };
  CHECK(std::abs(change_db(middle(audio), middle(out))) < 4);
  CHECK(change_db(pause(noise), pause(out)) < -9);
}

TEST_CASE("webrtc_noise_reducer: strength 0 changes nothing", "[adapters][unit]") {
  const int rate_hz = GENERATE(16000, 24000);
  const auto audio = mixed(spoken(question, rate_hz), white_noise(3000, rate_hz, 0.02));
  const auto out = reduced(audio, rate_hz, GENERATE(microphone::near_field, microphone::far_field), 0);
  CHECK(std::equal(out.begin(), out.end(), audio.begin()));
}

TEST_CASE("webrtc_noise_reducer: digital silence stays silence, and does not unlearn the noise", "[adapters][unit]") {
  const int rate_hz = GENERATE(8000, 24000, 48000);
  const auto type = GENERATE(microphone::near_field, microphone::far_field);
  const auto reducer = make_webrtc_noise_reducer(rate_hz, {type, 1});
  CHECK(rms(reduced(*reducer, silence(1000, rate_hz), rate_hz)) == 0);

  const auto noise = white_noise(3000, rate_hz, 0.02);
  (void)reduced(*reducer, noise, rate_hz);
  const auto muted = reduced(*reducer, silence(5000, rate_hz), rate_hz);
  CHECK(rms(from(muted, 30, rate_hz)) == 0);
  auto after = white_noise(300, rate_hz, 0.02);
  CHECK(change_db(after, reduced(*reducer, after, rate_hz)) < -9);
}

TEST_CASE("webrtc_speech_detector: hears speech in audio that was reduced already, and no more noise",
          "[adapters][unit]") {
  const int rate_hz = GENERATE(8000, 24000);
  const auto type = GENERATE(microphone::near_field, microphone::far_field);
  const auto audio = spoken(question, rate_hz);
  const auto clean = frames_of_speech(audio, rate_hz);
  const auto noise = white_noise(5000, rate_hz, rms(audio) / 32768 / 3.16);
  CHECK(frames_of_speech(reduced(mixed(audio, noise), rate_hz, type), rate_hz) > clean / 2);
  CHECK(frames_of_speech(reduced(noise, rate_hz, type), rate_hz) < 25);
  CHECK(frames_of_speech(reduced(silence(1000, rate_hz), rate_hz, type), rate_hz) == 0);
}

}  // namespace parley::adapters::audio
