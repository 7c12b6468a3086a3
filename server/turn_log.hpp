// What session.tracing means here: one line of JSON for every response that ends, with what an operator needs to follow
// a conversation through several services, and never what was said. Fed with every event of a session; keeps the
// tracing setting last shown to the client. Lifecycle: a part of the session's host.
#pragma once

#include "protocol/event.hpp"

#include <optional>
#include <string>

namespace parley::server {

class turn_log {
 public:
  explicit turn_log(protocol::session_id session) : session_(std::move(session)) {}

  // The line to log, if this event is worth one.
  [[nodiscard]] std::optional<std::string> see(const protocol::event_body& event);

 private:
  void follow(const protocol::session_settings& settings);
  [[nodiscard]] std::string line(const protocol::response_view& response) const;

  const protocol::session_id session_;
  bool tracing_ = false;
  std::string workflow_name_;  // for the log; empty = none given
  std::string group_id_;
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
