#include "protocol/decode_parts.hpp"

namespace parley::protocol {
namespace {

constexpr choice<audio_encoding> encodings[] = {
    {"audio/pcm", audio_encoding::pcm16},
    {"audio/pcmu", audio_encoding::g711_ulaw},
    {"audio/pcma", audio_encoding::g711_alaw},
};
constexpr choice<audio_encoding> beta_encodings[] = {
    {"pcm16", audio_encoding::pcm16},
    {"g711_ulaw", audio_encoding::g711_ulaw},
    {"g711_alaw", audio_encoding::g711_alaw},
};
constexpr int g711_rate_hz = 8000;
constexpr int lowest_rate_hz = 8000;
constexpr int highest_rate_hz = 48000;
// Rates with a whole number of samples in 10 ms, the frame of the speech detectors.
constexpr int rate_step_hz = 100;
constexpr std::size_t most_variables = 64;
constexpr std::size_t longest_variable = 64 * 1024;
// Kept in their wire form: it is what a model is told.
constexpr choice<std::string_view> levels[] = {
    {"minimal", "minimal"}, {"low", "low"}, {"medium", "medium"}, {"high", "high"}, {"xhigh", "xhigh"},
};
enum class variable_type : std::uint8_t { input_text };
constexpr choice<variable_type> variable_types[] = {{"input_text", variable_type::input_text}};
// As the API has it; what is more is "inf".
constexpr int highest_token_limit = 4096;
constexpr choice<std::string_view> details[] = {{"auto", "auto"}, {"low", "low"}, {"high", "high"}};

audio_format default_format(audio_encoding encoding) {
  return {encoding, encoding == audio_encoding::pcm16 ? audio_format{}.rate_hz : g711_rate_hz};
}

int read_rate(const json_value& rate, audio_encoding encoding) {
  if (encoding != audio_encoding::pcm16) return static_cast<int>(rate.integer(g711_rate_hz, g711_rate_hz));
  const auto rate_hz = static_cast<int>(rate.integer(lowest_rate_hz, highest_rate_hz));
  if (rate_hz % rate_step_hz != 0) rate.refuse("expected a multiple of 100.");
  return rate_hz;
}

// A text, or the same as a content part; pictures and files have no place in instructions.
std::string read_variable(const json_value& variable) {
  if (variable.is_string()) return std::string{variable.text_within(0, longest_variable)};
  const auto [type, text] = variable.members({"type", "text"}, unknown_members::refused);
  (void)type.one_of(variable_types);
  return std::string{text.text_within(0, longest_variable)};
}

}  // namespace

audio_format read_audio_format(const json_value& format) {
  if (format.is_string()) return default_format(format.one_of(beta_encodings));
  const auto [type, rate] = format.members({"type", "rate"}, unknown_members::refused);
  audio_format read = default_format(type.one_of(encodings));
  if (rate.present()) read.rate_hz = read_rate(rate, read.encoding);
  return read;
}

std::string read_voice(const json_value& voice) {
  if (!voice.is_object()) return std::string{voice.text_within(1, longest_id)};
  const auto [id] = voice.members({"id"}, unknown_members::refused);
  return std::string{id.text_within(1, longest_id)};
}

output_modality read_modality(const json_value& list) {
  bool text = false;
  bool audio = false;
  bool other = false;
  list.for_each_element([&](const json_value& element) {
    const std::string_view name = element.is_string() ? element.text() : std::string_view{};
    text |= name == "text";
    audio |= name == "audio";
    other |= name != "text" && name != "audio";
  });
  if (other || !(text || audio)) list.refuse("expected [\"audio\"] or [\"text\"].");
  return audio ? output_modality::audio : output_modality::text;
}

std::optional<int> read_token_limit(const json_value& limit) {
  if (limit.is_null() || (limit.is_string() && limit.text() == "inf")) return std::nullopt;
  if (limit.is_string()) limit.refuse("expected a whole number from 1 to 4096, or 'inf'.");
  return static_cast<int>(limit.integer(1, highest_token_limit));
}

double read_temperature(const json_value& temperature) { return temperature.number(0, 2); }

std::string read_level(const json_value& level) { return std::string{level.one_of(levels)}; }

nullable<std::string> read_reasoning(const json_value& reasoning) {
  if (reasoning.is_null()) return std::optional<std::string>{};
  const auto [effort] = reasoning.members({"effort"}, unknown_members::refused);
  if (!effort.given()) return std::optional<std::string>{};
  return std::optional<std::string>{read_level(effort)};
}

prompt_template read_prompt(const json_value& prompt) {
  const auto [id, version, variables] = prompt.members({"id", "version", "variables"}, unknown_members::refused);
  prompt_template read{.id = std::string{id.text_within(1, longest_id)}, .version = read_optional_name(version)};
  if (!variables.given()) return read;
  // clang 14, which builds the fuzz targets, captures no structured binding by itself.
  variables.for_each_member([&read, &list = variables](const json_value& each) {
    if (read.variables.size() == most_variables) list.refuse("expected at most 64 variables.");
    if (character_count(each.name()) > longest_id) list.refuse("a name is longer than 256 characters.");
    read.variables.emplace_back(std::string{each.name()}, read_variable(each));
  });
  return read;
}

std::string read_detail(const json_value& detail) { return std::string{detail.one_of(details)}; }

std::optional<std::string> read_optional_text(const json_value& text) {
  if (!text.given()) return std::nullopt;
  return text.string();
}

std::optional<std::string> read_optional_name(const json_value& name) {
  if (!name.given()) return std::nullopt;
  return std::string{name.text_within(0, longest_id)};
}

}  // namespace parley::protocol
