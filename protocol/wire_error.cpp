#include "protocol/wire_error.hpp"

namespace parley::protocol {

std::string_view wire_name(errc code) noexcept {
  switch (code) {
    case errc::none:
      return "";
    case errc::invalid_json:
      return "invalid_json";
    case errc::invalid_value:
      return "invalid_value";
    case errc::invalid_type:
      return "invalid_type";
    case errc::missing_required_parameter:
      return "missing_required_parameter";
    case errc::unknown_parameter:
      return "unknown_parameter";
    case errc::cannot_update_voice:
      return "cannot_update_voice";
    case errc::unsupported_content_type:
      return "unsupported_content_type";
    case errc::invalid_tool_call_id:
      return "invalid_tool_call_id";
    case errc::item_create_duplicate_item_id:
      return "item_create_duplicate_item_id";
    case errc::item_create_invalid_previous_item_id:
      return "item_create_invalid_previous_item_id";
    case errc::item_delete_invalid_item_id:
      return "item_delete_invalid_item_id";
    case errc::item_retrieve_invalid_item_id:
      return "item_retrieve_invalid_item_id";
    case errc::item_truncate_invalid_item_id:
      return "item_truncate_invalid_item_id";
    case errc::input_audio_buffer_commit_empty:
      return "input_audio_buffer_commit_empty";
    case errc::input_audio_buffer_full:
      return "input_audio_buffer_full";
    case errc::conversation_already_has_active_response:
      return "conversation_already_has_active_response";
    case errc::response_cancel_not_active:
      return "response_cancel_not_active";
    case errc::too_many_responses:
      return "too_many_responses";
    case errc::rate_limit_exceeded:
      return "rate_limit_exceeded";
    case errc::context_length_exceeded:
      return "context_length_exceeded";
    case errc::unsupported_in_transcription_session:
      return "unsupported_in_transcription_session";
    case errc::session_expired:
      return "session_expired";
    case errc::output_backpressure:
      return "output_backpressure";
    case errc::too_many_bad_messages:
      return "too_many_bad_messages";
    case errc::server_shutdown:
      return "server_shutdown";
    case errc::model_failed:
      return "model_failed";
    case errc::internal_error:
      return "internal_error";
  }
  return "internal_error";
}

std::string_view wire_name(error_class kind) noexcept {
  switch (kind) {
    case error_class::invalid_request_error:
      return "invalid_request_error";
    case error_class::rate_limit_error:
      return "rate_limit_error";
    case error_class::server_error:
      return "server_error";
  }
  return "server_error";
}

}  // namespace parley::protocol
