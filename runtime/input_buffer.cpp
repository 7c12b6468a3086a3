#include "runtime/input_buffer.hpp"

#include "protocol/base64.hpp"
#include "protocol/g711.hpp"

#include <algorithm>

namespace parley::runtime {

namespace {

using protocol::errc;
using protocol::wire_error;

wire_error refused(errc code, std::string message) {
  return wire_error{.code = code, .message = std::move(message), .param = "audio"};
}

wire_error not_base64() { return refused(errc::invalid_value, "The audio is not valid base64."); }

}  // namespace

std::int64_t input_buffer::end() const noexcept { return begin_ + static_cast<std::int64_t>(samples_.size() - head_); }

protocol::result<std::size_t> input_buffer::append(std::string_view base64, protocol::audio_encoding encoding) {
  const std::size_t bound = protocol::base64_decoded_bound(base64.size());
  const std::size_t padding = base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0;
  if (bound - std::min(bound, padding) > max_append_bytes_) {
    return refused(errc::invalid_value,
                   "The audio of one append may hold at most " + std::to_string(max_append_bytes_) + " bytes.");
  }
  const std::size_t samples = bound / protocol::bytes_per_sample(encoding);
  if ((samples_.size() - head_ + samples) * sizeof(std::int16_t) > max_bytes_ + 2 * sizeof(std::int16_t)) {
    return refused(errc::input_audio_buffer_full, "The input audio buffer is full: commit or clear it.");
  }
  compact();
  return encoding == protocol::audio_encoding::pcm16 ? append_pcm16(base64) : append_g711(base64, encoding);
}

void input_buffer::append(std::span<const std::int16_t> samples) {
  compact();
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

protocol::result<std::size_t> input_buffer::append_pcm16(std::string_view base64) {
  make_room(protocol::base64_decoded_bound(base64.size()) / 2 + 1);
  const std::size_t before = samples_.size();
  samples_.resize(before + protocol::base64_decoded_bound(base64.size()) / 2 + 1);
  // Straight into place: PCM16 on the wire is little endian, as are the machines this builds for.
  const auto bytes = protocol::base64_decode(base64, reinterpret_cast<std::uint8_t*>(samples_.data() + before));
  if (!bytes || *bytes % 2 != 0) {
    samples_.resize(before);
    if (!bytes) return not_base64();
    return refused(errc::invalid_value, "The audio ends in the middle of a 16-bit sample.");
  }
  samples_.resize(before + *bytes / 2);
  return *bytes / 2;
}

protocol::result<std::size_t> input_buffer::append_g711(std::string_view base64, protocol::audio_encoding encoding) {
  scratch_.resize(protocol::base64_decoded_bound(base64.size()));
  const auto bytes = protocol::base64_decode(base64, scratch_.data());
  if (!bytes) return not_base64();
  make_room(*bytes);
  const std::size_t before = samples_.size();
  samples_.resize(before + *bytes);
  return protocol::decode_samples(encoding, std::span{scratch_.data(), *bytes}, samples_.data() + before);
}

std::span<const std::int16_t> input_buffer::view(std::int64_t from, std::int64_t to) const noexcept {
  return std::span{samples_}.subspan(head_ + static_cast<std::size_t>(from - begin_),
                                     static_cast<std::size_t>(to - from));
}

std::span<std::int16_t> input_buffer::edit(std::int64_t from, std::int64_t to) noexcept {
  return std::span{samples_}.subspan(head_ + static_cast<std::size_t>(from - begin_),
                                     static_cast<std::size_t>(to - from));
}

void input_buffer::drop_before(std::int64_t position) {
  const std::int64_t to = std::clamp(position, begin_, end());
  head_ += static_cast<std::size_t>(to - begin_);
  begin_ = to;
  if (head_ == samples_.size()) {
    head_ = 0;
    samples_.clear();
    // A long utterance is over: do not hold its memory while the session is quiet.
    if (samples_.capacity() > 64 * 1024) samples_.shrink_to_fit();
  }
}

void input_buffer::change_rate(int from_hz, int to_hz) {
  drop_before(end());
  begin_ = begin_ * to_hz / from_hz;
}

// Grows by doubling, but not beyond what may be kept: the bound is one of memory, not of what was asked for.
void input_buffer::make_room(std::size_t samples) {
  if (samples_.size() + samples <= samples_.capacity()) return;
  samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  const std::size_t needed = samples_.size() + samples;
  if (needed <= samples_.capacity()) return;
  const std::size_t most = max_bytes_ / sizeof(std::int16_t);
  samples_.reserve(std::max(needed, std::min(2 * samples_.capacity(), most)));
}

void input_buffer::compact() {
  if (head_ < samples_.size() / 2 || head_ == 0) return;
  samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
}

}  // namespace parley::runtime
