// Instructions made from a prompt template of the operator's and the client's variables. Pure functions.
#pragma once

#include "protocol/session_settings.hpp"
#include "runtime/session.hpp"

#include <optional>
#include <string>

namespace parley::runtime {

// The template's text with every {{name}} that has a variable replaced; empty when the library has no such template.
[[nodiscard]] std::optional<std::string> rendered(const prompt_library* library, const protocol::prompt_template& use);
// Why a client may not use that template; `where` is session or response.
[[nodiscard]] std::optional<protocol::wire_error> unknown_prompt(const prompt_library* library,
                                                                 const protocol::prompt_template& use,
                                                                 const std::string& where);
// Template first, then the instructions.
[[nodiscard]] std::string whole_instructions(const prompt_library* library,
                                             const std::optional<protocol::prompt_template>& use,
                                             const std::string& instructions);

}  // namespace parley::runtime
