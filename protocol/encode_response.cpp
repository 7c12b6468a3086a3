#include "protocol/encode_objects.hpp"
#include "protocol/spelling.hpp"

namespace parley::protocol {
namespace {

void write_failure(json_writer& json, const wire_error& failure) {
  json.begin_object("error");
  json.member("type", wire_name(failure.kind));
  if (failure.code != errc::none) json.member("code", wire_name(failure.code));
  json.member("message", failure.message);
  json.end_object();
}

void write_status_details(json_writer& json, dialect spoken, const response_view& response) {
  json.key("status_details");
  if (response.status == response_status::in_progress || response.status == response_status::completed) {
    return json.value(nullptr);
  }
  json.begin_object();
  json.member("type", name_of(response.status));
  const std::string_view reason = name_of(response.reason, spoken);
  if (!reason.empty()) json.member("reason", reason);
  if (response.failure) write_failure(json, *response.failure);
  json.end_object();
}

// Nothing is cached between responses and images are not counted apart: those members are zero.
void write_input_details(json_writer& json, dialect spoken, const token_usage& usage) {
  json.begin_object("input_token_details");
  json.member("text_tokens", usage.input_text_tokens);
  json.member("audio_tokens", usage.input_audio_tokens);
  json.member("cached_tokens", 0);
  if (!is_beta(spoken)) {
    json.member("image_tokens", 0);
    json.member("cached_tokens_details", raw_json{R"({"text_tokens":0,"audio_tokens":0,"image_tokens":0})"});
  }
  json.end_object();
}

void write_ga_form(json_writer& json, dialect spoken, const response_view& response) {
  json.key(spelled::modalities.ga);
  write_modalities(json, spoken, response.modality);
  json.begin_object("audio");
  json.begin_object("output");
  json.key("format");
  write_format(json, response.output_format);
  json.member("voice", response.voice);
  json.end_object();
  json.end_object();
}

void write_beta_form(json_writer& json, dialect spoken, const response_view& response) {
  json.key(spelled::modalities.beta);
  write_modalities(json, spoken, response.modality);
  json.member("voice", response.voice);
  json.member("output_audio_format", format_name(response.output_format.encoding));
  json.member("temperature", response.temperature);
}

}  // namespace

const char* name_of(response_status status) noexcept {
  switch (status) {
    case response_status::in_progress:
      return "in_progress";
    case response_status::completed:
      return "completed";
    case response_status::cancelled:
      return "cancelled";
    case response_status::incomplete:
      return "incomplete";
    case response_status::failed:
      return "failed";
  }
  return "failed";
}

std::string_view name_of(status_reason reason, dialect spoken) noexcept {
  switch (reason) {
    case status_reason::none:
      return "";
    case status_reason::turn_detected:
      return "turn_detected";
    case status_reason::client_cancelled:
      return "client_cancelled";
    case status_reason::session_closed:
      return spoken == dialect::duplex ? "session_close" : "";
    case status_reason::max_output_tokens:
      return "max_output_tokens";
    case status_reason::content_filter:
      return "content_filter";
    case status_reason::barge_in:
      return "barge_in";
    case status_reason::input_cancel:
      return "input_cancel";
    case status_reason::output_audio_buffer_clear:
      return "output_audio_buffer_clear";
    case status_reason::model_listen:
      return "model_listen";
  }
  return "";
}

void write_usage(json_writer& json, dialect spoken, const std::optional<token_usage>& usage) {
  json.key("usage");
  if (!usage) return json.value(nullptr);
  const int input = usage->input_text_tokens + usage->input_audio_tokens;
  const int output = usage->output_text_tokens + usage->output_audio_tokens;
  json.begin_object();
  json.member("total_tokens", input + output);
  json.member("input_tokens", input);
  json.member("output_tokens", output);
  write_input_details(json, spoken, *usage);
  json.begin_object("output_token_details");
  json.member("text_tokens", usage->output_text_tokens);
  json.member("audio_tokens", usage->output_audio_tokens);
  json.end_object();
  json.end_object();
}

void write_response(json_writer& json, dialect spoken, const response_view& response) {
  json.begin_object();
  json.member("id", response.id);
  json.member("object", "realtime.response");
  json.member("status", name_of(response.status));
  write_status_details(json, spoken, response);
  json.begin_array("output");
  for (const auto& each : response.output) write_item(json, spoken, each);
  json.end_array();
  json.member("conversation_id", response.conversation);
  if (is_beta(spoken)) {
    write_beta_form(json, spoken, response);
  } else {
    write_ga_form(json, spoken, response);
  }
  json.key("max_output_tokens");
  write_token_limit(json, response.max_output_tokens);
  write_usage(json, spoken, response.usage);
  json.member("metadata", response.metadata);
  json.end_object();
}

}  // namespace parley::protocol
