#include "protocol/encode_duplex.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/spelling.hpp"

#include <initializer_list>
#include <utility>

namespace parley::protocol {
namespace {

const char* type_of(audio_encoding encoding) noexcept {
  switch (encoding) {
    case audio_encoding::pcm16:
      return "audio/pcm";
    case audio_encoding::g711_ulaw:
      return "audio/pcmu";
    case audio_encoding::g711_alaw:
      return "audio/pcma";
    case audio_encoding::pcm_f32:
      return "pcm_f32le";
    case audio_encoding::wav:
      return "audio/wav";
  }
  return "audio/pcm";
}

// Names of which those apply whose condition holds.
void write_names(json_writer& json, std::string_view member,
                 std::initializer_list<std::pair<std::string_view, bool>> names) {
  json.begin_array(member);
  for (const auto& [name, applies] : names) {
    if (applies) json.value(name);
  }
  json.end_array();
}

// Text comes with whatever is spoken.
void write_both_modalities(json_writer& json, output_modality modality) {
  for (const std::string_view name : {spelled::modalities.beta, spelled::modalities.ga}) {
    write_names(json, name, {{"text", true}, {"audio", modality == output_modality::audio}});
  }
}

void write_direction(json_writer& json, std::string_view name, const audio_format& format) {
  json.begin_object(name);
  json.key("format");
  write_duplex_format(json, format);
  json.member("sample_rate_hz", format.rate_hz);
  json.end_object();
}

void write_formats(json_writer& json, const session_settings& settings) {
  json.member("response_format", format_name(settings.output_format.encoding));
  json.member("input_audio_format", format_name(settings.input_format.encoding));
  json.member("output_audio_format", format_name(settings.output_format.encoding));
  json.begin_object("audio");
  write_direction(json, "input", settings.input_format);
  write_direction(json, "output", settings.output_format);
  json.end_object();
}

void write_detection(json_writer& json, const std::optional<turn_detection>& detection) {
  json.key("turn_detection");
  if (!detection) return json.value(nullptr);
  json.begin_object();
  json.member("type", "server_vad");
  json.member("threshold", detection->threshold);
  json.member("prefix_padding_ms", detection->prefix_padding.count());
  json.member("silence_duration_ms", detection->silence_duration.count());
  json.member("min_speech_ms", detection->minimum_speech.count());
  json.member("create_response", detection->create_response);
  json.member("interrupt_response", detection->interrupt_response);
  json.end_object();
}

void write_turns(json_writer& json, const session_settings& settings) {
  json.member("idle_timeout_s", settings.duplex.idle_timeout_s);
  json.member("overlap_policy", name_of(settings.duplex.overlap));
  json.member("overlap_short_ack_ms", settings.duplex.overlap_short_ack_ms);
  json.member("overlap_barge_in_ms", settings.duplex.overlap_barge_in_ms);
  json.member("overlap_silence_rms", settings.duplex.overlap_silence_rms);
  json.member("playback_commit_policy", name_of(settings.playback));
  write_detection(json, settings.detection);
}

void write_state(json_writer& json, const duplex_view& view) {
  json.member("state", "open");
  json.member("turn_state", name_of(view.turn_state));
  json.member("epoch", view.epoch.value);
  json.member("turn_id", view.turn_id);
  json.member("active_request_id", nullptr);  // requests to a model have no name outside
  json.member("active_response_id", view.active_response);
  json.key("active_response_turn_id");
  if (view.active_response) return json.value(view.turn_id);
  json.value(nullptr);
}

void write_capabilities(json_writer& json, const capability_view& can) {
  json.begin_object("capabilities");
  json.member("implementation_level", can.implementation_level);
  json.member("supports_input_append", true);
  json.member("supports_barge_in", can.barge_in);
  json.member("supports_session_resume", can.resume);
  json.member("supports_session_lease", true);
  json.member("supports_multi_session", true);
  json.member("session_admission_mode", "engine_managed");
  json.member("chunk_period_ms", can.chunk_period_ms);
  write_names(json, "input_modes",
              {{"append_audio_chunk", can.takes_audio},
               {"append_video_frames", can.takes_video},
               {"append_text", can.takes_text_appends}});
  write_names(json, "signal_sources", {{"model_native", true}, {"client_event", true}, {"server_policy", true}});
  write_names(json, "required_input_modalities", {{"audio", can.takes_audio}, {"video", can.video_required}});
  write_names(
      json, "optional_input_modalities",
      {{"video", can.takes_video && !can.video_required}, {"image", can.takes_images}, {"text", can.takes_text}});
  json.member("supports_audio_truncate", can.truncates_audio);
  json.member("supports_image_input", can.takes_images);
  json.end_object();
}

void write_generation(json_writer& json, const session_settings& settings) {
  json.member("instructions", settings.instructions);
  json.member("voice", settings.voice);
  json.member("temperature", settings.temperature);
  json.member("max_tokens", settings.max_output_tokens);
  json.member("speed", settings.speed);
  write_tools(json, settings);
  json.key("input_audio_transcription");
  write_transcription(json, settings.transcription);
  json.key("input_audio_noise_reduction");
  write_noise_reduction(json, settings.noise);
  json.member("tracing", settings.tracing);
}

// A session that was opened without a name has none.
void write_identity(json_writer& json, const session_view& session) {
  json.member("object", "realtime.session");
  json.member("type", "realtime");
  json.member("id", session.id);
  json.key("model");
  if (session.settings->model.empty()) return json.value(nullptr);
  json.value(session.settings->model);
}

}  // namespace

void write_duplex_format(json_writer& json, const audio_format& format) {
  json.begin_object();
  json.member("type", type_of(format.encoding));
  json.member("rate", format.rate_hz);
  json.end_object();
}

void write_duplex_session(json_writer& json, const session_view& session) {
  const duplex_view view = session.duplex.value_or(duplex_view{});
  json.begin_object();
  write_identity(json, session);
  write_state(json, view);
  write_both_modalities(json, session.settings->modality);
  write_formats(json, *session.settings);
  write_generation(json, *session.settings);
  write_turns(json, *session.settings);
  write_playback(json, view.playback);
  write_capabilities(json, view.capabilities);
  if (session.expires_at) json.member("expires_at", *session.expires_at);
  json.end_object();
}

}  // namespace parley::protocol
