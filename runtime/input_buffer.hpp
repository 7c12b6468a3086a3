// The input audio of one session that is not committed yet: int16 samples at the wire rate, addressed by their absolute
// position since the session began, so that trimming and committing never shift a position.
//
//   0 ......... begin() [ kept samples ] end()      committed, cleared and trimmed samples lie before begin()
//
// Thread safety: none; owned by the session.
#pragma once

#include "protocol/audio_format.hpp"
#include "protocol/session_settings.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace parley::runtime {

class input_buffer {
 public:
  // Both bounds in bytes: of the decoded audio of one append, and of all int16 samples kept.
  input_buffer(std::size_t max_append_bytes, std::size_t max_bytes)
      : max_append_bytes_(max_append_bytes), max_bytes_(max_bytes) {}

  // The samples added. Errors, each with the buffer unchanged: not strict base64, half a sample (invalid_value), too
  // long for one append (invalid_value), no room (input_audio_buffer_full).
  [[nodiscard]] protocol::result<std::size_t> append(std::string_view base64, protocol::audio_encoding encoding);
  void append(std::span<const std::int16_t> samples);  // already decoded; bounded by the caller

  [[nodiscard]] std::int64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::int64_t end() const noexcept;
  // REQUIRES: begin() <= from <= to <= end(). Valid until the next change.
  [[nodiscard]] std::span<const std::int16_t> view(std::int64_t from, std::int64_t to) const noexcept;
  // The same, to change samples in place.
  [[nodiscard]] std::span<std::int16_t> edit(std::int64_t from, std::int64_t to) noexcept;
  void drop_before(std::int64_t position);  // beyond end(): everything
  // After a change of the input rate: what is kept is dropped and positions go on, converted, at the new rate.
  void change_rate(int from_hz, int to_hz);

 private:
  [[nodiscard]] protocol::result<std::size_t> append_pcm16(std::string_view base64);
  [[nodiscard]] protocol::result<std::size_t> append_g711(std::string_view base64, protocol::audio_encoding encoding);
  void compact();
  void make_room(std::size_t samples);

  std::size_t max_append_bytes_;
  std::size_t max_bytes_;
  std::vector<std::int16_t> samples_;  // [0, head_) are dropped already
  std::size_t head_ = 0;
  std::int64_t begin_ = 0;
  std::vector<std::uint8_t> scratch_;  // G.711 bytes of one append
};

}  // namespace parley::runtime
