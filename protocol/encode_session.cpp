#include "protocol/encode_objects.hpp"
#include "protocol/spelling.hpp"

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

// What answers and interrupts has no meaning where nobody speaks.
void write_detection(json_writer& json, dialect spoken, const session_settings& settings) {
  const std::optional<turn_detection>& detection = settings.detection;
  if (!detection) return json.value(nullptr);
  json.begin_object();
  if (detection->type == turn_detection_type::server_vad) {
    write_server_vad(json, spoken, *detection);
  } else {
    json.member("type", "semantic_vad");
    json.member("eagerness", name_of(detection->eager));
  }
  if (settings.kind == session_kind::realtime) {
    json.member("create_response", detection->create_response);
    json.member("interrupt_response", detection->interrupt_response);
  }
  json.end_object();
}

void write_audio_input(json_writer& json, dialect spoken, const session_settings& settings) {
  json.begin_object("input");
  json.key(spelled::input_format.ga);
  write_format(json, settings.input_format);
  json.key(spelled::transcription.ga);
  write_transcription(json, settings.transcription);
  json.key(spelled::noise_reduction.ga);
  write_noise_reduction(json, settings.noise);
  json.key(spelled::turn_detection.ga);
  write_detection(json, spoken, settings);
  json.end_object();
}

void write_audio_output(json_writer& json, const session_settings& settings) {
  json.begin_object("output");
  json.key(spelled::output_format.ga);
  write_format(json, settings.output_format);
  json.member(spelled::voice.ga, settings.voice);
  json.member(spelled::speed.ga, settings.speed);
  json.end_object();
}

void write_prompt(json_writer& json, const std::optional<prompt_template>& prompt) {
  json.key("prompt");
  if (!prompt) return json.value(nullptr);
  json.begin_object();
  json.member("id", prompt->id);
  if (prompt->version) json.member("version", *prompt->version);
  if (!prompt->variables.empty()) {
    json.begin_object("variables");
    for (const auto& [name, text] : prompt->variables) {
      json.free_key(name);
      json.value(text);
    }
    json.end_object();
  }
  json.end_object();
}

void write_truncation(json_writer& json, const truncation& value) {
  json.key("truncation");
  if (value.type == truncation_type::automatic) return json.value("auto");
  if (value.type == truncation_type::disabled) return json.value("disabled");
  json.begin_object();
  json.member("type", "retention_ratio");
  json.member("retention_ratio", value.retention_ratio);
  if (value.post_instructions) {
    json.begin_object("token_limits");
    json.member("post_instructions", *value.post_instructions);
    json.end_object();
  }
  json.end_object();
}

// Null when nothing is included, as the hosted service shows it.
void write_include(json_writer& json, const session_settings& settings) {
  json.key("include");
  if (!settings.include_logprobs) return json.value(nullptr);
  json.begin_array();
  json.value("item.input_audio_transcription.logprobs");
  json.end_array();
}

void write_model_hints(json_writer& json, const session_settings& settings) {
  if (settings.reasoning_effort) {
    json.begin_object("reasoning");
    json.member("effort", *settings.reasoning_effort);
    json.end_object();
  }
  if (settings.parallel_tool_calls) json.member("parallel_tool_calls", *settings.parallel_tool_calls);
}

void write_ga(json_writer& json, dialect spoken, const session_settings& settings) {
  json.key(spelled::modalities.ga);
  write_modalities(json, spoken, settings.modality);
  json.member("instructions", settings.instructions);
  write_tools(json, settings);
  json.key(spelled::max_output_tokens.ga);
  write_token_limit(json, settings.max_output_tokens);
  json.member("tracing", settings.tracing);
  write_prompt(json, settings.prompt);
  write_include(json, settings);
  write_truncation(json, settings.truncation);
  write_model_hints(json, settings);
  if (settings.temperature != session_settings{}.temperature) json.member("temperature", settings.temperature);
  json.member("playback_commit_policy", name_of(settings.playback));
  json.begin_object("audio");
  write_audio_input(json, spoken, settings);
  write_audio_output(json, settings);
  json.end_object();
}

