#include "tests/server/fake_model.hpp"

#include <stdexcept>
#include <utility>

namespace parley::server::test {

namespace {

std::string text_of(const std::vector<std::shared_ptr<const protocol::item>>& prompt) {
  std::string out;
  for (const auto& one : prompt) {
    for (const auto& part : one->content) out += part.text;
  }
  return out;
}

}  // namespace

class fake_model::conversation final : public runtime::model_session {
 public:
  conversation(std::shared_ptr<shared> state, std::shared_ptr<runtime::model_sink> sink, manner how)
      : state_(std::move(state)), sink_(std::move(sink)), manner_(how) {
    state_->note([](facts& seen) { ++seen.opened, ++seen.alive; });
  }
  ~conversation() override {
    state_->note([](facts& seen) { --seen.alive; });
  }

  void hear(runtime::heard_audio) override {}
  void end_turn(runtime::ended_turn turn) override { sink_->post(runtime::turn_ready{turn.item, "hello"}); }
  void hear_unit(runtime::audio_unit unit) override {
    state_->note([](facts& seen) { ++seen.units; });
    sink_->post(runtime::model_listen{unit.number});
  }
  void drop_turn(const protocol::item_id&) override {}
  void throttle(const protocol::response_id&, bool) override {}
  void cancel(const protocol::response_id&) override {
    state_->note([](facts& seen) { ++seen.cancelled; });
  }
  void respond(runtime::response_request request) override {
    if (manner_ == manner::text) {
      sink_->post(runtime::model_text{request.id, request.epoch, "an answer"});
      sink_->post(runtime::model_done{request.id, request.epoch});
    }
    if (manner_ == manner::endless || manner_ == manner::flood) {
      const auto samples = static_cast<std::size_t>(request.output_rate_hz) * 60;
      sink_->post(runtime::model_speech{request.id, request.epoch, std::vector<std::int16_t>(samples), "on and on"});
      if (manner_ == manner::flood) sink_->post(runtime::model_done{request.id, request.epoch});
    }
    state_->note([&](facts& seen) {
      ++seen.asked;
      seen.prompt_sizes.push_back(request.prompt.size());
      seen.prompts.push_back(text_of(request.prompt));
      seen.requests.emplace_back(sink_, std::move(request));
    });
  }

 private:
  const std::shared_ptr<shared> state_;
  const std::shared_ptr<runtime::model_sink> sink_;
  const manner manner_;
};

void fake_model::shared::note(const std::function<void(facts&)>& change) {
  {
    const std::lock_guard lock(m);
    change(seen);
  }
  changed.notify_all();
}

runtime::model_capabilities fake_model::capabilities() const {
  runtime::model_capabilities can{.calls_tools = true, .resumes = manner_ != manner::fleeting};
  can.can_wait = manner_ != manner::endless && manner_ != manner::flood;
  if (manner_ != manner::native) return can;
  can.native = true;
  can.chunk_period = std::chrono::milliseconds{1000};
  return can;
}

std::unique_ptr<runtime::model_session> fake_model::open(std::shared_ptr<runtime::model_sink> sink) {
  if (refuse_) throw std::runtime_error("a text that no client may see");
  return std::make_unique<conversation>(shared_, std::move(sink), manner_);
}

bool fake_model::wait(const std::function<bool(const facts&)>& condition) const {
  std::unique_lock lock(shared_->m);
  return shared_->changed.wait_for(lock, std::chrono::seconds(20), [&] { return condition(shared_->seen); });
}

fake_model::facts fake_model::now() const {
  const std::lock_guard lock(shared_->m);
  return shared_->seen;
}

}  // namespace parley::server::test
