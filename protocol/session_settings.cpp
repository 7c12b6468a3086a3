#include "protocol/session_settings.hpp"

#include <algorithm>
#include <utility>

namespace parley::protocol {
namespace {

// What a transcription uses when it is switched on without naming a model.
constexpr const char* default_transcription_model = "default";

template <class T>
void assign(T& target, const std::optional<T>& change) {
  if (change) target = *change;
}

// Absent: unchanged. Null: off. An object: merged into what is on, or into the defaults.
turn_detection merged_detection(turn_detection base, const turn_detection_patch& patch) {
  assign(base.type, patch.type);
  assign(base.threshold, patch.threshold);
  assign(base.prefix_padding, patch.prefix_padding);
  assign(base.silence_duration, patch.silence_duration);
  assign(base.idle_timeout, patch.idle_timeout);
  assign(base.eager, patch.eager);
  assign(base.minimum_speech, patch.minimum_speech);
  assign(base.create_response, patch.create_response);
  assign(base.interrupt_response, patch.interrupt_response);
  return base;
}

transcription merged_transcription(transcription base, const transcription_patch& patch) {
  assign(base.model, patch.model);
  assign(base.language, patch.language);
  assign(base.prompt, patch.prompt);
  assign(base.keywords, patch.keywords);
  assign(base.languages, patch.languages);
  assign(base.delay, patch.delay);
  if (base.model.empty()) base.model = default_transcription_model;
  return base;
}

wire_error settings_error(errc code, std::string message, std::string param) {
  return {error_class::invalid_request_error, code, std::move(message), std::move(param), {}};
}

// A member of the other kind would be kept, shown nowhere and have no effect. An idle timeout of null says what holds.
std::string_view foreign_member(turn_detection_type kind, const turn_detection_patch& patch) {
  if (kind == turn_detection_type::server_vad) return patch.eager ? "eagerness" : "";
  if (patch.threshold) return "threshold";
  if (patch.prefix_padding) return "prefix_padding_ms";
  if (patch.silence_duration) return "silence_duration_ms";
  return patch.idle_timeout && *patch.idle_timeout ? "idle_timeout_ms" : "";
}

std::optional<wire_error> check_kind_of(turn_detection_type kind, const turn_detection_patch& patch) {
  const std::string_view member = foreign_member(kind, patch);
  if (member.empty()) return std::nullopt;
  std::string where = patch.path + "." + std::string{member};
  const char* const name = kind == turn_detection_type::server_vad ? "server_vad" : "semantic_vad";
  return settings_error(errc::unknown_parameter, "Unknown parameter: '" + where + "': " + name + " has none.", where);
}

// As with detection: what was off is switched on with a type, what is on keeps what is not named.
std::optional<wire_error> apply_noise(session_settings& settings, const session_patch& patch) {
  if (!patch.noise) return std::nullopt;
  const std::optional<noise_reduction_patch>& change = *patch.noise;
  if (!change) {
    settings.noise.reset();
    return std::nullopt;
  }
  if (!settings.noise && !change->type) {
    return settings_error(errc::missing_required_parameter, "Noise reduction is off: switching it on needs 'type'.",
                          change->path + ".type");
  }
  if (!settings.noise) settings.noise.emplace();
  assign(settings.noise->type, change->type);
  assign(settings.noise->strength, change->strength);
  return std::nullopt;
}

// Switching detection on needs a type: guessing one would hide a client's mistake.
std::optional<wire_error> apply_detection(session_settings& settings, const session_patch& patch) {
  if (!patch.detection) return std::nullopt;
  const std::optional<turn_detection_patch>& change = *patch.detection;
  if (!change) {
    settings.detection.reset();
    return std::nullopt;
  }
  if (!settings.detection && !change->type) {
    return settings_error(errc::missing_required_parameter, "Turn detection is off: switching it on needs 'type'.",
                          change->path + ".type");
  }
  const auto kind = change->type.value_or(settings.detection ? settings.detection->type : turn_detection_type{});
  if (std::optional<wire_error> error = check_kind_of(kind, *change)) return error;
  settings.detection = merged_detection(settings.detection.value_or(turn_detection{}), *change);
  return std::nullopt;
}

void apply_audio(session_settings& settings, const session_patch& patch) {
  assign(settings.input_format, patch.input_format);
  assign(settings.output_format, patch.output_format);
  assign(settings.voice, patch.voice);
  assign(settings.speed, patch.speed);
  if (!patch.transcription) return;
  const std::optional<transcription_patch>& change = *patch.transcription;
  settings.transcription = change ? std::optional<transcription>{merged_transcription(
                                        settings.transcription.value_or(transcription{}), *change)}
                                  : std::nullopt;
}

void apply_plain(session_settings& settings, const session_patch& patch) {
  assign(settings.model, patch.model);
  assign(settings.instructions, patch.instructions);
  assign(settings.modality, patch.modality);
  assign(settings.max_output_tokens, patch.max_output_tokens);
  assign(settings.temperature, patch.temperature);
  assign(settings.playback, patch.playback);
  assign(settings.parallel_tool_calls, patch.parallel_tool_calls);
  assign(settings.reasoning_effort, patch.reasoning_effort);
  assign(settings.prompt, patch.prompt);
  if (patch.truncation) settings.truncation = patch.truncation->value_or(truncation{});
  assign(settings.include_logprobs, patch.include_logprobs);
  assign(settings.tracing, patch.tracing);
}

bool names_a_tool(const session_settings& settings) {
  if (settings.choice.mode != tool_choice_mode::function) return true;
  return std::any_of(settings.tools.begin(), settings.tools.end(),
                     [&](const tool& each) { return each.name == settings.choice.function; });
}

// A choice that this patch makes must name a tool. An older one whose tool this patch removes was no mistake of this
// patch: it falls back to automatic.
std::optional<wire_error> apply_tools(session_settings& settings, const session_patch& patch) {
  assign(settings.tools, patch.tools);
  assign(settings.choice, patch.choice);
  if (names_a_tool(settings)) return std::nullopt;
  if (patch.choice) {
    return settings_error(errc::invalid_value, "'tool_choice' names a function that is not among the tools.",
                          "session.tool_choice.name");
  }
  settings.choice = {};
  return std::nullopt;
}

// The member of a patch that only a session which speaks has, by its GA path.
std::string member_for_speaking(const session_patch& patch) {
  if (patch.model) return "session.model";
  if (patch.instructions) return "session.instructions";
  if (patch.modality) return "session.output_modalities";
  if (patch.output_format) return "session.audio.output.format";
  if (patch.voice) return "session.audio.output.voice";
  if (patch.speed) return "session.audio.output.speed";
  if (patch.tools) return "session.tools";
  if (patch.choice) return "session.tool_choice";
  if (patch.max_output_tokens) return "session.max_output_tokens";
  if (patch.temperature) return "session.temperature";
  if (patch.parallel_tool_calls) return "session.parallel_tool_calls";
  if (patch.reasoning_effort) return "session.reasoning";
  if (patch.prompt) return "session.prompt";
  if (patch.truncation) return "session.truncation";
  if (patch.tracing) return "session.tracing";
  if (patch.playback) return "session.playback_commit_policy";
  if (patch.detection && *patch.detection && (*patch.detection)->create_response) {
    return (*patch.detection)->path + ".create_response";
  }
  if (patch.detection && *patch.detection && (*patch.detection)->interrupt_response) {
    return (*patch.detection)->path + ".interrupt_response";
  }
  return {};
}

std::optional<wire_error> check_kind(const session_settings& settings, const session_patch& patch) {
  if (patch.kind && *patch.kind != settings.kind) {
    return settings_error(errc::invalid_value, "The type of a session is settled when it is opened.", "session.type");
  }
  if (settings.kind == session_kind::realtime) return std::nullopt;
  std::string member = member_for_speaking(patch);
  if (member.empty()) return std::nullopt;
  return settings_error(errc::unknown_parameter, "A transcription session has no '" + member + "'.", member);
}

// ---- duplex -----------------------------------------------------------------------------------------------------

constexpr int duplex_input_hz = 16000;
constexpr int g711_hz = 8000;

constexpr bool is_g711(audio_encoding encoding) noexcept {
  return encoding == audio_encoding::g711_ulaw || encoding == audio_encoding::g711_alaw;
}

// G.711 without a rate has its own, and what follows it without a rate has that of the direction.
void apply_format(audio_format& format, std::optional<audio_encoding> encoding, std::optional<int> rate_hz,
                  int usual_hz) {
  if (encoding && is_g711(*encoding) != is_g711(format.encoding)) {
    format.rate_hz = is_g711(*encoding) ? g711_hz : usual_hz;
  }
  assign(format.encoding, encoding);
  assign(format.rate_hz, rate_hz);
}

// An object stands for itself: what it does not name has its default.
void apply_duplex_detection(session_settings& settings, const session_patch& patch) {
  if (!patch.detection) return;
  const std::optional<turn_detection_patch>& change = *patch.detection;
  settings.detection = change ? std::optional{merged_detection({}, *change)} : std::nullopt;
}

// Who is heard over an answer follows from turn detection, and a policy that is named must agree with it.
std::optional<wire_error> apply_overlap(session_settings& settings, const duplex_patch& patch) {
  const bool detects = settings.detection.has_value();
  if (patch.overlap) {
    if ((*patch.overlap == overlap_policy::barge_in_on_speech) != detects) {
      return settings_error(errc::unsupported_turn_detection,
                            "'overlap_policy' contradicts turn_detection: barge_in_on_speech needs server_vad and "
                            "goes with it.",
                            "session.overlap_policy");
    }
    settings.duplex.overlap = *patch.overlap;
  } else if (patch.detection_named) {
    settings.duplex.overlap = detects ? overlap_policy::barge_in_on_speech : overlap_policy::listen_only;
  }
  return std::nullopt;
}

void apply_duplex(session_settings& settings, const duplex_patch& patch) {
  apply_format(settings.input_format, patch.input_encoding, patch.input_rate_hz, duplex_input_hz);
  apply_format(settings.output_format, patch.output_encoding, patch.output_rate_hz, audio_format{}.rate_hz);
  duplex_settings& own = settings.duplex;
  assign(own.overlap_short_ack_ms, patch.overlap_short_ack_ms);
  assign(own.overlap_barge_in_ms, patch.overlap_barge_in_ms);
  assign(own.overlap_silence_rms, patch.overlap_silence_rms);
  assign(own.idle_timeout_s, patch.idle_timeout_s);
  assign(own.auto_response, patch.auto_response);
  assign(own.force_listen_count, patch.force_listen_count);
  if (patch.extra_body) own.extra_body = patch.extra_body;
  own.has_reference_voice |= patch.ref_audio;
}

// What is wrong with a session as a whole has one code there.
wire_error as_duplex(wire_error error) {
  if (error.code != errc::unsupported_turn_detection) error.code = errc::invalid_session_config;
  return error;
}

result<session_settings> merged_duplex(session_settings base, const session_patch& patch) {
  apply_plain(base, patch);
  apply_audio(base, patch);
  apply_duplex(base, patch.duplex);
  apply_duplex_detection(base, patch);
  if (std::optional<wire_error> error = apply_noise(base, patch)) return as_duplex(*std::move(error));
  if (std::optional<wire_error> error = apply_overlap(base, patch.duplex)) return as_duplex(*std::move(error));
  if (std::optional<wire_error> error = apply_tools(base, patch)) return as_duplex(*std::move(error));
  return base;
}

}  // namespace

result<session_settings> merged(session_settings base, const session_patch& patch) {
  if (patch.duplex.spoken) return merged_duplex(std::move(base), patch);
  if (std::optional<wire_error> error = check_kind(base, patch)) return *std::move(error);
  apply_plain(base, patch);
  apply_audio(base, patch);
  if (std::optional<wire_error> error = apply_noise(base, patch)) return *std::move(error);
  if (std::optional<wire_error> error = apply_detection(base, patch)) return *std::move(error);
  if (std::optional<wire_error> error = apply_tools(base, patch)) return *std::move(error);
  return base;
}

}  // namespace parley::protocol
