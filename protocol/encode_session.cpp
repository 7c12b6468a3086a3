#include "protocol/encode_objects.hpp"

namespace parley::protocol {
namespace {

const char* name_of(eagerness value) noexcept {
  switch (value) {
    case eagerness::automatic:
      return "auto";
    case eagerness::low:
      return "low";
    case eagerness::medium:
      return "medium";
    case eagerness::high:
      return "high";
  }
  return "auto";
}

const char* name_of(playback_policy policy) noexcept {
  switch (policy) {
    case playback_policy::ack_only:
      return "ack_only";
    case playback_policy::commit_all_on_done:
      return "commit_all_on_done";
    case playback_policy::estimate:
      return "estimate";
  }
  return "estimate";
}

void write_choice(json_writer& json, const tool_choice& choice) {
  switch (choice.mode) {
    case tool_choice_mode::automatic:
      return json.value("auto");
    case tool_choice_mode::none:
      return json.value("none");
    case tool_choice_mode::required:
      return json.value("required");
    case tool_choice_mode::function:
      break;
  }
  json.begin_object();
  json.member("type", "function");
  json.member("name", choice.function);
  json.end_object();
}

void write_tools(json_writer& json, const session_settings& settings) {
  json.begin_array("tools");
  for (const auto& each : settings.tools) json.value(each.definition);
  json.end_array();
  json.key("tool_choice");
  write_choice(json, settings.choice);
}

void write_transcription(json_writer& json, const std::optional<transcription>& value) {
  if (!value) return json.value(nullptr);
  json.begin_object();
  json.member("model", value->model);
  if (!value->language.empty()) json.member("language", value->language);
  if (!value->prompt.empty()) json.member("prompt", value->prompt);
  json.end_object();
}

void write_noise_reduction(json_writer& json, const std::optional<noise_reduction>& value) {
  if (!value) return json.value(nullptr);
  json.begin_object();
  json.member("type", *value == noise_reduction::near_field ? "near_field" : "far_field");
  json.end_object();
}

void write_server_vad(json_writer& json, dialect spoken, const turn_detection& detection) {
  json.member("type", "server_vad");
  json.member("threshold", detection.threshold);
  json.member("prefix_padding_ms", detection.prefix_padding.count());
  json.member("silence_duration_ms", detection.silence_duration.count());
  if (is_beta(spoken)) return;
  json.key("idle_timeout_ms");
  if (detection.idle_timeout) {
    json.value(detection.idle_timeout->count());
  } else {
    json.value(nullptr);
  }
}

void write_detection(json_writer& json, dialect spoken, const std::optional<turn_detection>& detection) {
  if (!detection) return json.value(nullptr);
  json.begin_object();
  if (detection->type == turn_detection_type::server_vad) {
    write_server_vad(json, spoken, *detection);
  } else {
    json.member("type", "semantic_vad");
    json.member("eagerness", name_of(detection->eager));
  }
  json.member("create_response", detection->create_response);
  json.member("interrupt_response", detection->interrupt_response);
  json.end_object();
}

void write_audio_settings(json_writer& json, dialect spoken, const session_settings& settings) {
  json.begin_object("audio");
  json.begin_object("input");
  json.key("format");
  write_format(json, settings.input_format);
  json.key("transcription");
  write_transcription(json, settings.transcription);
  json.key("noise_reduction");
  write_noise_reduction(json, settings.noise);
  json.key("turn_detection");
  write_detection(json, spoken, settings.detection);
  json.end_object();
  json.begin_object("output");
  json.key("format");
  write_format(json, settings.output_format);
  json.member("voice", settings.voice);
  json.member("speed", settings.speed);
  json.end_object();
  json.end_object();
}

// What is only kept and shown. The first four are null when unset, as the hosted service shows them.
void write_kept(json_writer& json, const session_settings& settings) {
  json.member("tracing", settings.tracing);
  json.member("prompt", settings.prompt);
  json.member("include", settings.include);
  json.member("truncation", settings.truncation);
  if (settings.reasoning) json.member("reasoning", *settings.reasoning);
  if (settings.parallel_tool_calls) json.member("parallel_tool_calls", *settings.parallel_tool_calls);
}

void write_ga(json_writer& json, dialect spoken, const session_settings& settings) {
  json.key("output_modalities");
  write_modalities(json, spoken, settings.modality);
  json.member("instructions", settings.instructions);
  write_tools(json, settings);
  json.key("max_output_tokens");
  write_token_limit(json, settings.max_output_tokens);
  write_kept(json, settings);
  json.member("playback_commit_policy", name_of(settings.playback));
  write_audio_settings(json, spoken, settings);
}

void write_beta_audio(json_writer& json, dialect spoken, const session_settings& settings) {
  json.member("voice", settings.voice);
  json.member("speed", settings.speed);
  json.member("input_audio_format", beta_name(settings.input_format.encoding));
  json.member("output_audio_format", beta_name(settings.output_format.encoding));
  json.key("input_audio_transcription");
  write_transcription(json, settings.transcription);
  json.key("input_audio_noise_reduction");
  write_noise_reduction(json, settings.noise);
  json.key("turn_detection");
  write_detection(json, spoken, settings.detection);
}

void write_beta(json_writer& json, dialect spoken, const session_settings& settings) {
  json.key("modalities");
  write_modalities(json, spoken, settings.modality);
  json.member("instructions", settings.instructions);
  write_beta_audio(json, spoken, settings);
  write_tools(json, settings);
  json.member("temperature", settings.temperature);
  json.key("max_response_output_tokens");
  write_token_limit(json, settings.max_output_tokens);
  if (settings.tracing) json.member("tracing", *settings.tracing);
}

}  // namespace

void write_format(json_writer& json, const audio_format& format) {
  json.begin_object();
  switch (format.encoding) {
    case audio_encoding::pcm16:
      json.member("type", "audio/pcm");
      json.member("rate", format.rate_hz);
      break;
    case audio_encoding::g711_ulaw:
      json.member("type", "audio/pcmu");
      break;
    case audio_encoding::g711_alaw:
      json.member("type", "audio/pcma");
      break;
  }
  json.end_object();
}

const char* beta_name(audio_encoding encoding) noexcept {
  switch (encoding) {
    case audio_encoding::pcm16:
      return "pcm16";
    case audio_encoding::g711_ulaw:
      return "g711_ulaw";
    case audio_encoding::g711_alaw:
      return "g711_alaw";
  }
  return "pcm16";
}

void write_modalities(json_writer& json, dialect spoken, output_modality modality) {
  const bool audio = modality == output_modality::audio;
  json.begin_array();
  if (!audio || is_beta(spoken)) json.value("text");
  if (audio) json.value("audio");
  json.end_array();
}

void write_token_limit(json_writer& json, const std::optional<int>& limit) {
  if (limit) return json.value(*limit);
  json.value("inf");
}

void write_session(json_writer& json, dialect spoken, const session_view& session) {
  const session_settings& settings = *session.settings;
  json.begin_object();
  if (!is_beta(spoken)) json.member("type", "realtime");
  json.member("object", "realtime.session");
  json.member("id", session.id);
  json.member("model", settings.model);
  if (is_beta(spoken)) {
    write_beta(json, spoken, settings);
  } else {
    write_ga(json, spoken, settings);
  }
  if (session.expires_at) json.member("expires_at", *session.expires_at);
  json.end_object();
}

}  // namespace parley::protocol
