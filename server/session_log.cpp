#include "server/session_log.hpp"

#include "protocol/wire_error.hpp"
#include "server/log_text.hpp"

#include <string>
#include <utility>
#include <variant>

namespace parley::server {

session_log::session_log(protocol::session_id session, std::shared_ptr<peer_log> all)
    : session_(std::move(session)), all_(std::move(all)), turns_(session_) {}

void session_log::see(const protocol::event_body& event, time_point now) {
  if (const auto* told = std::get_if<protocol::error_event>(&event)) {
    all_->refused("message " + std::string(protocol::wire_name(told->error.code)));
  }
  const auto turn = turns_.see(event);
  if (turn && budget_.take(now)) all_->lines().info("turn {}", *turn);
}

void session_log::opened(std::string_view model) {
  all_->lines().info("session {}: opened, model {}", session_.value, for_log(model));
}

void session_log::note(std::string_view what, time_point now) {
  if (budget_.take(now)) all_->lines().info("session {}: {}", session_.value, what);
}

void session_log::ended(std::string_view reason) {
  const auto missing = budget_.take_left_out();
  const auto gap = missing == 0 ? std::string() : ", " + std::to_string(missing) + " lines left out";
  all_->lines().info("session {}: ended, {}{}", session_.value, for_log(reason), gap);
}

}  // namespace parley::server
