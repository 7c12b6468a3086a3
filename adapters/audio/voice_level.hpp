// From what is known of a 10 ms frame to the probability that it holds speech. WebRTC's detector only says yes or no
// and says yes to loud noise; so its yes counts as much as the frame stands out of the noise floor:
//
//   probability            floor: follows quiet frames down at once, and rises towards frames that the noise
//     1 |        ____       suppressor takes for noise within a second, towards others only 2 dB a second, so that
//       |       /           a held vowel does not become the floor. Never below -53 dBFS: what is quieter than that
//     0 |______/            plus the margin is nothing a person said into a microphone.
//        floor +3  +15 dB above the floor
//
// and the result is smoothed over a few frames: up within 20 ms, down within 50 ms.
#pragma once

namespace parley::adapters::audio {

struct frame_features {
  float level_dbfs = -100;    // after noise suppression
  bool voice = false;         // WebRTC's voice detector
  float noise_certainty = 0;  // 0..1, of the noise suppressor
};

// Thread safety: none; part of one detector.
class voice_level {
 public:
  // REQUIRES: frames in order, 10 ms each.
  [[nodiscard]] float next(const frame_features& frame) noexcept;

 private:
  void follow_floor(const frame_features& frame) noexcept;

  float floor_dbfs_ = -53;
  float smoothed_ = 0;
};

}  // namespace parley::adapters::audio
