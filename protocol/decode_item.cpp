#include "protocol/decode_parts.hpp"
#include "protocol/image_url.hpp"

#include <algorithm>
#include <array>

namespace parley::protocol {
namespace {

constexpr choice<item_type> item_types[] = {
    {"message", item_type::message},
    {"function_call", item_type::function_call},
    {"function_call_output", item_type::function_call_output},
};
constexpr choice<item_role> roles[] = {
    {"user", item_role::user},
    {"assistant", item_role::assistant},
    {"system", item_role::system},
};
constexpr choice<item_status> statuses[] = {
    {"completed", item_status::completed},
    {"incomplete", item_status::incomplete},
    {"in_progress", item_status::in_progress},
};
// What a message of a role may hold. `text` and `audio` are the beta names of the assistant's parts.
constexpr choice<part_type> user_parts[] = {
    {"input_text", part_type::input_text},
    {"input_audio", part_type::input_audio},
    {"input_image", part_type::input_image},
};
constexpr choice<part_type> system_parts[] = {{"input_text", part_type::input_text}};
constexpr choice<part_type> assistant_parts[] = {
    {"output_text", part_type::output_text},
    {"output_audio", part_type::output_audio},
    {"text", part_type::output_text},
    {"audio", part_type::output_audio},
};

part_type read_part_type(const json_value& type, item_role role) {
  switch (role) {
    case item_role::user:
      return type.one_of(user_parts);
    case item_role::system:
      return type.one_of(system_parts);
    case item_role::assistant:
      return type.one_of(assistant_parts);
  }
  return part_type::input_text;
}

std::string read_image(const json_value& url) {
  const std::string_view text = url.text();
  if (url.failed()) return {};
  if (const auto problem = image_problem(text)) url.refuse(*problem);
  return std::string{text};
}

// Audio stays base64 text: only the session knows its format and decodes it.
content_part read_part(const json_value& part, item_role role) {
  const auto [type, text, audio, transcript, image_url, detail] =
      part.members({"type", "text", "audio", "transcript", "image_url", "detail"});
  content_part read{.type = read_part_type(type, role)};
  switch (read.type) {
    case part_type::input_text:
    case part_type::output_text:
      read.text = text.string();
      break;
    case part_type::input_audio:
      read.text = audio.string();
      read.transcript = read_optional_text(transcript);
      break;
    case part_type::output_audio:
      read.transcript = read_optional_text(transcript).value_or(std::string{});
      read.text = read_optional_text(audio).value_or(std::string{});
      break;
    case part_type::input_image:
      read.text = read_image(image_url);
      if (detail.given()) read.detail = read_detail(detail);
      break;
  }
  return read;
}

// The members of the item types, one after the other; those of the other types are ignored like unknown ones.
void read_message(const json_value& value, item& read) {
  const auto [role, content] = value.members({"role", "content"});
  read.role = role.one_of(roles);
  content.for_each_element([&](const json_value& part) { read.content.push_back(read_part(part, read.role)); });
}

void read_function_call(const json_value& value, item& read) {
  const auto [name, call, arguments] = value.members({"name", "call_id", "arguments"});
  read.name = std::string{name.text_within(1, longest_id)};
  read.call = call_id{read_optional_name(call).value_or(std::string{})};
  read.arguments = arguments.string();
}

void read_function_output(const json_value& value, item& read) {
  const auto [call, output] = value.members({"call_id", "output"});
  read.call = call_id{std::string{call.text_within(0, longest_id)}};
  read.output = output.string();
}

}  // namespace

item read_item(const json_value& value) {
  const auto [id, type, status] = value.members({"id", "type", "status"});
  item read;
  read.type = type.one_of(item_types);
  if (id.given()) read.id = item_id{std::string{id.text_within(1, longest_id)}};
  if (status.given()) (void)status.one_of(statuses);  // without effect: what a client creates is complete
  if (value.failed()) return read;
  switch (read.type) {
    case item_type::message:
      read_message(value, read);
      break;
    case item_type::function_call:
      read_function_call(value, read);
      break;
    case item_type::function_call_output:
      read_function_output(value, read);
      break;
  }
  return read;
}

response_options::input_item read_input_item(const json_value& value, item (*read)(const json_value&)) {
  const auto [type, id] = value.members({"type", "id"});
  if (!type.is_string() || type.text() != "item_reference") return {false, read(value)};
  response_options::input_item reference{true, {}};
  reference.value.id = item_id{std::string{id.text_within(1, longest_id)}};
  return reference;
}

}  // namespace parley::protocol
