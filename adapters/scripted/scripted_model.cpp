#include "adapters/scripted/scripted_model.hpp"

#include "adapters/scripted/answer.hpp"
#include "adapters/scripted/echo_session.hpp"
#include "adapters/scripted/prompt_text.hpp"
#include "adapters/scripted/step_timer.hpp"
#include "adapters/scripted/talker.hpp"

#include <utility>

namespace parley::adapters::scripted {
namespace {

constexpr std::chrono::milliseconds native_chunk_period{1000};

// A conversation in mode `reply`. Thread safety: as runtime::model_session.
class reply_session final : public runtime::model_session {
 public:
  reply_session(std::shared_ptr<const config::scripted_config> script, std::shared_ptr<step_timer> timer,
                std::shared_ptr<runtime::model_sink> sink)
      : script_(std::move(script)),
        timer_(std::move(timer)),
        sink_(std::move(sink)),
        talker_(std::make_shared<talker>(*script_, *timer_, sink_)) {}
  ~reply_session() override { talker_->close(); }
  reply_session(const reply_session&) = delete;
  reply_session& operator=(const reply_session&) = delete;

  void hear(runtime::heard_audio audio) override;
  void end_turn(runtime::ended_turn turn) override;
  void drop_turn(const protocol::item_id&) override { unit_samples_ = 0; }
  void respond(runtime::response_request request) override {
    talker::start(talker_, request.id, answer(*script_, request, choose_text(request)));
  }
  void cancel(const protocol::response_id& response) override { talker_->cancel(response); }
  void throttle(const protocol::response_id& response, bool wait) override {
    talker::throttle(talker_, response, wait);
  }

 private:
  std::string choose_text(const runtime::response_request& request);

  // Constant after construction
  std::shared_ptr<const config::scripted_config> script_;
  std::shared_ptr<step_timer> timer_;
  std::shared_ptr<runtime::model_sink> sink_;
  std::shared_ptr<talker> talker_;
  // Owned by the session's executor
  std::size_t turns_ = 0;          // answers given from the replies without `when`
  std::int64_t unit_samples_ = 0;  // native: heard of the unit that is not full yet
};

// A native model decides at the end of each unit; one without an end of turn means listen.
void reply_session::hear(runtime::heard_audio audio) {
  if (!script_->native) return;
  unit_samples_ += static_cast<std::int64_t>(audio.samples.size());
  const auto unit = samples_in(native_chunk_period, audio.rate_hz);
  for (; unit > 0 && unit_samples_ >= unit; unit_samples_ -= unit) {
    sink_->post(runtime::model_listen{"model_listen"});
  }
}

void reply_session::end_turn(runtime::ended_turn turn) {
  unit_samples_ = 0;
  const auto words = split_words(script_->transcript);
  if (words.empty()) {
    sink_->post(runtime::turn_blank{std::move(turn.item)});
    return;
  }
  if (turn.transcript_wanted) sink_->post(runtime::turn_partial{turn.item, words.front()});
  sink_->post(runtime::turn_ready{turn.item, script_->transcript});
  if (script_->native) sink_->post(runtime::model_speak{std::move(turn.item)});
}

std::string reply_session::choose_text(const runtime::response_request& request) {
  if (!request.prompt.empty() && request.prompt.back()->type == protocol::item_type::function_call_output) {
    return "The tool says: " + request.prompt.back()->output;
  }
  const auto user_text = last_user_text(request.prompt);
  std::vector<const std::string*> in_turn;
  for (const auto& reply : script_->replies) {
    if (!reply.when) in_turn.push_back(&reply.text);
    if (reply.when && contains_no_case(user_text, *reply.when)) return reply.text;
  }
  return in_turn.empty() ? "Hello. This is a scripted answer." : *in_turn[turns_++ % in_turn.size()];
}

// Thread safety: as runtime::model; all members are constant.
class scripted_model final : public runtime::model {
 public:
  explicit scripted_model(const config::scripted_config& script)
      : script_(std::make_shared<const config::scripted_config>(script)), timer_(std::make_shared<step_timer>()) {}

  [[nodiscard]] runtime::model_capabilities capabilities() const override {
    runtime::model_capabilities can;
    can.native = script_->native;
    can.can_wait = !script_->ignore_flow_control;
    can.calls_tools = true;
    if (can.native) can.chunk_period = native_chunk_period;
    return can;
  }

  [[nodiscard]] std::unique_ptr<runtime::model_session> open(std::shared_ptr<runtime::model_sink> sink) override {
    if (script_->mode == config::scripted_mode::echo) return std::make_unique<echo_session>(script_, std::move(sink));
    return std::make_unique<reply_session>(script_, timer_, std::move(sink));
  }

 private:
  std::shared_ptr<const config::scripted_config> script_;
  std::shared_ptr<step_timer> timer_;
};

}  // namespace

std::shared_ptr<runtime::model> make_scripted_model(const config::scripted_config& script) {
  return std::make_shared<scripted_model>(script);
}

}  // namespace parley::adapters::scripted
