#include "adapters/scripted/talker.hpp"

#include <utility>

namespace parley::adapters::scripted {
namespace {

using std::chrono::steady_clock;

constexpr int burst_pieces = 64;                     // 12.8 s of speech in pieces of 200 ms
constexpr std::chrono::milliseconds burst_pause{1};  // time for a throttle() to arrive

std::chrono::nanoseconds time_per_piece(const config::scripted_config& script) {
  if (script.rate <= 0) return std::chrono::nanoseconds{0};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double, std::milli>(static_cast<double>(script.delta.count()) / script.rate));
}

}  // namespace

talker::talker(const config::scripted_config& script, step_timer& timer, std::shared_ptr<runtime::model_sink> sink)
    : step_time_(time_per_piece(script)),
      think_(script.think),
      ignore_flow_control_(script.ignore_flow_control),
      yields_floor_(script.native),
      timer_(timer),
      sink_(std::move(sink)) {}

void talker::start(const std::shared_ptr<talker>& self, const protocol::response_id& response, answer what) {
  const std::lock_guard lock(self->m_);
  if (!self->sink_) return;
  const auto due = steady_clock::now() + self->think_;
  auto& entry = self->running_.insert_or_assign(response, running{std::move(what), due}).first->second;
  if (self->think_.count() > 0) {
    self->schedule(self, response, entry);
  } else {
    self->produce(self, response);
  }
}

void talker::throttle(const std::shared_ptr<talker>& self, const protocol::response_id& response, bool wait) {
  const std::lock_guard lock(self->m_);
  const auto found = self->running_.find(response);
  if (found == self->running_.end() || self->ignore_flow_control_) return;
  found->second.waiting = wait;
  if (wait || !std::exchange(found->second.parked, false)) return;
  found->second.due = steady_clock::now();
  self->produce(self, response);
}

void talker::cancel(const protocol::response_id& response) {
  const std::lock_guard lock(m_);
  running_.erase(response);
}

void talker::post(runtime::model_output output) {
  const std::lock_guard lock(m_);
  if (sink_) sink_->post(std::move(output));
}

bool talker::post_if_speaking(runtime::model_output output) {
  const std::lock_guard lock(m_);
  if (running_.empty()) return false;
  sink_->post(std::move(output));
  return true;
}

void talker::close_with(runtime::model_output last) {
  const std::lock_guard lock(m_);
  if (sink_) sink_->post(std::move(last));
  running_.clear();
  sink_.reset();
}

void talker::close() {
  const std::lock_guard lock(m_);
  running_.clear();
  sink_.reset();
}

void talker::step(const std::weak_ptr<talker>& weak, const protocol::response_id& response) {
  const auto self = weak.lock();
  if (!self) return;
  const std::lock_guard lock(self->m_);
  self->produce(weak, response);
}

void talker::produce(const std::weak_ptr<talker>& self, const protocol::response_id& response) {
  const auto found = running_.find(response);
  if (found == running_.end()) return;  // cancelled or closed since it was scheduled
  auto& entry = found->second;
  if (entry.waiting) {
    entry.parked = true;
    return;
  }
  const bool at_once = step_time_.count() == 0;
  for (int left = at_once ? burst_pieces : 1; left > 0 && !entry.what.complete(); --left)
    sink_->post(entry.what.next());
  if (entry.what.complete()) {
    sink_->post(entry.what.next());
    if (yields_floor_) sink_->post(runtime::model_listen{});
    running_.erase(found);
    return;
  }
  // From the time it was due, not from now: lateness of one step must not slow the speech down.
  entry.due = at_once ? steady_clock::now() + burst_pause : entry.due + step_time_;
  schedule(self, response, entry);
}

void talker::schedule(const std::weak_ptr<talker>& self, const protocol::response_id& response, running& entry) {
  timer_.schedule(entry.due, [self, response] { step(self, response); });
}

}  // namespace parley::adapters::scripted
