// Client JSON -> typed command. The hot event (input_audio_buffer.append) is read by simdjson On-Demand straight from
// the frame and its base64 is a view; every other event is parsed and validated whole.
#pragma once

#include "protocol/command.hpp"
#include "protocol/dialect.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace parley::protocol {

// Bytes that must be readable (not meaningful) behind the end of a frame.
inline constexpr std::size_t frame_padding_bytes = 64;
// Deepest nesting of arrays and objects that a client may send.
inline constexpr std::size_t max_json_depth = 64;
// Longest event_id that is taken and echoed.
inline constexpr std::size_t max_event_id_bytes = 512;

// A text frame in memory. REQUIRES: data[0, size + frame_padding_bytes) is readable.
struct frame_view {
  const char* data = nullptr;
  std::size_t size = 0;
};

// One per connection: owns the parser's buffers and the scratch that views may point into.
// Thread safety: none; used by the thread of its connection.
class decoder {
 public:
  explicit decoder(dialect spoken);
  ~decoder();
  decoder(decoder&&) noexcept;
  decoder& operator=(decoder&&) noexcept;

  // The command, or the error to send: it carries the client's event_id when one could be read.
  // Views inside the command live until the next call or until the frame goes.
  [[nodiscard]] result<command> decode(frame_view frame);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace parley::protocol
