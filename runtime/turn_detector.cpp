#include "runtime/turn_detector.hpp"

#include "runtime/semantic_pause.hpp"

#include <algorithm>

namespace parley::runtime {

namespace {

// Speech frames (10 ms each) that prove an utterance, and the longest hole in their run: a click is shorter, a plosive
// inside a word is no longer than the hole.
constexpr int proof_frames = 6;
constexpr int longest_gap_frames = 5;
// Once speaking, a frame counts as speech a little below the threshold, so that soft endings do not flap.
constexpr double hysteresis = 0.15;

}  // namespace

std::chrono::milliseconds ending_silence(const protocol::turn_detection& settings) {
  if (settings.type == protocol::turn_detection_type::server_vad) return settings.silence_duration;
  return semantic_pause(settings.eager, {});
}

turn_detector::turn_detector(std::unique_ptr<speech_detector> ears, int rate_hz,
                             const protocol::turn_detection& settings, std::int64_t from)
    : ears_(std::move(ears)), frame_samples_(rate_hz / 100), rate_hz_(rate_hz), position_(from) {
  configure(settings);
}

void turn_detector::configure(const protocol::turn_detection& settings) {
  threshold_ = settings.threshold;
  end_after(ending_silence(settings));
}

void turn_detector::end_after(std::chrono::milliseconds pause) {
  silence_samples_ = protocol::ms_to_samples(pause.count(), rate_hz_);
}

void turn_detector::reset(std::int64_t from) {
  ears_->reset();
  rest_.clear();
  position_ = from;
  speaking_ = false;
  run_speech_ = run_gap_ = 0;
}

std::vector<turn_detector::change> turn_detector::feed(std::span<const std::int16_t> samples) {
  std::vector<change> found;
  const auto frame = static_cast<std::size_t>(frame_samples_);
  while (!samples.empty()) {
    if (rest_.empty() && samples.size() >= frame) {
      judge(samples.first(frame), found);
      samples = samples.subspan(frame);
      continue;
    }
    const std::size_t take = std::min(frame - rest_.size(), samples.size());
    rest_.insert(rest_.end(), samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(take));
    samples = samples.subspan(take);
    if (rest_.size() < frame) break;
    judge(rest_, found);
    rest_.clear();
  }
  return found;
}

void turn_detector::judge(std::span<const std::int16_t> frame, std::vector<change>& found) {
  const double probability = ears_->probability(frame);
  const double needed = speaking_ ? threshold_ - hysteresis : threshold_;
  const bool speech = probability >= needed && probability > 0;
  if (speaking_) {
    follow(speech, found);
  } else {
    listen(speech, found);
  }
  position_ += frame_samples_;
}

void turn_detector::listen(bool speech, std::vector<change>& found) {
  if (!speech) {
    if (run_speech_ > 0 && ++run_gap_ > longest_gap_frames) run_speech_ = 0;
    return;
  }
  if (run_speech_ == 0) run_start_ = position_;
  run_gap_ = 0;
  if (++run_speech_ < proof_frames) return;
  speaking_ = true;
  run_speech_ = 0;
  quiet_since_ = position_ + frame_samples_;
  found.push_back({kind::started, run_start_});
}

void turn_detector::follow(bool speech, std::vector<change>& found) {
  const std::int64_t end = position_ + frame_samples_;
  if (speech) {
    quiet_since_ = end;
  } else if (end - quiet_since_ >= silence_samples_) {
    speaking_ = false;
    run_gap_ = 0;
    found.push_back({kind::stopped, end});
  }
}

}  // namespace parley::runtime
