// Converts mono PCM16 from one sample rate to another, piece by piece, without shifting it in time: the filter's delay
// is skipped at the start and made up for by flush(), so that n samples become round(n * to / from) samples and the
// result does not depend on how the input was cut. Equal rates pass through untouched.
//
// Where frames must stay frames, the delay may be kept instead: then a piece as long as a whole number of output
// samples gives exactly that many, a few milliseconds late, and nothing is to be flushed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct SpeexResamplerState_;

namespace parley::adapters::audio {

enum class filter_delay : std::uint8_t { made_up_for, kept };

// Throws std::runtime_error when the state can not be made (memory). REQUIRES: rates > 0.
// Thread safety: none; one owner.
class resampler {
 public:
  resampler(int from_hz, int to_hz, filter_delay delay = filter_delay::made_up_for);

  // The samples that are complete so far; the filter keeps the last few milliseconds back.
  [[nodiscard]] std::vector<std::int16_t> process(std::span<const std::int16_t> samples);
  // What was kept back. Afterwards the resampler is as new.
  [[nodiscard]] std::vector<std::int16_t> flush();
  // Forgets everything unfinished.
  void reset();

 private:
  struct destroy {
    void operator()(SpeexResamplerState_* state) const noexcept;
  };

  void convert(std::span<const std::int16_t> samples, std::vector<std::int16_t>& out);

  int from_hz_;
  int to_hz_;
  filter_delay delay_;
  std::unique_ptr<SpeexResamplerState_, destroy> state_;  // null: equal rates
  std::int64_t taken_samples_ = 0;                        // since the start or the last flush
  std::int64_t given_samples_ = 0;
};

// The whole of a finished clip at once.
[[nodiscard]] std::vector<std::int16_t> resampled(std::span<const std::int16_t> samples, int from_hz, int to_hz);

}  // namespace parley::adapters::audio
