// Tool calls of the models without a language model: which tools an answer calls, the pieces that a call comes in, and
// what is said of the results. Pure functions.
#pragma once

#include "adapters/prompt_text.hpp"
#include "runtime/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters {

// The tools that this request makes the model call: the one that tool_choice names, or those that the newest item, a
// user's message, speaks of ("get_weather", also as "get weather"), in that order; only the first where parallel calls
// are not allowed. None after a tool's result, so that a conversation comes to an end.
[[nodiscard]] std::vector<const protocol::tool*> tools_to_call(const runtime::response_request& request);

// Adds one whole call in pieces, as it would be streamed.
void append_call(std::vector<runtime::model_tool_call>& pieces, const runtime::response_request& request,
                 const std::string& tool, std::string_view arguments);
// Cuts arguments into two or three pieces, never within a UTF-8 character.
[[nodiscard]] std::vector<std::string> split_arguments(std::string_view arguments);

// A sentence about the results at the end of the prompt, all of them; empty when it does not end with one.
[[nodiscard]] std::string said_of_results(const prompt& items);

}  // namespace parley::adapters
