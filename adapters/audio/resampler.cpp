#include "adapters/audio/resampler.hpp"

#include <speex/speex_resampler.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <stdexcept>

namespace parley::adapters::audio {
namespace {

constexpr int quality = 5;                   // of 10: stop band beyond 80 dB, 5 ms of filter at 24 kHz
constexpr std::size_t block_samples = 4096;  // bounds what one call to speex is given

}  // namespace

void resampler::destroy::operator()(SpeexResamplerState_* state) const noexcept { speex_resampler_destroy(state); }

resampler::resampler(int from_hz, int to_hz, filter_delay delay) : from_hz_(from_hz), to_hz_(to_hz), delay_(delay) {
  assert(from_hz > 0 && to_hz > 0);
  if (from_hz == to_hz) return;
  int error = 0;
  state_.reset(speex_resampler_init(1, static_cast<unsigned>(from_hz), static_cast<unsigned>(to_hz), quality, &error));
  if (!state_) throw std::runtime_error("speex_resampler_init failed");
  reset();
}

std::vector<std::int16_t> resampler::process(std::span<const std::int16_t> samples) {
  if (!state_) return {samples.begin(), samples.end()};
  taken_samples_ += static_cast<std::int64_t>(samples.size());
  std::vector<std::int16_t> out;
  out.reserve(samples.size() * static_cast<std::size_t>(to_hz_) / static_cast<std::size_t>(from_hz_) + 1);
  convert(samples, out);
  given_samples_ += static_cast<std::int64_t>(out.size());
  return out;
}

std::vector<std::int16_t> resampler::flush() {
  if (!state_ || delay_ == filter_delay::kept) return {};
  // The true length; what the silence behind the input adds beyond it is cut off.
  const auto total = (taken_samples_ * to_hz_ * 2 + from_hz_) / (2 * std::int64_t{from_hz_});
  const auto missing = static_cast<std::size_t>(std::max<std::int64_t>(0, total - given_samples_));
  const auto latency = static_cast<std::size_t>(speex_resampler_get_input_latency(state_.get()));
  const std::vector<std::int16_t> silence(2 * latency + 2);
  std::vector<std::int16_t> out;
  if (missing > 0) convert(silence, out);
  out.resize(missing);
  reset();
  return out;
}

void resampler::reset() {
  taken_samples_ = 0;
  given_samples_ = 0;
  if (!state_) return;
  speex_resampler_reset_mem(state_.get());
  if (delay_ == filter_delay::made_up_for) speex_resampler_skip_zeros(state_.get());
}

void resampler::convert(std::span<const std::int16_t> samples, std::vector<std::int16_t>& out) {
  while (!samples.empty()) {
    const auto block = samples.first(std::min(samples.size(), block_samples));
    const auto room = block.size() * static_cast<std::size_t>(to_hz_) / static_cast<std::size_t>(from_hz_) + 16;
    const auto old_size = out.size();
    out.resize(old_size + room);
    auto used = static_cast<spx_uint32_t>(block.size());
    auto made = static_cast<spx_uint32_t>(room);
    speex_resampler_process_int(state_.get(), 0, block.data(), &used, out.data() + old_size, &made);
    out.resize(old_size + made);
    samples = samples.subspan(used);
  }
}

std::vector<std::int16_t> resampled(std::span<const std::int16_t> samples, int from_hz, int to_hz) {
  resampler converter(from_hz, to_hz);
  auto out = converter.process(samples);
  const auto rest = converter.flush();
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace parley::adapters::audio
