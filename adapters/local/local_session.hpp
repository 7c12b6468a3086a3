// One conversation with the local model: its turns go to the recogniser, its responses through a replier and the
// speaker. Keeps what is running; what has finished is let go with the next call.
#pragma once

#include "adapters/local/local_answer.hpp"
#include "adapters/local/recogniser.hpp"
#include "runtime/model.hpp"

#include <memory>
#include <unordered_map>

namespace parley::adapters::local {

// What all sessions of a model share; lives as long as the last of them.
struct local_parts {
  std::shared_ptr<replier> words;
  recogniser ears;
  speaker voices;
};

// Thread safety: as model_session.
class local_session final : public runtime::model_session {
 public:
  local_session(std::shared_ptr<local_parts> parts, std::shared_ptr<runtime::model_sink> sink);

  void hear(runtime::heard_audio audio) override;
  void end_turn(runtime::ended_turn turn) override;
  void drop_turn(const protocol::item_id& item) override;
  void respond(runtime::response_request request) override;
  void cancel(const protocol::response_id& response) override;
  void throttle(const protocol::response_id& response, bool wait) override;

 private:
  [[nodiscard]] hearing& turn(const protocol::item_id& item);

  // Constant after construction.
  const std::shared_ptr<local_parts> parts_;
  const std::shared_ptr<runtime::model_sink> sink_;

  // Owned by the session's executor.
  std::unordered_map<protocol::item_id, std::unique_ptr<hearing>> turns_;
  std::unordered_map<protocol::response_id, std::unique_ptr<local_answer>> answers_;
};

}  // namespace parley::adapters::local
