#include "adapters/scripted/tool_script.hpp"

#include "adapters/scripted/prompt_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace parley::adapters::scripted {
namespace {

namespace json = boost::json;

bool speaks_of(std::string_view text, std::string name) {
  if (contains_no_case(text, name)) return true;
  std::replace(name.begin(), name.end(), '_', ' ');
  return contains_no_case(text, name);
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~') ||
         c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view bare(std::string_view word) {
  while (!word.empty() && is_ascii_punctuation(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_ascii_punctuation(word.back())) word.remove_suffix(1);
  return word;
}

// The last one: a sentence starts with a capital too, but what it is about tends to come at its end. Not "I".
std::string capitalised_word(std::string_view text) {
  std::string found = "value";
  for (const auto& word : split_words(text)) {
    const auto core = bare(word);
    if (core.size() > 1 && core.front() >= 'A' && core.front() <= 'Z') found = core;
  }
  return found;
}

json::value value_for(const json::object& property, std::string_view user_text) {
  if (const auto* choices = property.if_contains("enum"); choices && choices->is_array()) {
    if (!choices->get_array().empty()) return choices->get_array().front();
  }
  const auto* named = property.if_contains("type");
  const std::string_view type = named && named->is_string() ? std::string_view(named->get_string()) : "string";
  if (type == "number" || type == "integer") return 1;
  if (type == "boolean") return true;
  if (type == "array") return json::array{};
  if (type == "object") return json::object{};
  return json::value(capitalised_word(user_text));
}

const json::value* member(const json::value* parent, std::string_view key) {
  return parent && parent->is_object() ? parent->get_object().if_contains(key) : nullptr;
}

}  // namespace

const protocol::tool* tool_to_call(const runtime::response_request& request) {
  using mode = protocol::tool_choice_mode;
  if (request.tools.empty() || request.choice.mode == mode::none) return nullptr;
  const auto* last = request.prompt.empty() ? nullptr : request.prompt.back().get();
  if (last && last->type == protocol::item_type::function_call_output) return nullptr;

  const auto find = [&](auto matches) -> const protocol::tool* {
    const auto found = std::find_if(request.tools.begin(), request.tools.end(), matches);
    return found == request.tools.end() ? nullptr : &*found;
  };
  if (request.choice.mode == mode::function) {
    return find([&](const auto& tool) { return tool.name == request.choice.function; });
  }
  const bool asked = last && last->type == protocol::item_type::message && last->role == protocol::item_role::user;
  const auto text = asked ? text_of(*last) : std::string{};
  const auto* named = find([&](const auto& tool) { return speaks_of(text, tool.name); });
  return named || request.choice.mode != mode::required ? named : &request.tools.front();
}

std::string make_arguments(const protocol::tool& tool, std::string_view user_text) {
  json::error_code error;
  const auto definition = json::parse(tool.definition.text, error);
  const auto* schema = error ? nullptr : member(&definition, "parameters");
  const auto* required = member(schema, "required");
  const auto* properties = member(schema, "properties");
  json::object arguments;
  if (required && required->is_array()) {
    for (const auto& name : required->get_array()) {
      if (!name.is_string()) continue;
      const auto* property = member(properties, name.get_string());
      arguments[name.get_string()] =
          value_for(property && property->is_object() ? property->get_object() : json::object{}, user_text);
    }
  }
  return json::serialize(arguments);
}

std::vector<std::string> split_arguments(std::string_view arguments) {
  const std::size_t length = std::max<std::size_t>(1, (arguments.size() + 2) / 3);
  const auto inside_character = [&](std::size_t at) {
    return at < arguments.size() && (static_cast<unsigned char>(arguments[at]) & 0xC0U) == 0x80U;
  };
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < arguments.size();) {
    std::size_t end = std::min(at + length, arguments.size());
    while (inside_character(end)) ++end;
    pieces.emplace_back(arguments.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace parley::adapters::scripted
