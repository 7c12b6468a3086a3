#include "adapters/scripted/scripted_model.hpp"

#include "adapters/prompt_text.hpp"
#include "adapters/scripted/answer.hpp"
#include "adapters/scripted/echo_session.hpp"
#include "adapters/scripted/native_session.hpp"
#include "adapters/scripted/reply_chooser.hpp"
#include "adapters/scripted/talker.hpp"
#include "adapters/step_timer.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace parley::adapters::scripted {
namespace {

constexpr std::chrono::milliseconds time_per_heard_word{200};
constexpr double sure = -0.1;  // the log probability of every word it hears

// A conversation in mode `reply`. Thread safety: as runtime::model_session.
class reply_session final : public runtime::model_session {
 public:
  reply_session(std::shared_ptr<const config::scripted_config> script, std::shared_ptr<step_timer> timer,
                std::shared_ptr<runtime::model_sink> sink)
      : script_(std::move(script)),
        timer_(std::move(timer)),
        sink_(std::move(sink)),
        talker_(std::make_shared<talker>(*script_, *timer_, sink_)),
        replies_(script_),
        words_(split_words(script_->transcript)) {}
  ~reply_session() override { talker_->close(); }
  reply_session(const reply_session&) = delete;
  reply_session& operator=(const reply_session&) = delete;

  void hear(runtime::heard_audio audio) override;
  void end_turn(runtime::ended_turn turn) override;
  void drop_turn(const protocol::item_id& item) override { heard_.erase(item); }
  void respond(runtime::response_request request) override {
    talker::start(talker_, request.id, answer(*script_, request, replies_.choose(request)));
  }
  void cancel(const protocol::response_id& response) override { talker_->cancel(response); }
  void throttle(const protocol::response_id& response, bool wait) override {
    talker::throttle(talker_, response, wait);
  }

 private:
  // A turn as it is heard: the words of the transcript come one after the other as its audio does.
  struct heard_turn {
    std::int64_t samples = 0;
    std::size_t words = 0;  // given out
  };
  void tell_words(const protocol::item_id& item, heard_turn& turn, std::size_t upto);

  // Constant after construction
  std::shared_ptr<const config::scripted_config> script_;
  std::shared_ptr<step_timer> timer_;
  std::shared_ptr<runtime::model_sink> sink_;
  std::shared_ptr<talker> talker_;
  // Owned by the session's executor
  reply_chooser replies_;
  std::unordered_map<protocol::item_id, heard_turn> heard_;
  const std::vector<std::string> words_;  // of the transcript
};

void reply_session::hear(runtime::heard_audio audio) {
  heard_turn& turn = heard_[audio.item];
  turn.samples += static_cast<std::int64_t>(audio.samples.size());
  const auto per_word = std::max<std::int64_t>(1, samples_in(time_per_heard_word, audio.rate_hz));
  tell_words(audio.item, turn, static_cast<std::size_t>(turn.samples / per_word));
}

void reply_session::tell_words(const protocol::item_id& item, heard_turn& turn, std::size_t upto) {
  std::string delta;
  for (; turn.words < std::min(upto, words_.size()); ++turn.words) delta += words_[turn.words];
  if (!delta.empty()) sink_->post(runtime::turn_partial{item, std::move(delta)});
}

void reply_session::end_turn(runtime::ended_turn turn) {
  heard_turn heard = heard_[turn.item];
  heard_.erase(turn.item);
  if (trimmed(script_->transcript).empty()) {
    sink_->post(runtime::turn_blank{std::move(turn.item)});
    return;
  }
  tell_words(turn.item, heard, words_.size());
  runtime::turn_ready ready{turn.item, script_->transcript};
  if (turn.transcription) {
    ready.logprobs.emplace();
    for (const auto& word : words_) ready.logprobs->push_back({word, sure});
  }
  sink_->post(std::move(ready));
}

runtime::model_capabilities capabilities_of(const config::scripted_config& script) {
  const auto& said = script.capabilities;
  runtime::model_capabilities can;
  can.native = script.native;
  can.can_wait = !script.ignore_flow_control;
  can.calls_tools = true;
  if (can.native) can.chunk_period = script.decisions.chunk_period;
  can.barge_in = said.barge_in;
  can.resumes = said.resume;
  can.takes_text = said.text;
  can.takes_text_appends = said.text_appends;
  can.takes_images = said.images;
  can.takes_video = said.video != config::video_use::none;
  can.video_required = said.video == config::video_use::required;
  can.truncates_audio = said.audio_truncate;
  can.updates_instructions = said.instructions_update;
  can.takes_overrides = said.response_options;
  can.needs_reference_voice = said.reference_voice;
  return can;
}

// Thread safety: as runtime::model; all members are constant.
class scripted_model final : public runtime::model {
 public:
  explicit scripted_model(const config::scripted_config& script)
      : script_(std::make_shared<const config::scripted_config>(script)), timer_(std::make_shared<step_timer>()) {}

  [[nodiscard]] runtime::model_capabilities capabilities() const override { return capabilities_of(*script_); }

  [[nodiscard]] std::unique_ptr<runtime::model_session> open(std::shared_ptr<runtime::model_sink> sink) override {
    if (script_->mode == config::scripted_mode::echo) return std::make_unique<echo_session>(script_, std::move(sink));
    if (script_->native) return std::make_unique<native_session>(script_, timer_, std::move(sink));
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
