#include "protocol/decode_duplex.hpp"
#include "protocol/decode_parts.hpp"
#include "protocol/image_url.hpp"

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
enum class content : std::uint8_t { text, audio, image };
constexpr choice<content> contents[] = {
    {"input_text", content::text},   {"output_text", content::text},   {"text", content::text},
    {"input_audio", content::audio}, {"output_audio", content::audio}, {"audio", content::audio},
    {"input_image", content::image},
};

content_part text_part(std::string text, item_role role) {
  return {.type = role == item_role::assistant ? part_type::output_text : part_type::input_text,
          .text = std::move(text)};
}

// Audio stays base64 text: only the session knows its format and decodes it.
content_part read_audio(const json_value& part, item_role role) {
  const auto [audio, transcript] = part.members({"audio", "transcript"});
  if (role == item_role::system) part.refuse("a system message has text only.");
  if (role == item_role::assistant) {
    return {.type = part_type::output_audio,
            .text = read_optional_text(audio).value_or(std::string{}),
            .transcript = read_optional_text(transcript).value_or(std::string{})};
  }
  return {.type = part_type::input_audio, .text = audio.string(), .transcript = read_optional_text(transcript)};
}

content_part read_image(const json_value& part, item_role role) {
  const auto [url, detail] = part.members({"image_url", "detail"});
  const std::string_view text = url.if_text().value_or(std::string_view{});
  if (role != item_role::user) {
    part.refuse("only messages of users have images.", errc::invalid_image);
  } else if (const auto problem = still_image_problem(text)) {
    url.refuse(*problem, errc::invalid_image);
  }
  return {.type = part_type::input_image,
          .text = std::string{text},
          .detail = detail.given() ? read_detail(detail) : std::string{}};
}

content_part read_part(const json_value& part, item_role role) {
  const auto [type, text] = part.members({"type", "text"});
  switch (type.one_of(contents)) {
    case content::text:
      return text_part(text.string(), role);
    case content::audio:
      return read_audio(part, role);
    case content::image:
      return read_image(part, role);
  }
  return {};
}

// A text may stand where the list of parts belongs.
void read_message(const json_value& value, item& read) {
  const auto [role, parts] = value.members({"role", "content"});
  if (role.given()) read.role = role.one_of(roles);
  if (parts.is_string()) {
    read.content.push_back(text_part(parts.string(), read.role));
  } else {
    parts.for_each_element([&](const json_value& part) { read.content.push_back(read_part(part, read.role)); });
  }
}

void read_call(const json_value& value, item& read) {
  const auto [name, call, arguments] = value.members({"name", "call_id", "arguments"});
  read.name = std::string{name.text_within(0, longest_id)};
  read.call = call_id{read_optional_name(call).value_or(std::string{})};
  read.arguments = read_optional_text(arguments).value_or(std::string{});
}

void read_output(const json_value& value, item& read) {
  const auto [call, output] = value.members({"call_id", "output"});
  read.call = call_id{std::string{call.if_text().value_or(std::string_view{})}};
  if (read.call.empty() || character_count(read.call.value) > longest_id) {
    call.refuse("expected the id of a call, of at most 256 characters.", errc::invalid_tool_call_id);
  }
  if (!output.is_string()) output.refuse("expected a string.", errc::invalid_tool_call_id);
  read.output = output.if_text().value_or(std::string_view{});
}

}  // namespace

item read_duplex_item(const json_value& value) {
  const auto [id, type] = value.members({"id", "type"});
  item read;
  if (type.given()) read.type = type.one_of(item_types);
  if (id.given()) read.id = item_id{std::string{id.text_within(1, longest_id)}};
  if (value.failed()) return read;
  switch (read.type) {
    case item_type::message:
      read_message(value, read);
      break;
    case item_type::function_call:
      read_call(value, read);
      break;
    case item_type::function_call_output:
      read_output(value, read);
      break;
  }
  return read;
}

}  // namespace parley::protocol
