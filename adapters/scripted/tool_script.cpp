#include "adapters/scripted/tool_script.hpp"

#include "adapters/prompt_text.hpp"

#include <boost/json.hpp>

namespace parley::adapters::scripted {
namespace {

namespace json = boost::json;

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

}  // namespace parley::adapters::scripted
