#include "server/host_sink.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace parley::server {

host_sink::host_sink(executor home, std::function<void()> drain)
    : state_(std::make_shared<state>(home, std::move(drain))) {}

void host_sink::post(runtime::model_output output) {
  const std::lock_guard lock(state_->m);
  if (state_->detached) return;
  state_->outputs.push_back(std::move(output));
  // in_step belongs to the executor's thread, hence the order of the two tests.
  if (state_->home.running_in_this_thread() && state_->in_step) return;
  schedule_locked(state_);
}

void host_sink::schedule_locked(const std::shared_ptr<state>& shared) {
  if (std::exchange(shared->scheduled, true)) return;
  asio::post(shared->home, [shared] {
    {
      const std::lock_guard lock(shared->m);
      shared->scheduled = false;
    }
    if (shared->drain) shared->drain();
  });
}

bool host_sink::take(std::vector<runtime::model_output>& into) {
  into.clear();
  const std::lock_guard lock(state_->m);
  into.swap(state_->outputs);
  return !into.empty();
}

void host_sink::schedule() {
  const std::lock_guard lock(state_->m);
  if (!state_->outputs.empty()) schedule_locked(state_);
}

void host_sink::detach() {
  std::vector<runtime::model_output> dropped;
  const std::lock_guard lock(state_->m);
  state_->detached = true;
  state_->drain = nullptr;
  dropped.swap(state_->outputs);
}

}  // namespace parley::server