void write_beta_input(json_writer& json, dialect spoken, const session_settings& settings) {
  json.member(spelled::input_format.beta, format_name(settings.input_format.encoding));
  json.key(spelled::transcription.beta);
  write_transcription(json, settings.transcription);
  json.key(spelled::noise_reduction.beta);
  write_noise_reduction(json, settings.noise);
  json.key(spelled::turn_detection.beta);
  write_detection(json, spoken, settings);
}

void write_beta(json_writer& json, dialect spoken, const session_settings& settings) {
  json.key(spelled::modalities.beta);
  write_modalities(json, spoken, settings.modality);
  json.member("instructions", settings.instructions);
  json.member(spelled::voice.beta, settings.voice);
  json.member(spelled::speed.beta, settings.speed);
  write_beta_input(json, spoken, settings);
  json.member(spelled::output_format.beta, format_name(settings.output_format.encoding));
  write_tools(json, settings);
  json.member("temperature", settings.temperature);
  json.key(spelled::max_output_tokens.beta);
  write_token_limit(json, settings.max_output_tokens);
  if (settings.tracing) json.member("tracing", *settings.tracing);
  if (settings.prompt) write_prompt(json, settings.prompt);
  if (settings.include_logprobs) write_include(json, settings);
  if (settings.truncation != truncation{}) write_truncation(json, settings.truncation);
  write_model_hints(json, settings);
}

// It has an input and nothing else.
void write_transcription_session(json_writer& json, dialect spoken, const session_settings& settings) {
  if (is_beta(spoken)) {
    write_beta_input(json, spoken, settings);
    if (settings.include_logprobs) write_include(json, settings);
    return;
  }
  write_include(json, settings);
  json.begin_object("audio");
  write_audio_input(json, spoken, settings);
  json.end_object();
}

void write_conversation_session(json_writer& json, dialect spoken, const session_settings& settings) {
  json.member("model", settings.model);
  if (is_beta(spoken)) {
    write_beta(json, spoken, settings);
  } else {
    write_ga(json, spoken, settings);
  }
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
    case audio_encoding::pcm_f32:  // of the duplex dialect: write_duplex_format
    case audio_encoding::wav:
      break;
  }
  json.end_object();
}

const char* format_name(audio_encoding encoding) noexcept {
  switch (encoding) {
    case audio_encoding::pcm16:
      return "pcm16";
    case audio_encoding::g711_ulaw:
      return "g711_ulaw";
    case audio_encoding::g711_alaw:
      return "g711_alaw";
    case audio_encoding::pcm_f32:
      return "pcm_f32le";
    case audio_encoding::wav:
      return "wav";
  }
  return "pcm16";
}

void write_modalities(json_writer& json, dialect spoken, output_modality modality) {
  const bool audio = modality == output_modality::audio;
  json.begin_array();
  if (!audio || spoken != dialect::openai) json.value("text");
  if (audio) json.value("audio");
  json.end_array();
}

void write_token_limit(json_writer& json, const std::optional<int>& limit) {
  if (limit) return json.value(*limit);
  json.value("inf");
}

void write_session(json_writer& json, dialect spoken, const session_view& session) {
  const session_settings& settings = *session.settings;
  const bool speaks = settings.kind == session_kind::realtime;
  json.begin_object();
  if (!is_beta(spoken)) json.member("type", speaks ? "realtime" : "transcription");
  json.member("object", speaks ? "realtime.session" : "realtime.transcription_session");
  json.member("id", session.id);
  if (speaks) {
    write_conversation_session(json, spoken, settings);
  } else {
    write_transcription_session(json, spoken, settings);
  }
  if (session.expires_at) json.member("expires_at", *session.expires_at);
  json.end_object();
}

}  // namespace parley::protocol
