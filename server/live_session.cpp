#include "server/live_session.hpp"

#include "protocol/encode.hpp"
#include "server/random_ids.hpp"
#include "server/session_setup.hpp"

#include <utility>
#include <variant>

namespace parley::server {

using protocol::errc;
using runtime::close_reason;

namespace {

// Answers to commands that came after the end of the session; further ones get none.
constexpr std::size_t max_late_answers = 8;

runtime::time_point now() { return std::chrono::steady_clock::now(); }

protocol::event_body error_of(errc code, std::string message) {
  return protocol::error_event{{.code = code, .message = std::move(message)}, true};
}

protocol::event_body wrong_token() {
  return error_of(errc::invalid_resume_token,
                  "The resume token is not valid for this session, or not with the key or client secret shown.");
}

protocol::wire_error late_resume(std::optional<std::string> client_event_id) {
  return {.code = errc::unsupported_session_resume,
          .message = "session.resume must be the first message of a socket.",
          .client_event_id = std::move(client_event_id)};
}

}  // namespace

live_session::live_session(executor home, runtime::session_options options, services& shared,
                           duplex_socket::pointer first, permit_pool::permit slot, opener by)
    : home_(home),
      id_(options.id),
      shared_(shared),
      opener_(by),
      slot_(std::move(slot)),
      news_(home),
      deadline_alarm_(home),
      decided_(home),
      journal_(shared.live->open_journal(
          id_, {shared.configuration.resume.journal_bytes, shared.configuration.resume.journal_age})),
      current_(std::move(first)),
      patience_(shared.configuration.delivery.write_timeout) {
  if (options.resume) tokens_.emplace(options.resume->resume_token);
  host_.emplace(home, deadline_alarm_, std::move(options), make_delivery_limits(shared.configuration.delivery),
                shared.peers);
  host_->on_room([this] { let_readers_look(); });
  // Whoever hears that it has ended may open a session at once, and a peer that hears nothing keeps no place.
  host_->when_ended([this] { slot_.reset(); });
}

void live_session::start(runtime::model& chosen) {
  host_->start(chosen);
  host_->log().opened(shared_.models.name_of(chosen));
}

// ---- what a socket says -------------------------------------------------------------------------------------------

void live_session::hear(const duplex_socket& from, const message& said) {
  if (!host_ || current_.get() != &from) return;
  if (!said) {
    // Behind the first message a resume is one too many, whatever is wrong with it.
    const bool resume = said.error().code == errc::invalid_session_resume;
    return host_->on(resume ? late_resume(said.error().client_event_id) : said.error());
  }
  const auto& command = *said;
  if (const auto* ack = std::get_if<protocol::event_ack>(&command.body)) {
    return acknowledge(*ack, command.client_event_id);
  }
  if (std::holds_alternative<protocol::session_resume>(command.body)) {
    return host_->on(late_resume(command.client_event_id));
  }
  if (host_->closed_at()) return refuse_late(command);
  host_->on(command);
}

void live_session::acknowledge(const protocol::event_ack& ack, const std::optional<std::string>& client_event_id) {
  if (journal_->acknowledge(ack.sequence)) return;
  host_->on(protocol::wire_error{.code = errc::invalid_event_ack,
                                 .message = "No event with that server_event_seq was sent.",
                                 .param = "server_event_seq",
                                 .client_event_id = client_event_id});
}

// The buffer takes nothing any more. A report of what was played is never too late to be harmless.
void live_session::refuse_late(const protocol::command& late) {
  if (answers_.size() >= max_late_answers || std::holds_alternative<protocol::playback_ack>(late.body)) return;
  protocol::error_event told{
      {.code = errc::session_closed, .message = "The session is closing.", .client_event_id = late.client_event_id},
      true};
  answers_.push_back(std::make_shared<const std::string>(
      protocol::render(protocol::dialect::duplex, {new_event_id(), std::move(told)})));
}

// ---- sockets come and go ------------------------------------------------------------------------------------------

live_session::refusal live_session::refused(const protocol::session_resume& wish) const {
  if (!host_ || host_->closed_at()) return error_of(errc::session_resume_expired, "The session has ended.");
  if (!tokens_) return error_of(errc::unsupported_session_resume, "This session can not be resumed.");
  if (!tokens_->accepts(wish.token)) return wrong_token();
  if (wish.last_received > journal_->last()) {
    return error_of(errc::session_resume_conflict, "last_received_server_event_seq was never sent.");
  }
  if (!journal_->after(wish.last_received)) return protocol::resync_required{id_, "journal_gap"};
  return std::nullopt;
}

task<live_session::refusal> live_session::resume(duplex_socket::pointer by, protocol::session_resume wish,
                                                 opener shown) {
  // Before the token is looked at, and in the words for a wrong one: whether it is right is no stranger's to learn.
  if (host_ && !host_->closed_at() && tokens_ && shown != opener_) co_return wrong_token();
  // At once: an attempt that fails must not touch the socket that is attached.
  auto why_not = co_await judge(wish);
  if (why_not) co_return why_not;
  const auto mine = std::make_shared<attempt>(home_, std::move(by), std::move(wish));
  attempts_.push_back(mine);
  attempted_ = now();
  news_.ring();
  deadline_alarm_.ring();
  while (!mine->is_settled) co_await mine->settled.wait();
  co_return mine->told;
}

// A write into a socket whose peer has gone succeeds as often as not, and its reader may not have run yet.
task<live_session::refusal> live_session::judge(const protocol::session_resume& wish) {
  const auto current = current_;
  if (current && tokens_ && !tokens_->accepts(wish.token) && tokens_->was_used_last(wish.token)) {
    const bool is_gone = co_await current->is_gone();
    if (is_gone) lost(*current);
  }
  co_return refused(wish);
}

task<std::optional<int>> live_session::lease_s() const {
  co_return host_ ? host_->view().settings->duplex.idle_timeout_s : std::nullopt;
}

// Until it is decided whose the session is, the socket before is not heard: it may have been replaced already.
task<void> live_session::hear_when_decided(const duplex_socket& from, const message& said) {
  while (taking_ && current_.get() == &from) co_await decided_.wait();
  hear(from, said);
  co_await wait_for_room(from);
}

task<void> live_session::wait_for_room(const duplex_socket& from) {
  const room_waiter mine(*this);
  while (is_full() && current_.get() == &from) co_await mine.rung->wait();
}

live_session::room_waiter::room_waiter(live_session& session)
    : rung(std::make_unique<alarm>(session.home_)),
      session_(session),
      place_(session.room_waiters_.insert(session.room_waiters_.end(), rung.get())) {}

void live_session::let_readers_look() {
  for (alarm* const one : room_waiters_) one->ring();
}

void live_session::settle(attempt& one, refusal told) {
  one.told = std::move(told);
  one.is_settled = true;
  one.settled.ring();
}

void live_session::lost(const duplex_socket& which) {
  if (!host_ || current_.get() != &which) return;
  // The token of session.created has none before it.
  if (tokens_ && !which.was_heard()) tokens_->reinstate();
  current_.reset();
  let_readers_look();
  drop_replay();
  if (host_->closed_at()) return;
  host_->log().note("detached", now());
  if (!created_written_) return host_->close(close_reason::created_undelivered);
  if (!tokens_) return host_->close(close_reason::disconnect);
  if (draining_) return host_->close(close_reason::shutdown);
  if (!taking_) host_->detach();
}

// ---- the task -----------------------------------------------------------------------------------------------------

void live_session::decided() {
  taking_.reset();
  decided_.ring();
  let_readers_look();
}

void live_session::on_stage(stage reached) {
  if (!host_) return;
  draining_ = true;
  // Nobody can come back while the server drains.
  if (reached == stage::closing || !current_) return host_->close(close_reason::shutdown);
  host_->drain();
}

void live_session::end() {
  const auto code = runtime::close_code(host_->reason());
  if (current_) duplex_socket::say_goodbye(std::exchange(current_, nullptr), {{}, code, host_->reason_text()});
  host_->log().ended(host_->reason_text());
  host_.reset();
  let_readers_look();
  decided();
  for (const auto& one : std::exchange(attempts_, {})) {
    settle(*one, error_of(errc::session_resume_expired, "The session has ended."));
  }
  slot_.reset();
}

}  // namespace parley::server
