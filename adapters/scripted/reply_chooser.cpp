#include "adapters/scripted/reply_chooser.hpp"

#include "adapters/prompt_text.hpp"
#include "adapters/tool_choice.hpp"

#include <utility>
#include <vector>

namespace parley::adapters::scripted {

reply_chooser::reply_chooser(std::shared_ptr<const config::scripted_config> script) : script_(std::move(script)) {}

std::string reply_chooser::choose(const runtime::response_request& request) {
  if (auto results = said_of_results(request.prompt); !results.empty()) return results;
  const auto user_text = last_user_text(request.prompt);
  std::vector<const std::string*> in_turn;
  for (const auto& reply : script_->replies) {
    if (!reply.when) in_turn.push_back(&reply.text);
    if (reply.when && contains_no_case(user_text, *reply.when)) return reply.text;
  }
  const auto* message = last_user_message(request.prompt);
  if (auto images = message ? images_seen(*message) : std::string{}; !images.empty()) return images;
  return in_turn.empty() ? "Hello. This is a scripted answer." : *in_turn[turns_++ % in_turn.size()];
}

}  // namespace parley::adapters::scripted
