// The one writer of a live session, and its deadlines.
#include "protocol/encode.hpp"
#include "server/guard.hpp"
#include "server/live_session.hpp"
#include "server/random_ids.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>
#include <utility>

namespace parley::server {

using namespace boost::asio::experimental::awaitable_operators;
using runtime::close_reason;
using runtime::delivery_buffer;
using runtime::time_point;

namespace {

// How long the write that is going on may take when another socket waits to take over.
constexpr std::chrono::seconds takeover_patience{1};

time_point now() { return std::chrono::steady_clock::now(); }

std::shared_ptr<const std::string> rendered(protocol::event_body body) {
  return std::make_shared<const std::string>(
      protocol::render(protocol::dialect::duplex, {new_event_id(), std::move(body)}));
}

}  // namespace

task<void> live_session::run(std::shared_ptr<live_session> self) {
  // Undone on every way out, on the executor.
  struct findable {
    explicit findable(live_session& one) : session(one) {}
    ~findable() {
      session.shared_.live->erase(session.id_);
      if (session.host_) session.host_->close(close_reason::internal_error);
      if (session.host_) session.end();
    }
    live_session& session;
  };
  self->shared_.live->put(self->id_, self);
  const findable here(*self);
  const auto told =
      self->shared_.notice.subscribe(self->home_, [one = self.get()](stage reached) { one->on_stage(reached); });
  const auto guarded = [&](task<close_reason> child) { return guard(std::move(child), *self->shared_.log, self->id_); };
  static_cast<void>(co_await (guarded(self->write_events()) || guarded(self->watch_deadlines())));
}

task<close_reason> live_session::write_events() {
  while (true) {
    if (!attempts_.empty()) {
      const auto next = attempts_.front();
      attempts_.pop_front();
      co_await take_over(*next);
      continue;
    }
    if (!replay_.empty()) {
      make_room();
      co_await send(take_replay());
      continue;
    }
    if (buffer_rings_) {
      co_await news_.wait();
      continue;
    }
    const auto status = host_->buffer().get([this] {
      buffer_rings_ = false;
      news_.ring();
    });
    if (!status || *status == delivery_buffer::get_status::drained) co_return host_->reason();
    buffer_rings_ = *status == delivery_buffer::get_status::waiting;
    if (buffer_rings_) continue;
    auto bytes = sequence_held();
    host_->on_taken();
    if (!bytes) continue;
    if (std::exchange(overflow_untold_, false)) co_await send(overflow_notice());
    if (is_last()) co_await send_late_answers();
    co_await send(std::move(bytes));
  }
}

std::shared_ptr<const std::string> live_session::sequence_held() {
  const auto at = now();
  const bool was_running = !journal_->stopped();
  runtime::receipt sent;
  std::shared_ptr<const std::string> bytes;
  bool numbered = false;
  {
    delivery_buffer::guard held(host_->buffer());
    if (!held.valid()) return nullptr;
    numbered = held.journaled() && journal_->admits(held.size_bytes(), at);
    sent = held.sequence(numbered ? journal_->last() + 1 : 0, numbered);
    bytes = held.bytes();
  }
  if (numbered) journal_->append(bytes, at);
  if (was_running && journal_->stopped()) overflow_untold_ = true;
  host_->on(sent);
  return bytes;
}

// Apart from the co_await: GCC 12 destroys the temporaries of such an expression twice.
std::shared_ptr<const std::string> live_session::overflow_notice() const {
  return rendered(protocol::resync_required{id_, "journal_overflow"});
}

// ---- replay -------------------------------------------------------------------------------------------------------
// What is live has higher numbers than what is replayed, so it can not overtake it: on a slow link it waits, in the
// delivery buffer, where an interruption still takes speech back. But a long replay must not make that buffer overflow
// and end the session of a client that reads as fast as it can. So beyond half of the buffer's bounds the oldest live
// events are numbered and journaled ahead of their time and wait behind the replay, as they would without a socket.

void live_session::put_replay(std::shared_ptr<const std::string> bytes) {
  replay_bytes_ += bytes->size();
  replay_.push_back(std::move(bytes));
}

std::shared_ptr<const std::string> live_session::take_replay() {
  auto bytes = std::move(replay_.front());
  replay_.pop_front();
  replay_bytes_ -= bytes->size();
  return bytes;
}

void live_session::drop_replay() {
  replay_.clear();
  replay_bytes_ = 0;
}

bool live_session::is_crowded() {
  const auto& limits = shared_.configuration.delivery;
  return host_->buffer().pending_bytes() > limits.max_bytes / 2 ||
         host_->buffer().pending_events() > limits.max_events / 2;
}

// What has ended puts nothing any more. A client that acknowledges what it never read does not make this grow.
void live_session::make_room() {
  while (!host_->closed_at() && replay_bytes_ <= shared_.configuration.resume.journal_bytes && is_crowded()) {
    const auto status = host_->buffer().get({});
    if (!status || *status != delivery_buffer::get_status::ready) return;
    auto bytes = sequence_held();
    host_->on_taken();
    if (!bytes) continue;
    if (std::exchange(overflow_untold_, false)) put_replay(overflow_notice());
    put_replay(std::move(bytes));
  }
}

bool live_session::is_last() { return host_->closed_at() && host_->is_drained(); }

task<void> live_session::send_late_answers() {
  while (!answers_.empty()) {
    const auto bytes = std::exchange(answers_.front(), nullptr);
    answers_.pop_front();
    co_await send(bytes);
  }
}

live_session::under_way::under_way(live_session& session, duplex_socket::pointer to) : session_(session) {
  session.written_ = std::move(to);
  session.write_began_ = now();
}

task<void> live_session::send(std::shared_ptr<const std::string> bytes) {
  const auto to = current_;
  if (!to) co_return;
  error_code failure;
  {
    const under_way mark(*this, to);
    failure = co_await to->write(std::move(bytes));
  }
  if (failure) co_return lost(*to);
  created_written_ = true;
}

task<void> live_session::take_over(attempt& one) {
  auto why_not = co_await judge(one.wish);  // again: the attempt before may have won, and its socket be gone since
  if (why_not) co_return settle(one, std::move(why_not));
  auto replay = *journal_->after(one.wish.last_received);  // as it is now: an acknowledgement may trim it meanwhile
  if (!current_ && !host_->attach()) co_return settle(one, refused(one.wish));
  const auto token = resume_tokens::fresh();
  auto told = rendered(protocol::session_resumed{host_->view(), {generation_ + 1, token}});
  taking_ = one.by;
  error_code failure;
  {
    const under_way mark(*this, one.by);
    failure = co_await one.by->write(std::move(told));
  }
  if (!failure) {
    attach(one, token, std::move(replay));
  } else if (!current_ && !host_->closed_at()) {
    host_->detach();
  }
  decided();
  settle(one, std::nullopt);
}

void live_session::attach(attempt& one, std::string token, std::deque<runtime::journal::event_bytes> replay) {
  tokens_->replace(one.wish.token, token);
  if (current_) {
    host_->log().note("attachment " + std::to_string(generation_) + " replaced", now());
    const auto reason = close_reason::session_replaced;
    duplex_socket::say_goodbye(current_, {rendered(protocol::session_replaced{id_, generation_}),
                                          runtime::close_code(reason), std::string(runtime::close_text(reason))});
  }
  ++generation_;
  current_ = one.by;
  drop_replay();
  for (auto& event : replay) put_replay(std::move(event));
  host_->log().note("resumed, attachment " + std::to_string(generation_), now());
}

// ---- deadlines ----------------------------------------------------------------------------------------------------

// Never ends by itself: whatever is due ends a write, and with it the writer.
task<close_reason> live_session::watch_deadlines() {
  const auto timeout = shared_.configuration.delivery.write_timeout;
  time_point cut{};  // the beginning of the write that was cut off last
  while (true) {
    if (const auto to = written_) {
      const auto acked = co_await to->bytes_acked();
      patience_.look(acked, now());
    }
    const auto at = now();
    host_->wake_if_due(at);
    journal_->trim(at);
    const auto write_due = write_deadline();
    if (write_due && *write_due <= at && std::exchange(cut, write_began_) != write_began_) {
      duplex_socket::abort(written_);
    }
    auto next = at + (written_ ? patience_.pause() : timeout);
    if (write_due && *write_due > at) next = std::min(next, *write_due);
    if (const auto due = host_->deadline()) next = std::min(next, *due);
    co_await deadline_alarm_.wait(next);
  }
}

std::optional<time_point> live_session::write_deadline() const {
  if (!written_) return std::nullopt;
  auto due = patience_.due(write_began_);
  if (const auto ended = host_->closed_at())
    due = std::min(due, std::max(patience_.due_after_end(*ended), write_began_));
  if (!attempts_.empty()) due = std::min(due, attempted_ + takeover_patience);
  return due;
}

}  // namespace parley::server
