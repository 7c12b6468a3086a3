// Parts of a session that look the same in every dialect.
#include "protocol/encode_objects.hpp"

namespace parley::protocol {
namespace {

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

void write_texts(json_writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.begin_array(name);
  for (const std::string& each : texts) json.value(each);
  json.end_array();
}

}  // namespace

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
  if (!value->keywords.empty()) write_texts(json, "keywords", value->keywords);
  if (!value->languages.empty()) write_texts(json, "languages", value->languages);
  if (!value->delay.empty()) json.member("delay", value->delay);
  json.end_object();
}

void write_noise_reduction(json_writer& json, const std::optional<noise_reduction>& value) {
  if (!value) return json.value(nullptr);
  json.begin_object();
  json.member("type", value->type == microphone::near_field ? "near_field" : "far_field");
  if (value->strength != noise_reduction{}.strength) json.member("strength", value->strength);
  json.end_object();
}

}  // namespace parley::protocol
