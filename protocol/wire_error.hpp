// What an `error` event tells a client. Codes that SDKs match on are an enum with a total function to the wire string.
// A wire_error never holds exception text, a backend URL or a secret: its message is written for the client.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::protocol {

enum class error_class : std::uint8_t { invalid_request_error, rate_limit_error, server_error };

enum class errc : std::uint8_t {
  none,  // wire: code null
  invalid_json,
  invalid_value,
  invalid_type,
  missing_required_parameter,
  unknown_parameter,
  cannot_update_voice,
  unsupported_content_type,
  invalid_tool_call_id,
  item_create_duplicate_item_id,
  item_create_invalid_previous_item_id,
  item_delete_invalid_item_id,
  item_retrieve_invalid_item_id,
  item_truncate_invalid_item_id,
  input_audio_buffer_commit_empty,
  input_audio_buffer_full,
  conversation_already_has_active_response,
  response_cancel_not_active,
  too_many_responses,
  rate_limit_exceeded,
  context_length_exceeded,
  unsupported_in_transcription_session,
  session_expired,
  output_backpressure,
  too_many_bad_messages,
  server_shutdown,
  model_failed,
  internal_error,
  // Of the duplex dialect alone.
  bad_event,
  unknown_event,
  bad_audio,
  event_too_large,
  config_timeout,
  resource_exhausted,
  invalid_session_config,
  invalid_duplex_runtime_config,
  unsupported_audio_format,
  unsupported_turn_detection,
  model_update_unsupported,
  instructions_update_unsupported,
  ref_audio_update_unsupported,
  ref_audio_required,
  session_update_aborted,
  native_text_append_unsupported,
  invalid_video_frames,
  unsupported,
  input_backpressure,
  commit_aborted,
  barge_in_unsupported,
  server_vad_unavailable,
  response_create_without_input,
  text_only_turn_unsupported,
  unsupported_native_response_options,
  playback_item_mismatch,
  playback_item_not_found,
  playback_ack_too_late,
  missing_item_id,
  invalid_image,
  invalid_event_ack,
  invalid_session_resume,
  session_resume_expired,
  unsupported_session_resume,
  invalid_resume_token,
  session_resume_conflict,
  runtime_append_failed,
  runtime_touch_failed,
  runtime_data_plane_stream_failed,
  unknown_model,  // in a first session.update
  session_closed,
  unknown_session,
};

// In the openai dialects; "" for none. A code that only the duplex dialect has goes by its name there.
[[nodiscard]] std::string_view wire_name(errc code) noexcept;
// What the duplex dialect calls it (an error both dialects have goes by another name there), and its class there, which
// follows from the code alone.
[[nodiscard]] std::string_view duplex_name(errc code) noexcept;
[[nodiscard]] std::string_view duplex_class(errc code) noexcept;
[[nodiscard]] std::string_view wire_name(error_class kind) noexcept;

struct wire_error {
  error_class kind = error_class::invalid_request_error;
  errc code = errc::none;
  std::string message;
  std::optional<std::string> param{};            // path of the field at fault, e.g. session.tools[3].name
  std::optional<std::string> client_event_id{};  // event_id of the client event at fault
  std::optional<bool> retryable{};               // duplex
  friend bool operator==(const wire_error&, const wire_error&) = default;
};

}  // namespace parley::protocol
