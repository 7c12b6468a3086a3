// Decides whether a scripted answer is a tool call, and makes arguments that fit the tool's JSON schema.
// Pure functions; a definition that is no usable JSON gives "{}".
#pragma once

#include "runtime/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters::scripted {

// The tool that this request makes the model call, or null: the one that tool_choice names or the user's text speaks
// of ("get_weather", also as "get weather"). None after a tool's result, so that a conversation comes to an end.
[[nodiscard]] const protocol::tool* tool_to_call(const runtime::response_request& request);

// JSON text with every required property: strings get a capitalised word of the text (else "value"), numbers 1,
// booleans true.
[[nodiscard]] std::string make_arguments(const protocol::tool& tool, std::string_view user_text);

// Cuts arguments into two or three pieces, never within a UTF-8 character.
[[nodiscard]] std::vector<std::string> split_arguments(std::string_view arguments);

}  // namespace parley::adapters::scripted
