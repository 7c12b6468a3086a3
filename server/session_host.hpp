// Owns one session on one executor: feeds the state machine, runs its actions in order, and feeds it what comes back.
//
//   command, wire error, receipt, time, model output --> session --> actions --> delivery buffer | model session | end
//
// Every input is one step: actions run until nothing is left, and outputs that the model posted during the step are
// taken in before it ends. A step never waits: what finds no room in the delivery buffer goes into the spill queue, and
// while something is there no command may be given (takes_commands()). Lifecycle: start() opens the model; once the
// session is closed the model session is destroyed at once, which cancels what it runs; what is queued for the socket
// still goes out. Errors: a model that can not be opened throws out of start().
#pragma once

#include "protocol/command.hpp"
#include "runtime/action.hpp"
#include "runtime/clock.hpp"
#include "runtime/delivery_buffer.hpp"
#include "runtime/session.hpp"
#include "runtime/spill_queue.hpp"
#include "server/alarm.hpp"
#include "server/host_sink.hpp"
#include "server/session_log.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parley::server {

class session_host {
 public:
  // REQUIRES: `limits` are positive (configuration is validated). `deadline_alarm` is rung when the host's deadline
  // moved to an earlier time.
  session_host(executor home, alarm& deadline_alarm, runtime::session_options options,
               const runtime::delivery_limits& limits, std::shared_ptr<peer_log> peers);
  ~session_host();
  session_host(const session_host&) = delete;
  session_host& operator=(const session_host&) = delete;

  void start(runtime::model& chosen);
  // REQUIRES: takes_commands(), or the answers may be more than wait for one session: then it ends.
  void on(const protocol::command& command);
  void on(protocol::wire_error error);
  // The writer took the next event out of the buffer: there may be room for what waits.
  void on_taken();
  void on(const runtime::receipt& sent);
  void wake_if_due(runtime::time_point now);
  void drain();
  void close(runtime::close_reason reason);
  // duplex: the socket was lost, and another one is there (false when it comes too late: the session has ended then).
  void detach();
  [[nodiscard]] bool attach();

  // False while answers to earlier commands wait for room: the client is slowed to the speed at which it reads.
  [[nodiscard]] bool takes_commands() const noexcept { return !spill_.full(); }
  // Called, on the executor, whenever takes_commands() turns true.
  void on_room(std::function<void()> call) { room_ = std::move(call); }
  // Nothing waits for the writer.
  [[nodiscard]] bool is_drained() const { return !spill_.full() && buffer_->pending_events() == 0; }

  [[nodiscard]] std::optional<runtime::time_point> deadline() const { return session_.deadline(); }
  // When the session ended; empty while it lives.
  [[nodiscard]] std::optional<runtime::time_point> closed_at() const noexcept { return closed_at_; }
  [[nodiscard]] runtime::close_reason reason() const noexcept { return reason_; }
  // What the close frame says.
  [[nodiscard]] const std::string& reason_text() const noexcept { return reason_text_; }
  [[nodiscard]] protocol::session_view view() const { return session_.view(); }
  [[nodiscard]] runtime::delivery_buffer& buffer() noexcept { return *buffer_; }
  [[nodiscard]] const protocol::session_id& id() const noexcept { return id_; }
  [[nodiscard]] session_log& log() noexcept { return log_; }
  // Called once, when the session has ended and its model has been let go: before anybody can hear of it.
  void when_ended(std::function<void()> call) { ended_ = std::move(call); }

 private:
  template <class Feed>
  void step(Feed feed);
  void take_model_output();
  void run_actions();
  [[nodiscard]] runtime::output_overflow* overflow_of(const std::optional<protocol::response_id>& response);
  [[nodiscard]] bool withheld(runtime::emit& action);
  void report_overflows();

  void perform(runtime::emit& action);
  void perform(const runtime::invalidate& action);
  void perform(runtime::call_hear& action);
  void perform(runtime::call_end_turn& action);
  void perform(runtime::call_hear_unit& action);
  void perform(const runtime::call_drop_turn& action);
  void perform(runtime::call_respond& action);
  void perform(const runtime::call_cancel& action);
  void perform(const runtime::call_throttle& action);
  void perform(const runtime::close_session& action);

  // Constant after construction.
  const protocol::session_id id_;
  const protocol::dialect dialect_;
  alarm& deadline_alarm_;
  const std::unique_ptr<runtime::delivery_buffer> buffer_;
  // Owned by the executor.
  runtime::spill_queue spill_;
  runtime::session session_;
  session_log log_;
  std::function<void()> ended_;
  runtime::actions pending_;  // what the session asked for and was not run yet
  runtime::actions running_;
  std::vector<runtime::model_output> outputs_;
  bool crowded_ = false;                             // what this step says is an overflow, except for reports of that
  std::vector<runtime::output_overflow> overflows_;  // of the current batch, the session was not told of them yet
  std::function<void()> room_;
  std::optional<runtime::time_point> closed_at_;
  runtime::close_reason reason_ = runtime::close_reason::disconnect;
  std::string reason_text_;
  // Thread-safe by itself.
  const std::shared_ptr<host_sink> sink_;
  // Last: destroyed first, so that nothing is posted while the rest goes.
  std::unique_ptr<runtime::model_session> model_;
  // Thread safety: none; used on its executor.
};

}  // namespace parley::server
