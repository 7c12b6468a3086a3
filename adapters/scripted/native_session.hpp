// A scripted conversation of the model-native kind: it hears the stream unit by unit and decides on each, and speaks
// when the session asks for the answer that a decision (or the client) wants.
//
//   hear_unit -> speaking? -> speak (the answer goes on)
//             -> by script -> listen, speak, failed, lost, or nothing at all
//             -> else      -> speak where a turn ends or a pause comes after sound, else listen
//
// Every unit gets one decision, on the caller's thread, but for a script that stalls. What it hears while it speaks
// starts no answer of its own.
#pragma once

#include "adapters/scripted/reply_chooser.hpp"
#include "adapters/scripted/talker.hpp"
#include "config/config.hpp"
#include "runtime/model.hpp"

#include <memory>

namespace parley::adapters::scripted {

// Thread safety: as runtime::model_session.
class native_session final : public runtime::model_session {
 public:
  native_session(std::shared_ptr<const config::scripted_config> script, std::shared_ptr<step_timer> timer,
                 std::shared_ptr<runtime::model_sink> sink);
  ~native_session() override { talker_->close(); }
  native_session(const native_session&) = delete;
  native_session& operator=(const native_session&) = delete;

  void hear(runtime::heard_audio) override {}
  void end_turn(runtime::ended_turn) override {}
  void hear_unit(runtime::audio_unit unit) override;
  void drop_turn(const protocol::item_id&) override { heard_sound_ = false; }
  void respond(runtime::response_request request) override;
  void cancel(const protocol::response_id& response) override { talker_->cancel(response); }
  void throttle(const protocol::response_id& response, bool wait) override {
    talker::throttle(talker_, response, wait);
  }

 private:
  [[nodiscard]] bool wants_to_speak(const runtime::audio_unit& unit) const;
  void listen_to(const runtime::audio_unit& unit);

  // Constant after construction
  const std::shared_ptr<const config::scripted_config> script_;
  const std::shared_ptr<step_timer> timer_;
  const std::shared_ptr<talker> talker_;
  // Owned by the session's executor
  reply_chooser replies_;
  bool heard_sound_ = false;  // a unit that was not quiet, since it last spoke
  bool stalled_ = false;      // decides nothing any more
};

}  // namespace parley::adapters::scripted
