#include "adapters/audio/stream_converter.hpp"

#include "adapters/audio/resampler.hpp"

namespace parley::adapters::audio {
namespace {

// Thread safety: none; one owner.
class stream_converter final : public runtime::sample_converter {
 public:
  stream_converter(int from_hz, int to_hz) : resampler_(from_hz, to_hz, filter_delay::kept) {}

  [[nodiscard]] std::vector<std::int16_t> convert(std::span<const std::int16_t> samples) override {
    return resampler_.process(samples);
  }

 private:
  resampler resampler_;
};

}  // namespace

std::unique_ptr<runtime::sample_converter> make_stream_converter(int from_hz, int to_hz) {
  return std::make_unique<stream_converter>(from_hz, to_hz);
}

}  // namespace parley::adapters::audio
