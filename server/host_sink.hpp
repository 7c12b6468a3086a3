// Where a model's answers enter the session's thread. Any thread posts; the outputs queue under a lock and one handler
// is posted to the session's executor for however many of them, so a burst costs one wakeup. What is posted from within
// a call into the model needs no handler: the host drains the queue before it leaves that step. Bound: the queue is as
// long as what a model makes between two turns of the executor; what a response may hold is bounded behind it, by the
// session's outbox, throttle() and its hard limit. Lifecycle: shared with the model session, which may outlive the
// host; after detach() everything is dropped.
#pragma once

#include "runtime/model.hpp"
#include "server/executor.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace parley::server {

class host_sink final : public runtime::model_sink {
 public:
  // `drain` is called on the executor when outputs wait.
  host_sink(executor home, std::function<void()> drain);

  void post(runtime::model_output output) override;

  // The host's side, on its executor.
  void enter_step() noexcept { state_->in_step = true; }
  void leave_step() noexcept { state_->in_step = false; }
  // Moves what waits into `into` (emptied first); false when nothing waited.
  [[nodiscard]] bool take(std::vector<runtime::model_output>& into);
  // Has the handler called although the outputs came within a step.
  void schedule();
  void detach();

 private:
  // Shared with the posted handler, which may run after the host went.
  struct state {
    state(executor e, std::function<void()> d) : home(e), drain(std::move(d)) {}
    const executor home;
    // Owned by the executor.
    std::function<void()> drain;
    bool in_step = false;
    // Guarded by m.
    std::mutex m;
    std::vector<runtime::model_output> outputs;
    bool scheduled = false;
    bool detached = false;
  };
  // REQUIRES: m is held; while it is, detach() can not pass, so the executor's context lives.
  static void schedule_locked(const std::shared_ptr<state>& shared);

  const std::shared_ptr<state> state_;
  // Thread safety: post() from any thread, everything else on the executor.
};

}  // namespace parley::server
