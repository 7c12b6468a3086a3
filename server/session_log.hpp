// What the log says of one session: that it opened and that it ended, and in between a bounded number of lines, because
// its client causes them: one for every response where session.tracing is set, the comings and goings of its sockets.
// Errors that the client was told are counted with the server's refusals (peer_log). Lifecycle: a part of the session's
// host.
#pragma once

#include "protocol/event.hpp"
#include "server/line_budget.hpp"
#include "server/peer_log.hpp"
#include "server/turn_log.hpp"

#include <chrono>
#include <memory>
#include <string_view>

namespace parley::server {

class session_log {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  // Lines of one session at once, and a second after that: a conversation has a turn in a few seconds.
  static constexpr int lines_at_once = 20, lines_per_second = 1;

  session_log(protocol::session_id session, std::shared_ptr<peer_log> all);

  // Fed with every event of the session.
  void see(const protocol::event_body& event, time_point now);
  // REQUIRES: `what` is the server's own text, or went through for_log.
  void opened(std::string_view model);
  void note(std::string_view what, time_point now);
  // `reason` may be a client's.
  void ended(std::string_view reason);

 private:
  const protocol::session_id session_;
  const std::shared_ptr<peer_log> all_;
  turn_log turns_;
  line_budget<time_point> budget_{lines_at_once, lines_per_second};
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
