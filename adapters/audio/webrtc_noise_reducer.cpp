#include "adapters/audio/webrtc_noise_reducer.hpp"

#include "adapters/audio/pcm_level.hpp"
#include "adapters/audio/resampler.hpp"

#include <webrtc/modules/audio_processing/include/audio_processing.h>
#include <webrtc/modules/interface/module_common_types.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace parley::adapters::audio {
namespace {

constexpr std::array<int, 4> suppressor_rates_hz{8000, 16000, 32000, 48000};
constexpr double stronger_from = 0.5;
constexpr int silent_frames_shown = 3;  // bring out the end of what was said before: more than the whole delay

int suppressor_rate(int rate_hz) {
  return *std::lower_bound(suppressor_rates_hz.begin(), suppressor_rates_hz.end(), rate_hz);
}

webrtc::NoiseSuppression::Level level_for(const protocol::noise_reduction& noise) {
  using suppression = webrtc::NoiseSuppression;
  const bool strong = noise.strength >= stronger_from;
  if (noise.type == protocol::microphone::far_field) return strong ? suppression::kVeryHigh : suppression::kHigh;
  return strong ? suppression::kHigh : suppression::kModerate;
}

std::unique_ptr<webrtc::AudioProcessing> make_processing(const protocol::noise_reduction& noise) {
  std::unique_ptr<webrtc::AudioProcessing> made(webrtc::AudioProcessing::Create());
  if (!made) throw std::runtime_error("webrtc::AudioProcessing::Create failed");
  made->high_pass_filter()->Enable(noise.type == protocol::microphone::far_field);
  made->noise_suppression()->set_level(level_for(noise));
  made->noise_suppression()->Enable(true);
  return made;
}

// Thread safety: as noise_reducer.
class unchanged final : public runtime::noise_reducer {
 public:
  void reduce(std::span<std::int16_t>) override {}
};

// Thread safety: as noise_reducer.
class webrtc_noise_reducer final : public runtime::noise_reducer {
 public:
  webrtc_noise_reducer(int rate_hz, const protocol::noise_reduction& noise)
      : to_suppressor_(rate_hz, suppressor_rate(rate_hz), filter_delay::kept),
        from_suppressor_(suppressor_rate(rate_hz), rate_hz, filter_delay::kept),
        processing_(make_processing(noise)) {
    frame_.sample_rate_hz_ = suppressor_rate(rate_hz);
    frame_.num_channels_ = 1;
    frame_.samples_per_channel_ = static_cast<std::size_t>(frame_.sample_rate_hz_ / 100);
  }

  void reduce(std::span<std::int16_t> frame) override {
    silent_frames_ = is_digital_silence(frame) ? std::min(silent_frames_ + 1, silent_frames_shown + 1) : 0;
    if (silent_frames_ > silent_frames_shown) {
      // Not shown to the suppressor: it would learn a room without noise and let the first noise after it pass.
      std::fill(frame.begin(), frame.end(), std::int16_t{0});
      return;
    }
    const auto taken = to_suppressor_.process(frame);
    assert(taken.size() == frame_.samples_per_channel_);
    std::copy(taken.begin(), taken.end(), frame_.data_);
    // Fails only for a frame of the wrong shape; then it is as it was.
    (void)processing_->ProcessStream(&frame_);
    const auto given = from_suppressor_.process({frame_.data_, taken.size()});
    assert(given.size() == frame.size());
    std::copy(given.begin(), given.end(), frame.begin());
  }

 private:
  resampler to_suppressor_;
  resampler from_suppressor_;
  std::unique_ptr<webrtc::AudioProcessing> processing_;
  webrtc::AudioFrame frame_;
  int silent_frames_ = 0;  // in a row, counted no further than needed
};

}  // namespace

std::unique_ptr<runtime::noise_reducer> make_webrtc_noise_reducer(int rate_hz, const protocol::noise_reduction& noise) {
  assert(rate_hz >= 8000 && rate_hz <= 48000 && rate_hz % 100 == 0);
  if (noise.strength <= 0) return std::make_unique<unchanged>();
  return std::make_unique<webrtc_noise_reducer>(rate_hz, noise);
}

}  // namespace parley::adapters::audio
