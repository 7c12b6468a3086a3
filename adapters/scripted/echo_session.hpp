// The benchmark's model session: one long response that says one piece of speech of fixed length for every piece of
// audio heard, at once and on the caller's thread, so that what is measured is parley. The input sets the pace.
// While the session throttles the response, what is heard is not answered (unless flow control is ignored).
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace parley::adapters::scripted {

// Thread safety: as runtime::model_session; it has no other thread.
class echo_session final : public runtime::model_session {
 public:
  echo_session(std::shared_ptr<const config::scripted_config> script, std::shared_ptr<runtime::model_sink> sink);

  void hear(runtime::heard_audio audio) override;
  void end_turn(runtime::ended_turn turn) override;
  void drop_turn(const protocol::item_id& item) override;
  void respond(runtime::response_request request) override;
  void cancel(const protocol::response_id& response) override;
  void throttle(const protocol::response_id& response, bool wait) override;

 private:
  struct running {
    protocol::response_id response;
    protocol::epoch epoch;
    std::vector<std::int16_t> piece;
    bool waiting = false;
  };

  // Constant after construction
  std::shared_ptr<const config::scripted_config> script_;
  std::shared_ptr<runtime::model_sink> sink_;
  // Owned by the session's executor
  std::optional<running> current_;
};

}  // namespace parley::adapters::scripted
