#include "runtime/duplex_audio.hpp"

#include "protocol/base64.hpp"
#include "protocol/g711.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

constexpr double speech_probability = 0.5;
constexpr double full_scale = 32768.0;

bool is_base64_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

// Foreign characters are left out, padding is made anew.
std::optional<std::vector<std::uint8_t>> decode_leniently(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (is_base64_digit(c)) digits += c;
  if (digits.empty() || digits.size() % 4 == 1) return std::nullopt;
  digits.append((4 - digits.size() % 4) % 4, '=');
  std::vector<std::uint8_t> bytes(base64_decoded_bound(digits.size()));
  auto size = base64_decode(digits, bytes.data());
  // Bits beyond the last byte: that group is given up.
  if (!size) size = base64_decode(std::string_view{digits}.substr(0, digits.size() - 4), bytes.data());
  if (!size) return std::nullopt;
  bytes.resize(*size);
  return bytes;
}

std::optional<std::vector<std::uint8_t>> decode(std::string_view text) {
  std::vector<std::uint8_t> bytes(base64_decoded_bound(text.size()));
  const auto size = base64_decode(text, bytes.data());
  if (!size) return decode_leniently(text);
  bytes.resize(*size);
  return bytes;
}

// The usual append: PCM16 in strict base64, decoded to where the samples stay. Empty: it is not that.
std::optional<std::vector<std::int16_t>> decode_in_place(std::string_view text) {
  if constexpr (std::endian::native != std::endian::little) return std::nullopt;
  std::vector<std::int16_t> samples(base64_decoded_bound(text.size()) / sizeof(std::int16_t) + 1);
  const auto size = base64_decode(text, reinterpret_cast<std::uint8_t*>(samples.data()));
  if (!size || *size % sizeof(std::int16_t) != 0) return std::nullopt;
  samples.resize(*size / sizeof(std::int16_t));
  return samples;
}

wire_error bad_audio(std::string message) {
  return {.code = errc::bad_audio, .message = std::move(message), .param = "audio"};
}

audio_format format_of(const append_details* said, const audio_format& of_session) {
  audio_format format = of_session;
  if (!said) return format;
  if (said->encoding) {
    format.encoding = *said->encoding;
    const bool g711 = format.encoding == audio_encoding::g711_ulaw || format.encoding == audio_encoding::g711_alaw;
    if (g711) format.rate_hz = 8000;
  }
  if (said->rate_hz) format.rate_hz = *said->rate_hz;
  return format;
}

}  // namespace

result<std::vector<std::int16_t>> duplex_audio::read(const input_audio_append& append, const audio_format& of_session) {
  if (append.details && !append.details->has_audio) return std::vector<std::int16_t>{};
  const audio_format format = format_of(append.details.get(), of_session);
  if (format.encoding == audio_encoding::pcm16) {
    if (auto samples = decode_in_place(append.audio_base64)) return convert(*std::move(samples), format.rate_hz);
  }
  const auto bytes = decode(append.audio_base64);
  if (!bytes) return bad_audio("The audio is no base64.");
  const std::size_t width = bytes_per_sample(format.encoding);
  if (bytes->size() % width != 0) return bad_audio("The audio ends in the middle of a sample.");
  std::vector<std::int16_t> samples(bytes->size() / width);
  decode_samples(format.encoding, *bytes, samples.data());
  return convert(std::move(samples), format.rate_hz);
}

result<std::vector<std::int16_t>> duplex_audio::convert(std::vector<std::int16_t> samples, int rate_hz) {
  if (rate_hz == duplex_input_hz) return samples;
  if (!make_) {
    return wire_error{.code = errc::unsupported_audio_format, .message = "Only 16 kHz can be heard here."};
  }
  if (!converter_ || rate_hz != rate_hz_) converter_ = make_(rate_hz, duplex_input_hz);
  rate_hz_ = rate_hz;
  return converter_->convert(samples);
}

bool counts_as_speech(const append_details* said, std::span<const std::int16_t> samples, double silence_rms) {
  if (said && said->is_speech) return *said->is_speech;
  if (said && said->speech_probability) return *said->speech_probability >= speech_probability;
  if (samples.empty()) return false;
  double sum = 0;
  for (const std::int16_t sample : samples) sum += (sample / full_scale) * (sample / full_scale);
  return std::sqrt(sum / static_cast<double>(samples.size())) >= silence_rms;
}

}  // namespace parley::runtime
