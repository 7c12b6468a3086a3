#include "protocol/decode_duplex.hpp"
#include "protocol/decode_parts.hpp"
#include "protocol/spelling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

namespace parley::protocol {
namespace {

using std::chrono::milliseconds;

struct encoding_name {
  std::string_view name;
  audio_encoding encoding;
  bool input, output;
};
constexpr encoding_name encoding_names[] = {
    {"pcm16", audio_encoding::pcm16, true, true},
    {"pcm_s16le", audio_encoding::pcm16, true, true},
    {"s16le", audio_encoding::pcm16, true, true},
    {"audio/pcm", audio_encoding::pcm16, true, true},
    {"pcm", audio_encoding::pcm16, false, true},
    {"g711_ulaw", audio_encoding::g711_ulaw, true, true},
    {"audio/pcmu", audio_encoding::g711_ulaw, true, true},
    {"g711_alaw", audio_encoding::g711_alaw, true, true},
    {"audio/pcma", audio_encoding::g711_alaw, true, true},
    {"pcm_f32le", audio_encoding::pcm_f32, true, false},
    {"wav", audio_encoding::wav, false, true},
    {"audio/wav", audio_encoding::wav, false, true},
};

constexpr int highest_output_hz = 48000;
constexpr int longest_time_ms = 3'600'000;
constexpr int longest_idle_s = 366 * 24 * 3600;
constexpr int most_units = 1'000'000;

constexpr choice<overlap_policy> overlap_policies[] = {
    {"listen_only", overlap_policy::listen_only},
    {"barge_in_on_speech", overlap_policy::barge_in_on_speech},
    {"by_length", overlap_policy::by_length},
};
constexpr choice<playback_policy> playback_policies[] = {
    {"ack_only", playback_policy::ack_only},
    {"commit_all_on_done", playback_policy::commit_all_on_done},
    {"estimate", playback_policy::estimate},
};

// A name that is not among them counts as not given.
template <class Enum, std::size_t Count>
void read_policy(const json_value& name, const choice<Enum> (&known)[Count], std::optional<Enum>& target) {
  const std::string_view text = name.if_text().value_or(std::string_view{});
  for (const auto& each : known) {
    if (each.name == text) target = each.value;
  }
}

int read_count(const json_value& value, int low, int high) { return static_cast<int>(value.floored(low, high)); }

// ---- turn detection ---------------------------------------------------------------------------------------------

void refuse_detection(const json_value& value, std::string_view problem) {
  value.refuse(problem, errc::unsupported_turn_detection);
}

void read_threshold(const json_value& value, turn_detection_patch& patch) {
  patch.threshold = value.if_number();
  if (!patch.threshold || *patch.threshold <= 0 || *patch.threshold > 1) {
    refuse_detection(value, "expected a number above 0 and at most 1.");
  }
}

milliseconds read_ms(const json_value& value) {
  const std::optional<double> ms = value.if_number();
  if (ms && *ms >= 0 && *ms <= longest_time_ms) return milliseconds{static_cast<std::int64_t>(std::floor(*ms))};
  refuse_detection(value, "expected a number of milliseconds, 0 or more.");
  return {};
}

// Of semantic_vad, and of no detector here: what would have no effect is told.
void refuse_foreign(const json_value& v, turn_detection_patch&) { refuse_detection(v, "server_vad has none here."); }

void read_minimum(const json_value& v, turn_detection_patch& p) { p.minimum_speech = read_ms(v); }

constexpr field<turn_detection_patch> detection_fields[] = {
    {"threshold", read_threshold},
    {"prefix_padding_ms", [](const json_value& v, turn_detection_patch& p) { p.prefix_padding = read_ms(v); }},
    {"silence_duration_ms", [](const json_value& v, turn_detection_patch& p) { p.silence_duration = read_ms(v); }},
    {"min_speech_ms", read_minimum},
    {"minimum_speech_ms", read_minimum},
    {"eagerness", refuse_foreign},
    {"idle_timeout_ms", refuse_foreign},
    {"create_response", [](const json_value& v, turn_detection_patch& p) { p.create_response = v.boolean(); }},
    {"interrupt_response",
     [](const json_value& v, turn_detection_patch& p) {
       p.interrupt_response = v.boolean();
       if (!v.failed() && !*p.interrupt_response) refuse_detection(v, "speech always interrupts here.");
     }},
};

void read_detection(const json_value& value, session_patch& patch) {
  patch.duplex.detection_named = true;
  patch.detection.emplace(std::nullopt);
  if (value.is_null()) return;
  if (!value.is_object()) return refuse_detection(value, "expected null or an object.");
  const auto [type] = value.members({"type"});
  if (type.if_text() != std::string_view{"server_vad"}) return refuse_detection(type, "only 'server_vad' is known.");
  turn_detection_patch read{.type = turn_detection_type::server_vad};
  value.for_each_member([&](const json_value& member) {
    if (!member.is_null()) (void)read_field(member, detection_fields, read);
  });
  *patch.detection = read;
}

// ---- audio ------------------------------------------------------------------------------------------------------

void set_input(const format_change& change, duplex_patch& patch) {
  if (change.encoding) patch.input_encoding = change.encoding;
  if (change.rate_hz) patch.input_rate_hz = change.rate_hz;
}

void set_output(const format_change& change, duplex_patch& patch) {
  if (change.encoding) patch.output_encoding = change.encoding;
  if (change.rate_hz) patch.output_rate_hz = change.rate_hz;
}

void read_input_format(const json_value& v, session_patch& p) {
  set_input(read_duplex_format(v, audio_direction::input), p.duplex);
}
void read_output_format(const json_value& v, session_patch& p) {
  set_output(read_duplex_format(v, audio_direction::output), p.duplex);
}
void read_input_rate(const json_value& v, session_patch& p) {
  p.duplex.input_rate_hz = static_cast<int>(v.integer(lowest_input_hz, highest_input_hz));
}
void read_output_rate(const json_value& v, session_patch& p) {
  p.duplex.output_rate_hz = static_cast<int>(v.integer(lowest_input_hz, highest_output_hz));
}
void read_session_voice(const json_value& v, session_patch& p) { p.voice = read_voice(v); }
void read_session_speed(const json_value& v, session_patch& p) { p.speed = v.number(0.25, 1.5); }

constexpr field<session_patch> input_fields[] = {
    {"format", read_input_format},
    {"sample_rate_hz", read_input_rate},
};
constexpr field<session_patch> output_fields[] = {
    {"format", read_output_format},
    {"sample_rate_hz", read_output_rate},
    {"voice", read_session_voice},
    {"speed", read_session_speed},
};

// Members that null switches off.
constexpr field<session_patch> nullable_fields[] = {
    {"turn_detection", read_detection},
    {"transcription", read_transcription},
    {"input_audio_transcription", read_transcription},
    {"noise_reduction", read_noise},
    {"input_audio_noise_reduction", read_noise},
};

// Everywhere else null is not given.
template <std::size_t Count>
void read_members(const json_value& object, const field<session_patch> (&known)[Count], session_patch& patch) {
  object.for_each_member([&](const json_value& member) {
    if (read_field(member, nullable_fields, patch) || member.is_null()) return;
    (void)read_field(member, known, patch);
  });
}

constexpr field<session_patch> audio_fields[] = {
    {"input", [](const json_value& v, session_patch& p) { read_members(v, input_fields, p); }},
    {"output", [](const json_value& v, session_patch& p) { read_members(v, output_fields, p); }},
};

// ---- what only this dialect has ---------------------------------------------------------------------------------

bool is_private(std::string_view key) {
  if (key == "duplex_initial_user_text") return false;  // the one of that prefix that is a client's
  return key.starts_with("_") || key.starts_with("runtime_") || key.starts_with("duplex_") || key == "session_id" ||
         key == "request_id" || key == "epoch";
}

void read_extra(const json_value& value, session_patch& patch) {
  value.for_each_member([&](const json_value& member) {
    if (is_private(member.name()) && !patch.duplex.private_key) patch.duplex.private_key = std::string{member.name()};
    if (member.is_null()) return;
    if (member.name() == "auto_response") patch.duplex.auto_response = member.boolean();
    if (member.name() == "force_listen_count") patch.duplex.force_listen_count = read_count(member, 0, most_units);
  });
  patch.duplex.extra_body = value.raw_object();
}

// The lease is counted in whole seconds: a part of one counts as one.
void read_idle_timeout(const json_value& value, session_patch& patch) {
  const double seconds = value.number(0, longest_idle_s);
  if (seconds <= 0) value.refuse("expected a number above 0.");
  patch.duplex.idle_timeout_s.emplace(static_cast<int>(std::ceil(seconds)));
}

void read_token_count(const json_value& v, session_patch& p) { p.max_output_tokens = read_token_limit(v); }
void ignore(const json_value&, session_patch&) {}

constexpr field<session_patch> session_fields[] = {
    {"type", ignore},  // of the session, or of the event where it holds the members itself
    {"model", [](const json_value& v, session_patch& p) { p.model = std::string{v.text_within(1, longest_id)}; }},
    {"audio", [](const json_value& v, session_patch& p) { read_members(v, audio_fields, p); }},
    {spelled::input_format.beta, read_input_format},
    {spelled::output_format.beta, read_output_format},
    {"sample_rate_hz", read_input_rate},
    {"ref_audio", [](const json_value& v, session_patch& p) { p.duplex.ref_audio = !v.text().empty(); }},
    {"overlap_policy",
     [](const json_value& v, session_patch& p) { read_policy(v, overlap_policies, p.duplex.overlap); }},
    {"overlap_short_ack_ms",
     [](const json_value& v, session_patch& p) { p.duplex.overlap_short_ack_ms = read_count(v, 0, longest_time_ms); }},
    {"overlap_barge_in_ms",
     [](const json_value& v, session_patch& p) { p.duplex.overlap_barge_in_ms = read_count(v, 0, longest_time_ms); }},
    {"overlap_silence_rms",
     [](const json_value& v, session_patch& p) { p.duplex.overlap_silence_rms = v.number(0, 1); }},
    {"idle_timeout_s", read_idle_timeout},
    {"playback_commit_policy",
     [](const json_value& v, session_patch& p) { read_policy(v, playback_policies, p.playback); }},
    {"extra_body", read_extra},
};

constexpr field<session_patch> nullable_session_fields[] = {
    {"max_tokens", read_token_count},
    {spelled::max_output_tokens.ga, read_token_count},
    {spelled::max_output_tokens.beta, read_token_count},
    {"tracing", [](const json_value& v, session_patch& p) { (void)read_session_member(v, p); }},
};

void read_session_member_here(const json_value& member, session_patch& patch) {
  if (member.name() == "idle_timeout_s" && member.is_null()) return void(patch.duplex.idle_timeout_s.emplace());
  if (read_field(member, nullable_fields, patch) || read_field(member, nullable_session_fields, patch)) return;
  if (member.is_null() || read_field(member, session_fields, patch)) return;
  (void)read_session_member(member, patch);
}

}  // namespace

std::optional<audio_encoding> duplex_encoding(std::string_view name, audio_direction direction) noexcept {
  for (const encoding_name& each : encoding_names) {
    if (each.name == name && (direction == audio_direction::input ? each.input : each.output)) return each.encoding;
  }
  return std::nullopt;
}

format_change read_duplex_format(const json_value& format, audio_direction direction) {
  const bool input = direction == audio_direction::input;
  format_change read;
  const auto [type, rate, sample_rate] =
      format.is_object() ? format.members({"type", "rate", "sample_rate_hz"}) : std::array<json_value, 3>{};
  const json_value& name = format.is_object() ? type : format;
  const json_value& hz = rate.present() ? rate : sample_rate;
  if (format.is_object() && hz.present() && hz.given()) {
    read.rate_hz = static_cast<int>(hz.integer(lowest_input_hz, input ? highest_input_hz : highest_output_hz));
  }
  if (format.is_object() && !name.given()) return read;
  read.encoding = duplex_encoding(name.if_text().value_or(std::string_view{}), direction);
  if (!read.encoding) name.refuse("no audio format of this direction.", errc::unsupported_audio_format);
  return read;
}

session_patch read_duplex_session(const json_value& session) {
  session_patch patch;
  patch.duplex.spoken = true;
  session.for_each_member([&](const json_value& member) { read_session_member_here(member, patch); });
  return patch;
}

namespace {

// Items of this dialect, as those of conversation.item.create are.
void read_input(const json_value& list, response_options& options) {
  options.input.emplace();
  list.for_each_element(
      [&](const json_value& each) { options.input->push_back(read_input_item(each, read_duplex_item)); });
}

}  // namespace

response_options read_duplex_response(const json_value& response) {
  response_options options;
  const auto read_format = [&options](const json_value& format) {
    const format_change said = read_duplex_format(format, audio_direction::output);
    if (!said.encoding) return;
    const bool g711 = *said.encoding == audio_encoding::g711_ulaw || *said.encoding == audio_encoding::g711_alaw;
    options.output_format = audio_format{*said.encoding, said.rate_hz.value_or(g711 ? 8000 : audio_format{}.rate_hz)};
  };
  response.for_each_member([&](const json_value& member) {
    if (member.is_null()) return;
    if (member.name() == spelled::output_format.beta) return read_format(member);
    if (member.name() == "input") return read_input(member, options);
    if (member.name() != "audio") return void(read_response_member(member, options));
    const auto [output] = member.members({"output"});
    if (!output.given()) return;
    const auto [format, voice] = output.members({"format", "voice"});
    if (format.given()) read_format(format);
    if (voice.given()) options.voice = read_voice(voice);
  });
  return options;
}

}  // namespace parley::protocol
