#include "adapters/scripted/echo_session.hpp"

#include "adapters/scripted/answer.hpp"

#include <utility>

namespace parley::adapters::scripted {

echo_session::echo_session(std::shared_ptr<const config::scripted_config> script,
                           std::shared_ptr<runtime::model_sink> sink)
    : script_(std::move(script)), sink_(std::move(sink)) {}

void echo_session::hear(runtime::heard_audio) {
  if (!current_ || current_->waiting) return;
  sink_->post(runtime::model_speech{current_->response, current_->epoch, current_->piece, {}});
}

void echo_session::end_turn(runtime::ended_turn turn) {
  sink_->post(runtime::turn_ready{std::move(turn.item), script_->transcript});
}

void echo_session::drop_turn(const protocol::item_id&) {}

void echo_session::respond(runtime::response_request request) {
  const auto length = samples_in(script_->delta, request.output_rate_hz);
  current_ = running{std::move(request.id), request.epoch, make_tone(0, length), false};
}

void echo_session::cancel(const protocol::response_id& response) {
  if (current_ && current_->response == response) current_.reset();
}

void echo_session::throttle(const protocol::response_id& response, bool wait) {
  if (current_ && current_->response == response) current_->waiting = wait && !script_->ignore_flow_control;
}

}  // namespace parley::adapters::scripted
