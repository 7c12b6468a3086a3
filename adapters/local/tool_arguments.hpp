// Arguments for a tool call made without a language model: plain values of the types that the tool's schema asks for,
// with a name or a number out of what the user said.
#pragma once

#include "protocol/session_settings.hpp"

#include <string>
#include <string_view>

namespace parley::adapters::local {

// A JSON object: the required properties, or all where none is required. Strings become a capitalised word of the
// text that does not begin a sentence, else its last word.
[[nodiscard]] std::string tool_arguments(const protocol::tool& tool, std::string_view user_text);

}  // namespace parley::adapters::local
