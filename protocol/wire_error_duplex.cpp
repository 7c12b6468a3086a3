#include "protocol/wire_error.hpp"

namespace parley::protocol {

// What both dialects refuse goes by another name here; the rest by the one it has.
std::string_view duplex_name(errc code) noexcept {
  switch (code) {
    case errc::none:
      return "internal_error";
    case errc::response_cancel_not_active:
      return "response_not_active";
    case errc::conversation_already_has_active_response:
      return "response_already_active";
    case errc::item_create_invalid_previous_item_id:
    case errc::item_delete_invalid_item_id:
    case errc::item_retrieve_invalid_item_id:
    case errc::item_truncate_invalid_item_id:
      return "item_not_found";
    case errc::input_audio_buffer_commit_empty:
      return "input_audio_buffer_empty";
    case errc::input_audio_buffer_full:
      return "input_backpressure";
    case errc::invalid_tool_call_id:
      return "invalid_function_call_output";
    case errc::cannot_update_voice:
      return "voice_update_after_audio_unsupported";
    case errc::model_failed:
      return "engine_error";
    case errc::unknown_model:
      return "invalid_value";
    case errc::unsupported_content_type:
    case errc::unsupported_in_transcription_session:
      return "unsupported";
    case errc::invalid_value:
    case errc::invalid_type:
    case errc::missing_required_parameter:
    case errc::unknown_parameter:
    case errc::item_create_duplicate_item_id:
      return "bad_event";
    case errc::too_many_responses:
    case errc::rate_limit_exceeded:
      return "resource_exhausted";
    default:
      return wire_name(code);
  }
}

std::string_view duplex_class(errc code) noexcept {
  const std::string_view name = duplex_name(code);
  if (name == "resource_exhausted" || name == "input_backpressure" || name == "output_backpressure") {
    return wire_name(error_class::rate_limit_error);
  }
  const bool server = name == "internal_error" || name == "commit_aborted" || name == "engine_error" ||
                      name == "server_vad_unavailable" || name.starts_with("runtime_");
  return wire_name(server ? error_class::server_error : error_class::invalid_request_error);
}

}  // namespace parley::protocol
