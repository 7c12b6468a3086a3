#include "runtime/close_reason.hpp"

namespace parley::runtime {

std::uint16_t close_code(close_reason reason) noexcept {
  switch (reason) {
    case close_reason::client_close:
    case close_reason::idle_expired:
    case close_reason::session_replaced:
      return 1000;
    case close_reason::shutdown:
      return 1012;
    case close_reason::session_expired:
      return 1001;
    case close_reason::output_backpressure:
      return 1013;
    case close_reason::policy_violation:
    case close_reason::config_timeout:
    case close_reason::message_timeout:
      return 1008;
    case close_reason::model_lost:
    case close_reason::internal_error:
      return 1011;
    case close_reason::disconnect:
    case close_reason::write_timeout:
    case close_reason::ping_timeout:
    case close_reason::grace_expired:
    case close_reason::created_undelivered:
      break;
  }
  return 0;
}

std::string_view close_text(close_reason reason) noexcept {
  switch (reason) {
    case close_reason::client_close:
      return "client_close";
    case close_reason::disconnect:
      return "disconnect";
    case close_reason::shutdown:
      return "shutdown";
    case close_reason::session_expired:
      return "session_expired";
    case close_reason::output_backpressure:
      return "output_backpressure";
    case close_reason::policy_violation:
      return "policy_violation";
    case close_reason::write_timeout:
      return "write_timeout";
    case close_reason::ping_timeout:
      return "ping_timeout";
    case close_reason::message_timeout:
      return "message_timeout";
    case close_reason::model_lost:
      return "model_lost";
    case close_reason::idle_expired:
      return "idle_ttl_expired";
    case close_reason::grace_expired:
      return "disconnect_grace_expired";
    case close_reason::session_replaced:
      return "session_replaced";
    case close_reason::created_undelivered:
      return "session_created_undelivered";
    case close_reason::config_timeout:
      return "config_timeout";
    case close_reason::internal_error:
      break;
  }
  return "internal_error";
}

std::string_view duplex_text(close_reason reason) noexcept {
  switch (reason) {
    case close_reason::write_timeout:
    case close_reason::ping_timeout:
    case close_reason::message_timeout:
      return "timeout";
    case close_reason::internal_error:
      return "transport_error";
    case close_reason::model_lost:
      return "runtime_append_task_failed";
    default:
      return close_text(reason);
  }
}

}  // namespace parley::runtime
