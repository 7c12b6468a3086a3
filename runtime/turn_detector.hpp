// Finds where an utterance begins and ends in the input audio: frames of 10 ms go to a speech_detector, hysteresis and
// silence are counted here, on the audio clock (positions in samples), never on the wall clock.
//
//   probability ____/''''\_/''''''\______________
//                   |start         |<- silence ->|stop
//   started.at = first frame of the run that proved speech; stopped.at = end of the silence that proved its end.
//
// Thread safety: none; owned by the session.
#pragma once

#include "protocol/session_settings.hpp"
#include "runtime/speech_detector.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace parley::runtime {

class turn_detector {
 public:
  enum class kind : std::uint8_t { started, stopped };
  struct change {
    kind what;
    std::int64_t at;  // sample position
  };

  // `from` is the position of the first sample that feed() will get.
  turn_detector(std::unique_ptr<speech_detector> ears, int rate_hz, const protocol::turn_detection& settings,
                std::int64_t from);

  // Consumes samples that follow the last ones; whole frames are judged, the rest waits.
  [[nodiscard]] std::vector<change> feed(std::span<const std::int16_t> samples);
  // New numbers on a running detector (session.update): the state of the utterance stays.
  void configure(const protocol::turn_detection& settings);
  // How long a pause ends the utterance that is going on; semantic_vad changes its mind with every word.
  void end_after(std::chrono::milliseconds pause);
  // Other ears on a running detector (session.update of the noise reduction): the utterance goes on.
  void listen_with(std::unique_ptr<speech_detector> ears) { ears_ = std::move(ears); }
  // Silence again, and what comes next starts at `from`: after a commit or a clear.
  void reset(std::int64_t from);

  [[nodiscard]] bool speaking() const noexcept { return speaking_; }

 private:
  void judge(std::span<const std::int16_t> frame, std::vector<change>& found);
  void listen(bool speech, std::vector<change>& found);
  void follow(bool speech, std::vector<change>& found);

  std::unique_ptr<speech_detector> ears_;
  // Constant after construction
  std::int64_t frame_samples_;
  int rate_hz_;

  double threshold_ = 0.5;
  std::int64_t silence_samples_ = 0;
  std::vector<std::int16_t> rest_;  // less than one frame
  std::int64_t position_;           // of the first sample of rest_
  bool speaking_ = false;
  std::int64_t run_start_ = 0;    // not speaking: where the run of speech frames began
  int run_speech_ = 0;            // speech frames in it
  int run_gap_ = 0;               // frames since its last speech frame
  std::int64_t quiet_since_ = 0;  // speaking: end of the last speech frame
};

// The silence that ends a turn of which no words are known yet.
[[nodiscard]] std::chrono::milliseconds ending_silence(const protocol::turn_detection& settings);

}  // namespace parley::runtime
