// The readers of the larger parts of client events, from a parsed value to the types of command.hpp. Internal to the
// decoder: decode.cpp picks the reader of an event type, the readers share the small ones below.
// All of them report through the error slot of the value they are given (json_reader.hpp) and then return some default.
#pragma once

#include "protocol/audio_format.hpp"
#include "protocol/command.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/session_settings.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parley::protocol {

// Longest id or name that is taken and shown again, in characters: ids of the stock clients have at most 32.
inline constexpr std::size_t longest_id = 256;

// decode_session.cpp: `session` of session.update, in the nested GA form, the flat beta form or a mix of both.
[[nodiscard]] session_patch read_session(const json_value& session);
// One member of it in either form. False: it has none of that name.
[[nodiscard]] bool read_session_member(const json_value& member, session_patch& patch);
void read_transcription(const json_value& value, session_patch& patch);
void read_noise(const json_value& value, session_patch& patch);

// decode_item.cpp
[[nodiscard]] item read_item(const json_value& item);
// An element of response.input: a reference, or what `read` makes of it.
[[nodiscard]] response_options::input_item read_input_item(const json_value& item,
                                                           protocol::item (*read)(const json_value&));

// decode_response.cpp: `response` of response.create, GA and beta names.
[[nodiscard]] response_options read_response(const json_value& response);
[[nodiscard]] bool read_response_member(const json_value& member, response_options& options);

// decode_tools.cpp
[[nodiscard]] std::vector<tool> read_tools(const json_value& tools);
[[nodiscard]] tool_choice read_tool_choice(const json_value& choice);

// decode_values.cpp
[[nodiscard]] audio_format read_audio_format(const json_value& format);      // object, or the name used in beta
[[nodiscard]] std::string read_voice(const json_value& voice);               // a name or {id}
[[nodiscard]] output_modality read_modality(const json_value& list);         // a list with text and audio is audio
[[nodiscard]] std::optional<int> read_token_limit(const json_value& limit);  // "inf" and null: no limit
[[nodiscard]] double read_temperature(const json_value& temperature);
[[nodiscard]] std::string read_level(const json_value& level);                        // minimal, low ... xhigh
[[nodiscard]] nullable<std::string> read_reasoning(const json_value& reasoning);      // null or {effort}
[[nodiscard]] prompt_template read_prompt(const json_value& prompt);                  // {id, version, variables}
[[nodiscard]] std::string read_detail(const json_value& detail);                      // of a picture: auto, low, high
[[nodiscard]] std::optional<std::string> read_optional_text(const json_value& text);  // absent and null: nothing
[[nodiscard]] std::optional<std::string> read_optional_name(const json_value& name);  // so, of at most longest_id

}  // namespace parley::protocol
