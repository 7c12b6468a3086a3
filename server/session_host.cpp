#include "server/session_host.hpp"

#include "protocol/encode.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace parley::server {

namespace {

// Passes over the sink's queue within one step: enough for a model that answers inside the call (echo, scripts); one
// that goes on answering from its own thread must not keep the I/O thread.
constexpr int max_passes = 8;
// A session that overflows again while it reports an overflow ends after this many rounds of one step.
constexpr int max_overflow_rounds = 16;

runtime::time_point now() { return std::chrono::steady_clock::now(); }

// What a buffer refuses only after a mistake in the configuration check.
std::unique_ptr<runtime::delivery_buffer> made(const runtime::delivery_limits& limits, protocol::dialect spoken) {
  return std::move(runtime::delivery_buffer::make(limits, spoken).value());
}

}  // namespace

session_host::session_host(executor home, alarm& deadline_alarm, runtime::session_options options,
                           const runtime::delivery_limits& limits, std::shared_ptr<peer_log> peers)
    : id_(options.id),
      dialect_(options.dialect),
      deadline_alarm_(deadline_alarm),
      buffer_(made(limits, options.dialect)),
      spill_(*buffer_, limits, options.capabilities.can_wait),
      session_(std::move(options)),
      log_(id_, std::move(peers)),
      sink_(std::make_shared<host_sink>(home, [this] { step([](auto&&...) {}); })) {}

session_host::~session_host() {
  model_.reset();
  sink_->detach();
}

template <class Feed>
void session_host::step(Feed feed) {
  const auto at = now();
  sink_->enter_step();
  crowded_ = spill_.is_crowded();
  feed(at, pending_);
  take_model_output();
  sink_->leave_step();
  if (closed_at_ && model_) model_.reset();
  if (closed_at_ && ended_) std::exchange(ended_, nullptr)();
  sink_->schedule();
  if (const auto due = closed_at_ ? at : session_.deadline()) deadline_alarm_.ring_before(*due);
}

void session_host::start(runtime::model& chosen) {
  model_ = chosen.open(sink_);
  step([this](auto at, auto& out) { session_.start(at, out); });
}

void session_host::on(const protocol::command& command) {
  if (closed_at_) return;
  step([&](auto at, auto& out) { session_.on(command, at, out); });
}

void session_host::on(protocol::wire_error error) {
  if (closed_at_) return;
  step([&](auto at, auto& out) { session_.on(std::move(error), at, out); });
}

void session_host::on_taken() {
  const bool has_room = spill_.flush();
  if (has_room && room_) room_();
}

void session_host::on(const runtime::receipt& sent) {
  session_.on(sent, now());
  if (const auto due = session_.deadline()) deadline_alarm_.ring_before(*due);
}

void session_host::wake_if_due(runtime::time_point at) {
  const auto due = session_.deadline();
  if (closed_at_ || !due || *due > at) return;
  step([&](auto, auto& out) { session_.wake(at, out); });
}

void session_host::drain() {
  if (closed_at_) return;
  step([this](auto at, auto& out) { session_.drain(at, out); });
}

void session_host::close(runtime::close_reason reason) {
  if (closed_at_) return;
  step([&](auto at, auto& out) { session_.close(reason, at, out); });
  // The session's own close_session came first; this only holds when it asked for none.
  if (closed_at_) return;
  perform(runtime::close_session{reason});
  step([](auto&&...) {});
}

void session_host::detach() {
  session_.detach(now());
  if (const auto due = session_.deadline()) deadline_alarm_.ring_before(*due);
}

bool session_host::attach() {
  bool attached = false;
  step([&](auto at, auto& out) { attached = session_.attach(at, out); });
  return attached;
}

void session_host::take_model_output() {
  run_actions();
  for (int pass = 0; pass < max_passes && sink_->take(outputs_); ++pass) {
    for (auto& output : outputs_) {
      session_.on(std::move(output), now(), pending_);
      run_actions();
      crowded_ = crowded_ || spill_.is_crowded();
    }
    outputs_.clear();
  }
}

void session_host::run_actions() {
  for (int round = 0; !pending_.empty(); ++round) {
    running_.swap(pending_);
    for (auto& action : running_) std::visit([this](auto& one) { perform(one); }, action);
    running_.clear();
    if (overflows_.empty()) continue;
    crowded_ = false;  // the report itself is let in
    if (round < max_overflow_rounds) report_overflows();
    if (!overflows_.empty()) perform(runtime::close_session{runtime::close_reason::output_backpressure});
    overflows_.clear();
  }
}

void session_host::report_overflows() {
  for (const auto& one : std::exchange(overflows_, {})) session_.on_overflow(one, now(), pending_);
}

runtime::output_overflow* session_host::overflow_of(const std::optional<protocol::response_id>& response) {
  const auto found =
      std::find_if(overflows_.begin(), overflows_.end(), [&](const auto& one) { return one.response == response; });
  return found == overflows_.end() ? nullptr : &*found;
}

// After the first refused event of a response the rest of its batch would leave a hole in the stream. Its end is the
// session's to tell: it may have been completed by the same batch, and was not.
bool session_host::withheld(runtime::emit& action) {
  auto* const overflow = action.cause ? overflow_of(action.cause) : nullptr;
  if (!overflow) return false;
  if (auto* const done = std::get_if<protocol::response_done>(&action.event.body)) overflow->ending = std::move(*done);
  return true;
}

void session_host::perform(runtime::emit& action) {
  log_.see(action.event.body, now());
  if (!protocol::is_spoken(dialect_, action.event.body) || withheld(action)) return;
  const bool refused = crowded_ || spill_.put(std::move(action.event)) == runtime::put_result::overflow;
  if (refused && !overflow_of(action.cause)) overflows_.push_back({std::move(action.cause), std::nullopt});
}

void session_host::perform(const runtime::invalidate& action) { spill_.invalidate(action.response, action.through); }

void session_host::perform(runtime::call_hear& action) {
  if (model_) model_->hear(std::move(action.audio));
}

void session_host::perform(runtime::call_end_turn& action) {
  if (model_) model_->end_turn(std::move(action.turn));
}

void session_host::perform(runtime::call_hear_unit& action) {
  if (model_) model_->hear_unit(std::move(action.unit));
}

void session_host::perform(const runtime::call_drop_turn& action) {
  if (model_) model_->drop_turn(action.item);
}

void session_host::perform(runtime::call_respond& action) {
  if (model_) model_->respond(std::move(action.request));
}

void session_host::perform(const runtime::call_cancel& action) {
  if (model_) model_->cancel(action.response);
}

void session_host::perform(const runtime::call_throttle& action) {
  if (model_) model_->throttle(action.response, action.wait);
}

void session_host::perform(const runtime::close_session& action) {
  if (closed_at_) return;
  reason_ = action.reason;
  reason_text_ = action.last ? action.last->reason : std::string(runtime::close_text(action.reason));
  closed_at_ = now();
  spill_.close(action.last, action.last_id);
}

}  // namespace parley::server
