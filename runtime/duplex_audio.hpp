// Input audio of the duplex dialect: what an append carries, in whatever format it says, as samples at 16 kHz; and
// whether it counts as speech. Thread safety: none; owned by the session.
#pragma once

#include "protocol/command.hpp"
#include "protocol/session_settings.hpp"
#include "runtime/session.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace parley::runtime {

inline constexpr int duplex_input_hz = 16000;

class duplex_audio {
 public:
  explicit duplex_audio(sample_converter_factory make) : make_(std::move(make)) {}

  // Errors, each without effect: bad_audio (no base64 however leniently read, half a sample), unsupported_audio_format
  // (a rate that can not be converted here).
  [[nodiscard]] protocol::result<std::vector<std::int16_t>> read(const protocol::input_audio_append& append,
                                                                 const protocol::audio_format& of_session);
  // Samples that follow the last ones of that rate.
  [[nodiscard]] protocol::result<std::vector<std::int16_t>> convert(std::vector<std::int16_t> samples, int rate_hz);

 private:
  sample_converter_factory make_;
  int rate_hz_ = duplex_input_hz;  // that converter_ is for
  std::unique_ptr<sample_converter> converter_;
};

// By the client's word, else its probability, else the loudness.
[[nodiscard]] bool counts_as_speech(const protocol::append_details* said, std::span<const std::int16_t> samples,
                                    double silence_rms);

}  // namespace parley::runtime
