#include "protocol/decode_parts.hpp"
#include "protocol/spelling.hpp"

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
constexpr choice<microphone> microphones[] = {
    {"near_field", microphone::near_field},
    {"far_field", microphone::far_field},
};
constexpr choice<playback_policy> playback_policies[] = {
    {"ack_only", playback_policy::ack_only},
    {"commit_all_on_done", playback_policy::commit_all_on_done},
    {"estimate", playback_policy::estimate},
};
constexpr choice<session_kind> session_kinds[] = {
    {"realtime", session_kind::realtime},
    {"transcription", session_kind::transcription},
};
enum class extra : std::uint8_t { logprobs };
constexpr choice<extra> extras[] = {{"item.input_audio_transcription.logprobs", extra::logprobs}};

constexpr std::size_t longest_hint = 256;
constexpr std::size_t longest_hint_text = 64 * 1024;
constexpr std::size_t most_tracing_bytes = 16 * 1024;  // as compact JSON
constexpr std::size_t most_hints = 256;
constexpr std::int64_t most_prompt_tokens = 10'000'000;
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
    read.path = object.path();
    read_fields(object, detection_fields, read);
    return read;
  });
}

// ---- transcription and noise reduction --------------------------------------------------------------------------

std::vector<std::string> read_hints(const json_value& list) {
  std::vector<std::string> read;
  if (list.is_null()) return read;
  if (list.element_count() > most_hints) list.refuse("expected at most 256 of them.");
  list.for_each_element(
      [&](const json_value& each) { read.push_back(std::string{each.text_within(1, longest_hint)}); });
  return read;
}

// The hosted service shows what is not set as null, and clients send back what they saw.
constexpr field<transcription_patch> transcription_fields[] = {
    {"model", [](const json_value& v, transcription_patch& p) { p.model = std::string{v.text_within(1, longest_id)}; }},
    {"language",
     [](const json_value& v, transcription_patch& p) { p.language = read_optional_name(v).value_or(std::string{}); }},
    {"prompt",
     [](const json_value& v, transcription_patch& p) {
       p.prompt = v.is_null() ? std::string{} : std::string{v.text_within(0, longest_hint_text)};
     }},
    {"keywords", [](const json_value& v, transcription_patch& p) { p.keywords = read_hints(v); }},
    {"languages", [](const json_value& v, transcription_patch& p) { p.languages = read_hints(v); }},
    {"delay",
     [](const json_value& v, transcription_patch& p) { p.delay = v.is_null() ? std::string{} : read_level(v); }},
};

}  // namespace

void read_transcription(const json_value& value, session_patch& patch) {
  patch.transcription = read_nullable<transcription_patch>(value, [](const json_value& object) {
    transcription_patch read;
    read_fields(object, transcription_fields, read);
    return read;
  });
}

namespace {

constexpr field<noise_reduction_patch> noise_fields[] = {
    {"type", [](const json_value& v, noise_reduction_patch& p) { p.type = v.one_of(microphones); }},
    {"strength", [](const json_value& v, noise_reduction_patch& p) { p.strength = v.number(0, 1); }},
};

}  // namespace

void read_noise(const json_value& value, session_patch& patch) {
  patch.noise = read_nullable<noise_reduction_patch>(value, [](const json_value& object) {
    noise_reduction_patch read;
    read.path = object.path();
    read_fields(object, noise_fields, read);
    return read;
  });
}

