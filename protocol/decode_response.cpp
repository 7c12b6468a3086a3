#include "protocol/decode_parts.hpp"
#include "protocol/spelling.hpp"

namespace parley::protocol {
namespace {

constexpr std::size_t most_metadata_pairs = 16;
constexpr std::size_t longest_metadata_key = 64;
constexpr std::size_t longest_metadata_value = 512;

constexpr choice<bool> conversations[] = {{"auto", false}, {"none", true}};

// Echoed to the client as it came: only its size and shape matter.
raw_json read_metadata(const json_value& metadata) {
  std::size_t pairs = 0;
  metadata.for_each_member([&](const json_value& pair) {
    if (++pairs > most_metadata_pairs) metadata.refuse("expected at most 16 pairs.");
    if (character_count(pair.name()) > longest_metadata_key) metadata.refuse("a key is longer than 64 characters.");
    (void)pair.text_within(0, longest_metadata_value);
  });
  return metadata.failed() ? raw_json{"{}"} : metadata.raw();
}

std::vector<response_options::input_item> read_input(const json_value& input) {
  std::vector<response_options::input_item> read;
  input.for_each_element([&](const json_value& each) { read.push_back(read_input_item(each, read_item)); });
  return read;
}

void read_format(const json_value& v, response_options& o) { o.output_format = read_audio_format(v); }
void read_response_voice(const json_value& v, response_options& o) { o.voice = read_voice(v); }
void read_response_modality(const json_value& v, response_options& o) { o.modality = read_modality(v); }
void read_tokens(const json_value& v, response_options& o) { o.max_output_tokens = read_token_limit(v); }

constexpr field<response_options> audio_output_fields[] = {
    {spelled::output_format.ga, read_format},
    {spelled::voice.ga, read_response_voice},
};
constexpr field<response_options> audio_fields[] = {
    {"output", [](const json_value& v, response_options& o) { read_fields(v, audio_output_fields, o); }},
};

// Null means "as the session has it", like an absent member.
template <void (*Read)(const json_value&, response_options&)>
void unless_null(const json_value& value, response_options& options) {
  if (!value.is_null()) Read(value, options);
}

void read_instructions(const json_value& v, response_options& o) { o.instructions = v.string(); }
void read_response_tools(const json_value& v, response_options& o) { o.tools = read_tools(v); }
void read_choice(const json_value& v, response_options& o) { o.choice = read_tool_choice(v); }
void read_response_temperature(const json_value& v, response_options& o) { o.temperature = read_temperature(v); }
void read_conversation(const json_value& v, response_options& o) { o.out_of_band = v.one_of(conversations); }
void read_parallel(const json_value& v, response_options& o) { o.parallel_tool_calls = v.boolean(); }
void read_response_reasoning(const json_value& v, response_options& o) { o.reasoning_effort = read_reasoning(v); }
void read_response_prompt(const json_value& v, response_options& o) { o.prompt = std::optional{read_prompt(v)}; }

constexpr field<response_options> response_fields[] = {
    {"instructions", unless_null<read_instructions>},
    {spelled::modalities.ga, unless_null<read_response_modality>},
    {"audio", [](const json_value& v, response_options& o) { read_fields(v, audio_fields, o); }},
    {"tools", unless_null<read_response_tools>},
    {"tool_choice", unless_null<read_choice>},
    {spelled::max_output_tokens.ga, read_tokens},
    {"parallel_tool_calls", unless_null<read_parallel>},
    {"prompt", unless_null<read_response_prompt>},
    {"reasoning", unless_null<read_response_reasoning>},
    {"metadata", unless_null<[](const json_value& v, response_options& o) { o.metadata = read_metadata(v); }>},
    {"conversation", unless_null<read_conversation>},
    {"input", unless_null<[](const json_value& v, response_options& o) { o.input = read_input(v); }>},
    // The names of the beta API.
    {spelled::modalities.beta, unless_null<read_response_modality>},
    {spelled::voice.beta, unless_null<read_response_voice>},
    {spelled::output_format.beta, unless_null<read_format>},
    {spelled::max_output_tokens.beta, read_tokens},
    {"temperature", unless_null<read_response_temperature>},
};

}  // namespace

response_options read_response(const json_value& response) {
  response_options options;
  read_fields(response, response_fields, options);
  return options;
}

bool read_response_member(const json_value& member, response_options& options) {
  return read_field(member, response_fields, options);
}

}  // namespace parley::protocol
