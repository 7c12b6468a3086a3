#include "protocol/wire_error.hpp"

#include <array>
#include <cstddef>

namespace parley::protocol {
namespace {

// In the order of errc.
constexpr auto names = std::to_array<std::string_view>({
    "",
    "invalid_json",
    "invalid_value",
    "invalid_type",
    "missing_required_parameter",
    "unknown_parameter",
    "cannot_update_voice",
    "unsupported_content_type",
    "invalid_tool_call_id",
    "item_create_duplicate_item_id",
    "item_create_invalid_previous_item_id",
    "item_delete_invalid_item_id",
    "item_retrieve_invalid_item_id",
    "item_truncate_invalid_item_id",
    "input_audio_buffer_commit_empty",
    "input_audio_buffer_full",
    "conversation_already_has_active_response",
    "response_cancel_not_active",
    "too_many_responses",
    "rate_limit_exceeded",
    "context_length_exceeded",
    "unsupported_in_transcription_session",
    "session_expired",
    "output_backpressure",
    "too_many_bad_messages",
    "server_shutdown",
    "model_failed",
    "internal_error",
    "bad_event",
    "unknown_event",
    "bad_audio",
    "event_too_large",
    "config_timeout",
    "resource_exhausted",
    "invalid_session_config",
    "invalid_duplex_runtime_config",
    "unsupported_audio_format",
    "unsupported_turn_detection",
    "model_update_unsupported",
    "instructions_update_unsupported",
    "ref_audio_update_unsupported",
    "ref_audio_required",
    "session_update_aborted",
    "native_text_append_unsupported",
    "invalid_video_frames",
    "unsupported",
    "input_backpressure",
    "commit_aborted",
    "barge_in_unsupported",
    "server_vad_unavailable",
    "response_create_without_input",
    "text_only_turn_unsupported",
    "unsupported_native_response_options",
    "playback_item_mismatch",
    "playback_item_not_found",
    "playback_ack_too_late",
    "missing_item_id",
    "invalid_image",
    "invalid_event_ack",
    "invalid_session_resume",
    "session_resume_expired",
    "unsupported_session_resume",
    "invalid_resume_token",
    "session_resume_conflict",
    "runtime_append_failed",
    "runtime_touch_failed",
    "runtime_data_plane_stream_failed",
    "unknown_model",
    "session_closed",
    "unknown_session",
});
static_assert(names.size() == static_cast<std::size_t>(errc::unknown_session) + 1);

}  // namespace

std::string_view wire_name(errc code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < names.size() ? names[index] : "internal_error";
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