namespace {

// ---- audio ------------------------------------------------------------------------------------------------------

void read_speed(const json_value& v, session_patch& p) { p.speed = v.is_null() ? 1.0 : v.number(0.25, 1.5); }
void read_input_format(const json_value& v, session_patch& p) { p.input_format = read_audio_format(v); }
void read_output_format(const json_value& v, session_patch& p) { p.output_format = read_audio_format(v); }
void read_session_voice(const json_value& v, session_patch& p) { p.voice = read_voice(v); }

constexpr field<session_patch> audio_input_fields[] = {
    {spelled::input_format.ga, read_input_format},
    {spelled::transcription.ga, read_transcription},
    {spelled::noise_reduction.ga, read_noise},
    {spelled::turn_detection.ga, read_detection},
};
constexpr field<session_patch> audio_output_fields[] = {
    {spelled::output_format.ga, read_output_format},
    {spelled::voice.ga, read_session_voice},
    {spelled::speed.ga, read_speed},
};
constexpr field<session_patch> audio_fields[] = {
    {"input", [](const json_value& v, session_patch& p) { read_fields(v, audio_input_fields, p); }},
    {"output", [](const json_value& v, session_patch& p) { read_fields(v, audio_output_fields, p); }},
};

// ---- tracing, truncation, include -------------------------------------------------------------------------------

raw_json read_tracing(const json_value& value) {
  if (value.is_string()) {
    if (value.text() != "auto") value.refuse("expected 'auto' or an object.");
    return value.raw();
  }
  const auto [workflow, group, metadata] =
      value.members({"workflow_name", "group_id", "metadata"}, unknown_members::refused);
  (void)read_optional_name(workflow);
  (void)read_optional_name(group);
  if (metadata.given()) metadata.require_object();
  if (value.failed()) return {};
  raw_json read = value.raw();
  if (read.text.size() > most_tracing_bytes) value.refuse("expected at most 16 KiB of JSON.");
  return read;
}

constexpr choice<truncation_type> truncation_names[] = {
    {"auto", truncation_type::automatic},
    {"disabled", truncation_type::disabled},
};
constexpr choice<truncation_type> truncation_objects[] = {{"retention_ratio", truncation_type::retention_ratio}};

truncation read_truncation(const json_value& value) {
  if (value.is_string()) return {.type = value.one_of(truncation_names)};
  const auto [type, ratio, limits] =
      value.members({"type", "retention_ratio", "token_limits"}, unknown_members::refused);
  truncation read{.type = type.one_of(truncation_objects), .retention_ratio = ratio.number(0, 1)};
  if (!limits.given()) return read;
  const auto [post_instructions] = limits.members({"post_instructions"}, unknown_members::refused);
  if (post_instructions.given()) {
    read.post_instructions = static_cast<int>(post_instructions.integer(1, most_prompt_tokens));
  }
  return read;
}

bool read_include(const json_value& list) {
  bool logprobs = false;
  if (list.is_null()) return logprobs;
  list.for_each_element([&](const json_value& each) { logprobs |= each.one_of(extras) == extra::logprobs; });
  return logprobs;
}

// ---- session ----------------------------------------------------------------------------------------------------

void read_session_modality(const json_value& v, session_patch& p) { p.modality = read_modality(v); }
void read_session_tokens(const json_value& v, session_patch& p) { p.max_output_tokens = read_token_limit(v); }
void ignore(const json_value&, session_patch&) {}

constexpr field<session_patch> session_fields[] = {
    // Not required, although the declarations say so: many clients leave it out.
    {"type", [](const json_value& v, session_patch& p) { p.kind = v.one_of(session_kinds); }},
    {"model", [](const json_value& v, session_patch& p) { p.model = std::string{v.text_within(1, longest_id)}; }},
    {"instructions",
     [](const json_value& v, session_patch& p) { p.instructions = read_optional_text(v).value_or(std::string{}); }},
    {spelled::modalities.ga, read_session_modality},
    {"audio", [](const json_value& v, session_patch& p) { read_fields(v, audio_fields, p); }},
    {"tools",
     [](const json_value& v, session_patch& p) { p.tools = v.is_null() ? std::vector<tool>{} : read_tools(v); }},
    {"tool_choice",
     [](const json_value& v, session_patch& p) { p.choice = v.is_null() ? tool_choice{} : read_tool_choice(v); }},
    {spelled::max_output_tokens.ga, read_session_tokens},
    {"parallel_tool_calls",
     [](const json_value& v, session_patch& p) {
       p.parallel_tool_calls = read_nullable<bool>(v, [](const json_value& on) { return on.boolean(); });
     }},
    {"tracing", [](const json_value& v, session_patch& p) { p.tracing = read_nullable<raw_json>(v, read_tracing); }},
    {"prompt",
     [](const json_value& v, session_patch& p) { p.prompt = read_nullable<prompt_template>(v, read_prompt); }},
    {"include", [](const json_value& v, session_patch& p) { p.include_logprobs = read_include(v); }},
    {"truncation",
     [](const json_value& v, session_patch& p) { p.truncation = read_nullable<truncation>(v, read_truncation); }},
    {"reasoning", [](const json_value& v, session_patch& p) { p.reasoning_effort = read_reasoning(v); }},
    {"playback_commit_policy", [](const json_value& v, session_patch& p) { p.playback = v.one_of(playback_policies); }},
    // The flat names of the beta API.
    {spelled::modalities.beta, read_session_modality},
    {spelled::voice.beta, read_session_voice},
    {spelled::speed.beta, read_speed},
    {spelled::input_format.beta, read_input_format},
    {spelled::output_format.beta, read_output_format},
    {spelled::transcription.beta, read_transcription},
    {spelled::noise_reduction.beta, read_noise},
    {spelled::turn_detection.beta, read_detection},
    {spelled::max_output_tokens.beta, read_session_tokens},
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

bool read_session_member(const json_value& member, session_patch& patch) {
  return read_field(member, session_fields, patch);
}

}  // namespace parley::protocol
