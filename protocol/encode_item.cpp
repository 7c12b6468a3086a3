#include "protocol/encode_objects.hpp"
#include "protocol/spelling.hpp"

namespace parley::protocol {
namespace {

const char* name_of(item_type type) noexcept {
  switch (type) {
    case item_type::message:
      return "message";
    case item_type::function_call:
      return "function_call";
    case item_type::function_call_output:
      return "function_call_output";
  }
  return "message";
}

const char* name_of(item_role role) noexcept {
  switch (role) {
    case item_role::system:
      return "system";
    case item_role::user:
      return "user";
    case item_role::assistant:
      return "assistant";
  }
  return "user";
}

// In the duplex dialect what was not finished was cancelled.
const char* name_of(item_status status, dialect spoken) noexcept {
  switch (status) {
    case item_status::in_progress:
      return "in_progress";
    case item_status::completed:
      return "completed";
    case item_status::incomplete:
      break;
  }
  return spoken == dialect::duplex ? "cancelled" : "incomplete";
}

std::string_view name_of(part_type type, dialect spoken) noexcept {
  switch (type) {
    case part_type::input_text:
      return "input_text";
    case part_type::input_audio:
      return "input_audio";
    case part_type::input_image:
      return "input_image";
    case part_type::output_text:
      return is_beta(spoken) ? spelled::output_text.beta : spelled::output_text.ga;
    case part_type::output_audio:
      return is_beta(spoken) ? spelled::output_audio.beta : spelled::output_audio.ga;
  }
  return "input_text";
}

void write_clip(json_writer& json, const content_part& part, audio_data audio) {
  if (audio == audio_data::left_out || !part.audio) return;
  std::string base64;
  append_audio_base64(base64, part.audio->format.encoding, part.audio->samples);
  json.member("audio", base64);
}

// A client may read the transcript of its own audio without looking: the key is there even when it is null.
void write_content(json_writer& json, dialect spoken, const content_part& part, audio_data audio) {
  json.begin_object();
  json.member("type", name_of(part.type, spoken));
  switch (part.type) {
    case part_type::input_text:
    case part_type::output_text:
      json.member("text", part.text);
      break;
    case part_type::input_image:
      if (spoken != dialect::duplex) json.member("image_url", part.text);  // there the picture is not sent back
      if (!part.detail.empty()) json.member("detail", part.detail);
      break;
    case part_type::input_audio:
      json.member("transcript", part.untold ? std::nullopt : part.transcript);
      break;
    case part_type::output_audio:
      json.member("transcript", part.transcript.value_or(""));
      break;
  }
  write_clip(json, part, audio);
  json.end_object();
}

void write_message(json_writer& json, dialect spoken, const item& value, audio_data audio) {
  json.member("role", name_of(value.role));
  json.begin_array("content");
  for (const auto& part : value.content) write_content(json, spoken, part, audio);
  json.end_array();
}

}  // namespace

void write_item(json_writer& json, dialect spoken, const item& value, audio_data audio) {
  json.begin_object();
  json.member("id", value.id);
  json.member("object", "realtime.item");
  json.member("type", name_of(value.type));
  json.member("status", name_of(value.status, spoken));
  switch (value.type) {
    case item_type::message:
      write_message(json, spoken, value, audio);
      break;
    case item_type::function_call:
      json.member("name", value.name);
      json.member("call_id", value.call);
      json.member("arguments", value.arguments);
      break;
    case item_type::function_call_output:
      json.member("call_id", value.call);
      json.member("output", value.output);
      break;
  }
  json.end_object();
}

void write_part(json_writer& json, const content_part& part) {
  const bool audio = part.type == part_type::output_audio || part.type == part_type::input_audio;
  json.begin_object();
  json.member("type", audio ? "audio" : "text");
  if (audio) {
    json.member("transcript", part.transcript.value_or(""));
  } else {
    json.member("text", part.text);
  }
  json.end_object();
}

}  // namespace parley::protocol
