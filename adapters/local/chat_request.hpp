// A response request as the body of a /v1/chat/completions request. Pure.
// The newest `max_prompt_items` items go in. A tool call goes in with its result or not at all, the result right after
// it: chat endpoints refuse a half, and a client may have sent other items in between.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"

#include <string>

namespace parley::adapters::local {

// JSON text; streaming with usage.
[[nodiscard]] std::string make_chat_request(const config::llm_config& settings,
                                            const runtime::response_request& request);

}  // namespace parley::adapters::local
