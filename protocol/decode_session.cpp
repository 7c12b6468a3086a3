#include "protocol/decode_parts.hpp"

#include <chrono>

namespace parley::protocol {
namespace {

using std::chrono::milliseconds;

constexpr choice<turn_detection_type> detection_types[] = {
    {"server_vad", turn_detection_type::server_vad},
    {"semantic_vad", turn_detection_type::semantic_vad},
};
constexpr choice<eagerness> eagerness_names[] = {
    {"auto", eagerness::automatic},
    {"low", eagerness::low},
    {"medium", eagerness::medium},
    {"high", eagerness::high},
};
constexpr choice<noise_reduction> noise_types[] = {
    {"near_field", noise_reduction::near_field},
    {"far_field", noise_reduction::far_field},
};
constexpr choice<playback_policy> playback_policies[] = {
    {"ack_only", playback_policy::ack_only},
    {"commit_all_on_done", playback_policy::commit_all_on_done},
    {"estimate", playback_policy::estimate},
};
// Only conversations are served. transcription sessions are refused here and not later, where they would be half
// served.
enum class session_type : std::uint8_t { realtime };
constexpr choice<session_type> session_types[] = {{"realtime", session_type::realtime}};

constexpr std::size_t longest_model_name = 256;
constexpr milliseconds longest_prefix{10'000};
constexpr milliseconds longest_silence{60'000};
constexpr milliseconds shortest_idle{5'000};
constexpr milliseconds longest_idle{30'000};

milliseconds read_ms(const json_value& value, milliseconds low, milliseconds high) {
  return milliseconds{value.integer(low.count(), high.count())};
}

// Null switches off, a value is read: the three states of nullable.
template <class T, class Read>
nullable<T> read_nullable(const json_value& value, Read read) {
  if (value.is_null()) return std::optional<T>{};
  return std::optional<T>{read(value)};
}

// ---- turn detection ---------------------------------------------------------------------------------------------

constexpr field<turn_detection_patch> detection_fields[] = {
    {"type", [](const json_value& v, turn_detection_patch& p) { p.type = v.one_of(detection_types); }},
    {"threshold", [](const json_value& v, turn_detection_patch& p) { p.threshold = v.number(0, 1); }},
    {"prefix_padding_ms",
     [](const json_value& v, turn_detection_patch& p) {
       p.prefix_padding = read_ms(v, milliseconds{0}, longest_prefix);
     }},
    {"silence_duration_ms",
     [](const json_value& v, turn_detection_patch& p) {
       p.silence_duration = read_ms(v, milliseconds{0}, longest_silence);
     }},
    {"idle_timeout_ms",
     [](const json_value& v, turn_detection_patch& p) {
       p.idle_timeout = read_nullable<milliseconds>(
           v, [](const json_value& ms) { return read_ms(ms, shortest_idle, longest_idle); });
     }},
    {"eagerness", [](const json_value& v, turn_detection_patch& p) { p.eager = v.one_of(eagerness_names); }},
    {"create_response", [](const json_value& v, turn_detection_patch& p) { p.create_response = v.boolean(); }},
    {"interrupt_response", [](const json_value& v, turn_detection_patch& p) { p.interrupt_response = v.boolean(); }},
};

void read_detection(const json_value& value, session_patch& patch) {
  patch.detection = read_nullable<turn_detection_patch>(value, [](const json_value& object) {
    turn_detection_patch read;
    read_fields(object, detection_fields, read);
    return read;
  });
}

// ---- transcription and noise reduction --------------------------------------------------------------------------

constexpr field<transcription_patch> transcription_fields[] = {
    {"model",
     [](const json_value& v, transcription_patch& p) { p.model = std::string{v.text_within(1, longest_model_name)}; }},
    // The hosted service shows these as null when they are not set, and clients send back what they saw.
    {"language",
     [](const json_value& v, transcription_patch& p) { p.language = read_optional_text(v).value_or(std::string{}); }},
    {"prompt",
     [](const json_value& v, transcription_patch& p) { p.prompt = read_optional_text(v).value_or(std::string{}); }},
};

void read_transcription(const json_value& value, session_patch& patch) {
  patch.transcription = read_nullable<transcription_patch>(value, [](const json_value& object) {
    transcription_patch read;
    read_fields(object, transcription_fields, read);
    return read;
  });
}

void read_noise(const json_value& value, session_patch& patch) {
  patch.noise = read_nullable<noise_reduction>(value, [](const json_value& object) {
    const auto [type] = object.members({"type"}, unknown_members::refused);
    return type.one_of(noise_types);
  });
}

// ---- audio ------------------------------------------------------------------------------------------------------

void read_speed(const json_value& v, session_patch& p) { p.speed = v.is_null() ? 1.0 : v.number(0.25, 1.5); }
void read_input_format(const json_value& v, session_patch& p) { p.input_format = read_audio_format(v); }
void read_output_format(const json_value& v, session_patch& p) { p.output_format = read_audio_format(v); }
void read_session_voice(const json_value& v, session_patch& p) { p.voice = read_voice(v); }

constexpr field<session_patch> audio_input_fields[] = {
    {"format", read_input_format},
    {"transcription", read_transcription},
    {"noise_reduction", read_noise},
    {"turn_detection", read_detection},
};
constexpr field<session_patch> audio_output_fields[] = {
    {"format", read_output_format},
    {"voice", read_session_voice},
    {"speed", read_speed},
};
constexpr field<session_patch> audio_fields[] = {
    {"input", [](const json_value& v, session_patch& p) { read_fields(v, audio_input_fields, p); }},
    {"output", [](const json_value& v, session_patch& p) { read_fields(v, audio_output_fields, p); }},
};

// ---- what is kept and shown, but not used by the server itself --------------------------------------------------

raw_json read_auto_or_object(const json_value& value) {
  if (value.is_string() && value.text() == "auto") return value.raw();
  if (value.is_string()) value.refuse("expected 'auto' or an object.");
  return value.raw_object();
}

raw_json read_truncation(const json_value& value) {
  if (value.is_string() && value.text() == "disabled") return value.raw();
  return read_auto_or_object(value);
}

raw_json read_list(const json_value& value) {
  (void)value.element_count();
  return value.raw();
}

// ---- session ----------------------------------------------------------------------------------------------------

void read_session_modality(const json_value& v, session_patch& p) { p.modality = read_modality(v); }
void read_session_tokens(const json_value& v, session_patch& p) { p.max_output_tokens = read_token_limit(v); }
void ignore(const json_value&, session_patch&) {}

constexpr field<session_patch> session_fields[] = {
    // Not required, although the declarations say so: many clients leave it out, and there is one kind of session.
    {"type", [](const json_value& v, session_patch&) { (void)v.one_of(session_types); }},
    {"model",
     [](const json_value& v, session_patch& p) { p.model = std::string{v.text_within(1, longest_model_name)}; }},
    {"instructions",
     [](const json_value& v, session_patch& p) { p.instructions = read_optional_text(v).value_or(std::string{}); }},
    {"output_modalities", read_session_modality},
    {"audio", [](const json_value& v, session_patch& p) { read_fields(v, audio_fields, p); }},
    {"tools",
     [](const json_value& v, session_patch& p) { p.tools = v.is_null() ? std::vector<tool>{} : read_tools(v); }},
    {"tool_choice",
     [](const json_value& v, session_patch& p) { p.choice = v.is_null() ? tool_choice{} : read_tool_choice(v); }},
    {"max_output_tokens", read_session_tokens},
    {"parallel_tool_calls",
     [](const json_value& v, session_patch& p) {
       p.parallel_tool_calls = read_nullable<bool>(v, [](const json_value& on) { return on.boolean(); });
     }},
    {"tracing",
     [](const json_value& v, session_patch& p) { p.tracing = read_nullable<raw_json>(v, read_auto_or_object); }},
    {"prompt",
     [](const json_value& v, session_patch& p) {
       p.prompt = read_nullable<raw_json>(v, [](const json_value& object) { return object.raw_object(); });
     }},
    {"include", [](const json_value& v, session_patch& p) { p.include = read_nullable<raw_json>(v, read_list); }},
    {"truncation",
     [](const json_value& v, session_patch& p) { p.truncation = read_nullable<raw_json>(v, read_truncation); }},
    {"reasoning",
     [](const json_value& v, session_patch& p) {
       p.reasoning = read_nullable<raw_json>(v, [](const json_value& object) { return object.raw_object(); });
     }},
    {"playback_commit_policy", [](const json_value& v, session_patch& p) { p.playback = v.one_of(playback_policies); }},
    // The flat names of the beta API.
    {"modalities", read_session_modality},
    {"voice", read_session_voice},
    {"speed", read_speed},
    {"input_audio_format", read_input_format},
    {"output_audio_format", read_output_format},
    {"input_audio_transcription", read_transcription},
    {"input_audio_noise_reduction", read_noise},
    {"turn_detection", read_detection},
    {"max_response_output_tokens", read_session_tokens},
    {"temperature",
     [](const json_value& v, session_patch& p) {
       p.temperature = v.is_null() ? session_settings{}.temperature : read_temperature(v);
     }},
    // Shown by the server and fixed: clients that send a whole session back include them.
    {"id", ignore},
    {"object", ignore},
    {"expires_at", ignore},
};

}  // namespace

session_patch read_session(const json_value& session) {
  session_patch patch;
  read_fields(session, session_fields, patch);
  return patch;
}

}  // namespace parley::protocol
