#include "adapters/audio/webrtc_speech_detector.hpp"

#include "adapters/audio/pcm_level.hpp"
#include "adapters/audio/resampler.hpp"
#include "adapters/audio/voice_level.hpp"

#include <webrtc/modules/audio_processing/include/audio_processing.h>
#include <webrtc/modules/interface/module_common_types.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace parley::adapters::audio {
namespace {

constexpr int processing_hz = 16000;
constexpr std::size_t frame_samples = processing_hz / 100;

float level_dbfs(std::span<const std::int16_t> samples) {
  double energy = 0;
  for (const auto sample : samples) energy += static_cast<double>(sample) * sample;
  constexpr double full_scale = 32768.0 * 32768.0;
  constexpr double silence = 1e-10;  // -100 dBFS
  return static_cast<float>(10 * std::log10(energy / static_cast<double>(samples.size()) / full_scale + silence));
}

std::unique_ptr<webrtc::AudioProcessing> make_processing(std::optional<protocol::noise_reduction> noise) {
  std::unique_ptr<webrtc::AudioProcessing> made(webrtc::AudioProcessing::Create());
  if (!made) throw std::runtime_error("webrtc::AudioProcessing::Create failed");
  made->high_pass_filter()->Enable(true);
  using suppression = webrtc::NoiseSuppression;
  const bool far = noise && noise->type == protocol::microphone::far_field;
  made->noise_suppression()->set_level(far ? suppression::kVeryHigh : suppression::kHigh);
  made->noise_suppression()->Enable(true);
  made->voice_detection()->set_likelihood(webrtc::VoiceDetection::kLowLikelihood);
  made->voice_detection()->set_frame_size_ms(10);
  made->voice_detection()->Enable(true);
  return made;
}

class webrtc_speech_detector final : public runtime::speech_detector {
 public:
  webrtc_speech_detector(int rate_hz, std::optional<protocol::noise_reduction> noise)
      : noise_(noise), to_processing_(rate_hz, processing_hz), processing_(make_processing(noise)) {
    frame_.sample_rate_hz_ = processing_hz;
    frame_.num_channels_ = 1;
    frame_.samples_per_channel_ = frame_samples;
  }

  float probability(std::span<const std::int16_t> frame) override {
    const auto converted = to_processing_.process(frame);
    pending_.insert(pending_.end(), converted.begin(), converted.end());
    while (pending_.size() >= frame_samples) {
      latest_ = level_.next(analysed(std::span(pending_).first(frame_samples)));
      pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(frame_samples));
    }
    return latest_;
  }

  void reset() override {
    to_processing_.reset();
    pending_.clear();
    processing_ = make_processing(noise_);
    level_ = {};
    latest_ = 0;
  }

 private:
  frame_features analysed(std::span<const std::int16_t> samples) {
    // Not shown to the suppressor: it would learn a room without noise and take the first noise after it for speech.
    if (is_digital_silence(samples)) return {};
    std::copy(samples.begin(), samples.end(), frame_.data_);
    // Fails only for a frame of the wrong shape, and then nothing was heard.
    if (processing_->ProcessStream(&frame_) != webrtc::AudioProcessing::kNoError) return {};
    return {.level_dbfs = level_dbfs({frame_.data_, frame_samples}),
            .voice = processing_->voice_detection()->stream_has_voice(),
            .noise_certainty = 1 - processing_->noise_suppression()->speech_probability()};
  }

  const std::optional<protocol::noise_reduction> noise_;
  resampler to_processing_;
  std::vector<std::int16_t> pending_;  // at 16 kHz, less than a frame between calls
  std::unique_ptr<webrtc::AudioProcessing> processing_;
  webrtc::AudioFrame frame_;
  voice_level level_;
  float latest_ = 0;
};

}  // namespace

std::unique_ptr<runtime::speech_detector> make_webrtc_speech_detector(int rate_hz,
                                                                      std::optional<protocol::noise_reduction> noise) {
  assert(rate_hz >= 8000 && rate_hz <= 48000 && rate_hz % 100 == 0);
  return std::make_unique<webrtc_speech_detector>(rate_hz, noise);
}

}  // namespace parley::adapters::audio
