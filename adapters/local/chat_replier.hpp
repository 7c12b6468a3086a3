// The replier over an OpenAI-compatible /v1/chat/completions endpoint (models.NAME.llm). One request and one
// connection an answer; destroying the reply closes it. 429 and 5xx are asked again once before anything was heard;
// every other failure ends the answer with a message that names no address, key or backend text.
#pragma once

#include "adapters/local/replier.hpp"
#include "config/config.hpp"

#include <memory>

namespace parley::adapters::local {

// REQUIRES: settings.url is set. Throws std::runtime_error when the address is no http:// one or the key's environment
// variable is empty.
[[nodiscard]] std::shared_ptr<replier> make_chat_replier(const config::llm_config& settings);

}  // namespace parley::adapters::local
