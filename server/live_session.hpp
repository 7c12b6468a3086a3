// A session of the duplex dialect, which outlives its sockets: a task of its own, found by its id, that sequences and
// journals what the session says whether or not a socket is attached, and writes while one is.
//
//   socket --hear()--> session_host --> delivery buffer --> writer --> journal --> attached socket, or nobody
//   socket --resume()--> writer: session.resumed, then the journal, then live     (the socket before: session.replaced)
//   socket --lost()--> detached: the session waits for its grace, created_undelivered or disconnect end it
//
// Everything that is written goes through the one writer, so a takeover needs no lock and no write can overtake
// another. The host and its session are destroyed on the session's executor when run() ends; what is left then is a
// shell that answers session_resume_expired. Lifecycle: shared by run(), the registry and the coroutines of the sockets
// that are or were attached.
#pragma once

#include "protocol/command.hpp"
#include "runtime/journal.hpp"
#include "server/alarm.hpp"
#include "server/auth.hpp"
#include "server/duplex_socket.hpp"
#include "server/permits.hpp"
#include "server/resume_tokens.hpp"
#include "server/services.hpp"
#include "server/session_host.hpp"
#include "server/write_patience.hpp"

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>

namespace parley::server {

class live_session {
 public:
  // What an attempt to resume is told instead of being attached.
  using refusal = std::optional<protocol::event_body>;
  using message = protocol::result<protocol::command>;

  // What the handshake of a socket showed; empty where everybody is admitted.
  using opener = std::optional<key_hash>;

  // The first socket is attached from the start; without a token the session can not be resumed, and with one only by
  // sockets that came with what the first one came with.
  live_session(executor home, runtime::session_options options, services& shared, duplex_socket::pointer first,
               permit_pool::permit slot, opener by);
  live_session(const live_session&) = delete;
  live_session& operator=(const live_session&) = delete;

  [[nodiscard]] executor home() const noexcept { return home_; }

  // ---- on the executor ------------------------------------------------------------------------------------------
  // Opens the model, whose exception comes out, and the session. Once, before run().
  void start(runtime::model& chosen);
  // Until the session has ended and what it said last is written. `self` keeps it alive and findable.
  [[nodiscard]] static task<void> run(std::shared_ptr<live_session> self);
  // A message of a socket, decoded or not. Of one that is not attached (any more) nothing is heard.
  // REQUIRES: is_being_taken() and is_full() are false.
  void hear(const duplex_socket& from, const message& said);
  // The same, and waits while that is not known, and until there is room for the next. Ends in bounded time. Lifetime:
  // the caller holds all.
  [[nodiscard]] task<void> hear_when_decided(const duplex_socket& from, const message& said);
  // Answers to what was heard wait for room: nothing more may be heard before wait_for_room() ends.
  [[nodiscard]] bool is_full() const noexcept { return host_ && !host_->closed_at() && !host_->takes_commands(); }
  // At the latest when that socket is not attached any more. Ends in bounded time: a socket that takes nothing is lost.
  // Lifetime: the caller holds all.
  [[nodiscard]] task<void> wait_for_room(const duplex_socket& from);
  // Another socket is being told session.resumed.
  [[nodiscard]] bool is_being_taken() const noexcept { return taking_ != nullptr; }
  // Attaches the socket, or says what it is to be told instead. Ends in bounded time. Lifetime: the caller holds the
  // session.
  [[nodiscard]] task<refusal> resume(duplex_socket::pointer by, protocol::session_resume wish, opener shown);
  // How long it may be unused; empty = any time.
  [[nodiscard]] task<std::optional<int>> lease_s() const;
  // The socket ended. Harmless for one that is not attached (any more).
  void lost(const duplex_socket& which);

 private:
  // A write that is going on.
  class under_way {
   public:
    under_way(live_session& session, duplex_socket::pointer to);
    under_way(const under_way&) = delete;
    under_way& operator=(const under_way&) = delete;
    ~under_way() { session_.written_.reset(); }

