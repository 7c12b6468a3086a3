// What answers in words between recognition and speech: the built-in one, or an OpenAI-compatible chat endpoint.
#pragma once

#include "runtime/model.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace parley::adapters::local {

// Pieces of one answer. Called from any thread, one at a time, never after the reply object was destroyed.
struct reply_sink {
  std::function<void(std::string text)> text;                    // the next piece, as it comes
  std::function<void(runtime::model_tool_call call)> tool_call;  // response and epoch are filled in by the caller
  std::function<void(runtime::finish_reason reason, std::optional<protocol::token_usage> usage)> done;
  std::function<void(std::string message)> failed;  // for the client: no URL, secret or exception text
};

// A running answer; destroying it cancels it (its backend connection closes at once).
class reply {
 public:
  virtual ~reply() = default;
};

// Thread safety: start() may be called from any thread.
class replier {
 public:
  virtual ~replier() = default;
  [[nodiscard]] virtual std::unique_ptr<reply> start(const runtime::response_request& request, reply_sink sink) = 0;
};

}  // namespace parley::adapters::local
