// Makes arguments that fit a tool's JSON schema. Pure; a definition that is no usable JSON gives "{}".
#pragma once

#include "protocol/session_settings.hpp"

#include <string>
#include <string_view>

namespace parley::adapters::scripted {

// JSON text with every required property: strings get a capitalised word of the text (else "value"), numbers 1,
// booleans true.
[[nodiscard]] std::string make_arguments(const protocol::tool& tool, std::string_view user_text);

}  // namespace parley::adapters::scripted