   private:
    live_session& session_;
  };
  // A socket whose messages wait for room.
  struct room_waiter {
    explicit room_waiter(live_session& session);
    room_waiter(const room_waiter&) = delete;
    room_waiter& operator=(const room_waiter&) = delete;
    ~room_waiter() { session_.room_waiters_.erase(place_); }
    const std::unique_ptr<alarm> rung;

   private:
    live_session& session_;
    const std::list<alarm*>::iterator place_;
  };
  struct attempt {
    attempt(executor home, duplex_socket::pointer socket, protocol::session_resume what)
        : by(std::move(socket)), wish(std::move(what)), settled(home) {}
    duplex_socket::pointer by;
    protocol::session_resume wish;
    alarm settled;
    bool is_settled = false;
    refusal told{};
  };

  // ---- live_session.cpp: sockets come, speak and go -------------------------------------------------------------
  void acknowledge(const protocol::event_ack& ack, const std::optional<std::string>& client_event_id);
  void refuse_late(const protocol::command& late);
  void let_readers_look();
  [[nodiscard]] refusal refused(const protocol::session_resume& wish) const;
  // The same; before it refuses the token used last, it looks whether the socket that got the next one is still there.
  task<refusal> judge(const protocol::session_resume& wish);
  void settle(attempt& one, refusal told);
  void decided();
  void on_stage(stage reached);
  void end();

  // ---- live_session_writer.cpp: what is written -----------------------------------------------------------------
  task<runtime::close_reason> write_events();
  task<runtime::close_reason> watch_deadlines();
  task<void> take_over(attempt& one);
  // The bytes of the held event, or null when it was invalidated.
  std::shared_ptr<const std::string> sequence_held();
  [[nodiscard]] std::shared_ptr<const std::string> overflow_notice() const;
  // What waits to be replayed, and what happens meanwhile.
  void put_replay(std::shared_ptr<const std::string> bytes);
  [[nodiscard]] std::shared_ptr<const std::string> take_replay();
  void drop_replay();
  [[nodiscard]] bool is_crowded();
  void make_room();
  // The event that is next is the last one.
  [[nodiscard]] bool is_last();
  task<void> send_late_answers();
  task<void> send(std::shared_ptr<const std::string> bytes);
  void attach(attempt& one, std::string token, std::deque<runtime::journal::event_bytes> replay);
  [[nodiscard]] std::optional<runtime::time_point> write_deadline() const;

  // Constant after construction.
  const executor home_;
  const protocol::session_id id_;
  services& shared_;
  const opener opener_;
  // Owned by the executor.
  std::optional<permit_pool::permit> slot_;
  alarm news_;  // for the writer
  alarm deadline_alarm_;
  std::list<alarm*> room_waiters_;    // one for each room_waiter
  alarm decided_;                     // a takeover succeeded or failed; for the reader of the socket before
  std::optional<session_host> host_;  // until run() ends
  const std::unique_ptr<runtime::journal> journal_;
  std::optional<resume_tokens> tokens_;  // empty: can not be resumed
  std::int64_t generation_ = 1;
  duplex_socket::pointer current_;  // null: detached
  duplex_socket::pointer taking_;   // is being told session.resumed
  duplex_socket::pointer written_;  // of the write that is going on
  runtime::time_point write_began_{};
  write_patience patience_;
  std::list<std::shared_ptr<attempt>> attempts_;            // oldest first
  runtime::time_point attempted_{};                         // when the last one came
  std::deque<runtime::journal::event_bytes> replay_;        // before anything else
  std::size_t replay_bytes_ = 0;                            // of replay_
  std::deque<std::shared_ptr<const std::string>> answers_;  // to commands that came too late
  bool overflow_untold_ = false;                            // the journal has stopped, and nobody was told
  bool created_written_ = false;
  bool buffer_rings_ = false;  // the buffer has been asked to ring news_ and has not yet
  bool draining_ = false;
  // Thread safety: home() from any thread, the rest on the executor.
};

}  // namespace parley::server
