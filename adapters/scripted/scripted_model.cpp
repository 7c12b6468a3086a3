#include "adapters/scripted/scripted_model.hpp"

#include "adapters/prompt_text.hpp"
#include "adapters/scripted/answer.hpp"
#include "adapters/scripted/echo_session.hpp"
#include "adapters/scripted/talker.hpp"
#include "adapters/step_timer.hpp"
#include "adapters/tool_choice.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace parley::adapters::scripted {
namespace {

constexpr std::chrono::milliseconds native_chunk_period{1000};
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
        words_(split_words(script_->transcript)) {}
  ~reply_session() override { talker_->close(); }
  reply_session(const reply_session&) = delete;
  reply_session& operator=(const reply_session&) = delete;

  void hear(runtime::heard_audio audio) override;
  void end_turn(runtime::ended_turn turn) override;
  void drop_turn(const protocol::item_id& item) override {
    unit_samples_ = 0;
    heard_.erase(item);
  }
  void respond(runtime::response_request request) override {
    talker::start(talker_, request.id, answer(*script_, request, choose_text(request)));
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
  void hear_words(const runtime::heard_audio& audio);
  void hear_units(const runtime::heard_audio& audio);
  void tell_words(const protocol::item_id& item, heard_turn& turn, std::size_t upto);
  std::string choose_text(const runtime::response_request& request);

  // Constant after construction
  std::shared_ptr<const config::scripted_config> script_;
  std::shared_ptr<step_timer> timer_;
  std::shared_ptr<runtime::model_sink> sink_;
  std::shared_ptr<talker> talker_;
  // Owned by the session's executor
  std::size_t turns_ = 0;          // answers given from the replies without `when`
  std::int64_t unit_samples_ = 0;  // native: heard of the unit that is not full yet
  std::unordered_map<protocol::item_id, heard_turn> heard_;
  const std::vector<std::string> words_;  // of the transcript
};

void reply_session::hear(runtime::heard_audio audio) {
  hear_words(audio);
  if (script_->native) hear_units(audio);
}

void reply_session::hear_words(const runtime::heard_audio& audio) {
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

// A native model decides at the end of each unit; one without an end of turn means listen.
void reply_session::hear_units(const runtime::heard_audio& audio) {
  unit_samples_ += static_cast<std::int64_t>(audio.samples.size());
  const auto unit = samples_in(native_chunk_period, audio.rate_hz);
  for (; unit > 0 && unit_samples_ >= unit; unit_samples_ -= unit) {
    sink_->post(runtime::model_listen{});
  }
}

void reply_session::end_turn(runtime::ended_turn turn) {
  unit_samples_ = 0;
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
  if (script_->native) sink_->post(runtime::model_speak{});
}

std::string reply_session::choose_text(const runtime::response_request& request) {
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

// Thread safety: as runtime::model; all members are constant.
class scripted_model final : public runtime::model {
 public:
  explicit scripted_model(const config::scripted_config& script)
      : script_(std::make_shared<const config::scripted_config>(script)), timer_(std::make_shared<step_timer>()) {}

  [[nodiscard]] runtime::model_capabilities capabilities() const override {
    runtime::model_capabilities can;
    can.native = script_->native;
    can.can_wait = !script_->ignore_flow_control;
    can.takes_images = true;
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
