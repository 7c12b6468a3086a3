#include "adapters/local/local_session.hpp"

#include <utility>

namespace parley::adapters::local {
namespace {

template <class Map>
void let_go_finished(Map& running) {
  std::erase_if(running, [](const auto& entry) { return entry.second->finished(); });
}

hearing_sink posting(protocol::item_id item, std::shared_ptr<runtime::model_sink> sink) {
  const auto text = [item, sink](std::string words, std::vector<protocol::token_logprob> tokens) {
    if (words.empty()) {
      sink->post(runtime::turn_blank{item});
    } else {
      runtime::turn_ready ready{item, std::move(words), {}};
      if (!tokens.empty()) ready.logprobs = std::move(tokens);
      sink->post(std::move(ready));
    }
  };
  return {.partial =
              [item, sink](std::string delta) {
                sink->post(runtime::turn_partial{item, std::move(delta)});
              },
          .guess =
              [item, sink](std::string words) {
                sink->post(runtime::turn_guess{item, std::move(words)});
              },
          .text = text,
          .failed =
              [item, sink](std::string why) {
                sink->post(runtime::turn_failed{item, std::move(why)});
              }};
}

}  // namespace

local_session::local_session(std::shared_ptr<local_parts> parts, std::shared_ptr<runtime::model_sink> sink)
    : parts_(std::move(parts)), sink_(std::move(sink)) {}

void local_session::hear(runtime::heard_audio audio) { turn(audio.item).hear(audio.samples, audio.rate_hz); }

void local_session::end_turn(runtime::ended_turn ended) { turn(ended.item).end(ended.transcription.has_value()); }

void local_session::drop_turn(const protocol::item_id& item) { turns_.erase(item); }

void local_session::respond(runtime::response_request request) {
  let_go_finished(answers_);
  auto id = request.id;
  answers_[std::move(id)] = std::make_unique<local_answer>(request, *parts_->words, parts_->voices, sink_);
}

void local_session::cancel(const protocol::response_id& response) { answers_.erase(response); }

void local_session::throttle(const protocol::response_id& response, bool wait) {
  const auto found = answers_.find(response);
  if (found != answers_.end()) found->second->throttle(wait);
}

hearing& local_session::turn(const protocol::item_id& item) {
  const auto found = turns_.find(item);
  if (found != turns_.end()) return *found->second;
  let_go_finished(turns_);
  return *turns_.emplace(item, parts_->ears.start(posting(item, sink_))).first->second;
}

}  // namespace parley::adapters::local
