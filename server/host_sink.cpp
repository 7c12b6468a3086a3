#include "server/host_sink.hpp"

#include <boost/asio/post.hpp>

#include <utility>
#include <variant>

namespace parley::server {

namespace {

// Text that follows text of the same answer becomes part of it: a burst of tokens is one event, so that a fast model
// does not fill the delivery buffer with hundreds of them.
bool joined(std::vector<runtime::model_output>& waiting, const runtime::model_output& output) {
  const auto* next = std::get_if<runtime::model_text>(&output);
  auto* last = waiting.empty() ? nullptr : std::get_if<runtime::model_text>(&waiting.back());
  if (!next || !last || last->response != next->response || last->epoch != next->epoch) return false;
  last->text += next->text;
  return true;
}

}  // namespace

host_sink::host_sink(executor home, std::function<void()> drain)
    : state_(std::make_shared<state>(home, std::move(drain))) {}

void host_sink::post(runtime::model_output output) {
  const std::lock_guard lock(state_->m);
  if (state_->detached) return;
  if (!joined(state_->outputs, output)) state_->outputs.push_back(std::move(output));
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
