// The readers of the duplex dialect where it differs from the OpenAI one: it has more events and more names for one,
// its members are looser (what is not known is ignored, null means not given) and its refusals have codes of their own.
// Internal to the decoder: decode.cpp asks read_duplex_event for the events of that dialect.
//
// The files: decode_duplex (events), decode_duplex_append, decode_duplex_item, decode_duplex_session (with the
// formats).
#pragma once

#include "protocol/command.hpp"
#include "protocol/json_reader.hpp"

#include <optional>
#include <string_view>

namespace parley::protocol {

using command_body = decltype(command::body);

struct duplex_reading {
  command_body body{};
  errc malformed = errc::bad_event;  // the code of a member that is missing, of another type or out of range
};
// The event whose `type` that is. Errors of no code of their own are recorded as in the openai dialect: see
// duplex_code.
[[nodiscard]] duplex_reading read_duplex_event(const json_value& event, const json_value& type);
// The code that a recorded error has in this dialect.
[[nodiscard]] errc duplex_code(errc recorded, errc malformed) noexcept;

// decode_duplex_append.cpp
[[nodiscard]] input_audio_append read_duplex_append(const json_value& event);

// decode_duplex_item.cpp: an item of a client, with the defaults of the dialect.
[[nodiscard]] item read_duplex_item(const json_value& value);

// decode_duplex_session.cpp
[[nodiscard]] session_patch read_duplex_session(const json_value& session);
[[nodiscard]] response_options read_duplex_response(const json_value& response);

// The encodings of a direction by their names; the names of the GA objects are among them.
enum class audio_direction : bool { input, output };
[[nodiscard]] std::optional<audio_encoding> duplex_encoding(std::string_view name, audio_direction direction) noexcept;
struct format_change {
  std::optional<audio_encoding> encoding{};
  std::optional<int> rate_hz{};
};
// A name, or {type, rate}; another name is unsupported_audio_format.
[[nodiscard]] format_change read_duplex_format(const json_value& format, audio_direction direction);
inline constexpr int lowest_input_hz = 8000;
inline constexpr int highest_input_hz = 192000;

}  // namespace parley::protocol
