// The fast reader of the one event that arrives fifty times a second: input_audio_buffer.append. simdjson On-Demand
// finds the members in one pass over the frame and the base64 text is returned as a view, neither copied nor unescaped.
// It answers only when nothing is unusual. Any other type, an unknown or repeated member, a wrong type or an error is
// "not mine": the caller then parses the frame whole and finds the exact reason. In the duplex dialect the members that
// its clients send with every append are among the usual ones.
// Internal to the decoder. Thread safety: none.
#pragma once

#include "protocol/decode.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace parley::protocol {

class append_reader {
 public:
  struct append {
    std::string_view audio_base64;  // into the frame, or into the reader's buffer when it had escapes
    std::optional<std::string> event_id;
    append_details details;  // duplex
  };

  append_reader();
  ~append_reader();
  append_reader(append_reader&&) noexcept;
  append_reader& operator=(append_reader&&) noexcept;

  [[nodiscard]] std::optional<append> read(frame_view frame, dialect spoken);
  // The event_id of a frame that could not be parsed whole, as far as it can be read before the fault.
  [[nodiscard]] std::optional<std::string> find_event_id(frame_view frame);
  // Gives memory back that only an unusually large frame needed. Ends the life of the last view.
  void release();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace parley::protocol
