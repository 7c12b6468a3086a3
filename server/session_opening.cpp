#include "server/session_opening.hpp"

#include "runtime/close_reason.hpp"
#include "runtime/duplex_rules.hpp"

#include <string>
#include <utility>

namespace parley::server {

using protocol::errc;
using runtime::close_reason;

std::variant<session_opening, protocol::wire_error> choose_opening(const session_wish& wish,
                                                                   const protocol::session_patch& patch,
                                                                   const model_catalog& models) {
  session_opening chosen{wish.model, wish.settings};
  if (patch.model) {
    chosen.model = models.find(*patch.model);
    if (!chosen.model || (wish.model_bound && chosen.model != wish.model)) {
      return protocol::wire_error{
          .code = errc::unknown_model, .message = "There is no such model for this session.", .param = "session.model"};
    }
  }
  const auto capabilities = chosen.model->capabilities();
  if (auto refusal = runtime::refused_open(chosen.settings, patch, capabilities)) return *std::move(refusal);
  auto merged = protocol::merged(std::move(chosen.settings), patch);
  if (!merged) return merged.error();
  chosen.settings = *std::move(merged);
  chosen.settings.playback = protocol::playback_policy::ack_only;  // whatever was asked for
  return chosen;
}

protocol::wire_error no_room(int max_sessions) {
  return {.kind = protocol::error_class::rate_limit_error,
          .code = errc::resource_exhausted,
          .message = "duplex_session_capacity_exhausted: limit=" + std::to_string(max_sessions)};
}

bool refuses_open(const protocol::wire_error& error, bool is_object) {
  if (!is_object || error.code == errc::invalid_json || error.code == errc::event_too_large) return true;
  if (error.code == errc::invalid_session_config || error.code == errc::invalid_session_resume) return true;
  return error.param && error.param->starts_with("session");
}

std::uint16_t refusal_close_code(errc code) noexcept {
  switch (code) {
    case errc::resource_exhausted:
      return runtime::close_code(close_reason::output_backpressure);  // 1013, try again later
    case errc::server_shutdown:
      return runtime::close_code(close_reason::shutdown);
    case errc::internal_error:
      return runtime::close_code(close_reason::internal_error);
    default:
      return runtime::close_code(close_reason::policy_violation);
  }
}

}  // namespace parley::server
