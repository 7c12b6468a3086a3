#include "adapters/local/tool_arguments.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace parley::adapters::local {
namespace {

namespace json = boost::json;

std::string trimmed(std::string word) {
  const auto is_mark = [](unsigned char c) { return std::ispunct(c) != 0; };
  while (!word.empty() && is_mark(static_cast<unsigned char>(word.back()))) word.pop_back();
  word.erase(word.begin(), std::find_if_not(word.begin(), word.end(), is_mark));
  return word;
}

std::string named_thing(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::string last;
  bool begins_sentence = true;
  for (std::string word; stream >> word;) {
    const bool ends_sentence = word.find_last_of(".!?:") == word.size() - 1;
    word = trimmed(std::move(word));
    if (word.empty()) continue;
    last = word;
    if (!begins_sentence && word != "I" && std::isupper(static_cast<unsigned char>(word[0])) != 0) return word;
    begins_sentence = ends_sentence;
  }
  return last;
}

double number_in(std::string_view text) {
  const auto at = text.find_first_of("0123456789");
  return at == std::string_view::npos ? 1 : std::strtod(std::string(text.substr(at)).c_str(), nullptr);
}

const json::object* object_at(const json::object& parent, std::string_view key) {
  const auto* value = parent.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

json::value value_for(const json::value& schema, std::string_view text) {
  const auto* object = schema.if_object();
  if (object == nullptr) return nullptr;
  if (const auto* choices = object->if_contains("enum"); choices != nullptr && choices->is_array()) {
    return choices->get_array().empty() ? json::value() : choices->get_array().front();
  }
  const auto* type = object->if_contains("type");
  const std::string_view name = type != nullptr && type->is_string() ? std::string_view(type->get_string()) : "";
  if (name == "string") return json::string(named_thing(text));
  if (name == "integer") return static_cast<std::int64_t>(std::min(number_in(text), 1e15));
  if (name == "number") return number_in(text);
  if (name == "boolean") return true;
  if (name == "array") return json::array();
  if (name == "object") return json::object();
  return nullptr;
}

bool is_required(const json::object& parameters, std::string_view property) {
  const auto* required = parameters.if_contains("required");
  if (required == nullptr || !required->is_array() || required->get_array().empty()) return true;
  const auto& names = required->get_array();
  return std::any_of(names.begin(), names.end(),
                     [&](const json::value& name) { return name.is_string() && name.get_string() == property; });
}

}  // namespace

std::string tool_arguments(const protocol::tool& tool, std::string_view user_text) {
  json::error_code error;
  const auto definition = json::parse(tool.definition.text, error);
  json::object arguments;
  const auto* parameters =
      error || !definition.is_object() ? nullptr : object_at(definition.get_object(), "parameters");
  const auto* properties = parameters == nullptr ? nullptr : object_at(*parameters, "properties");
  if (properties == nullptr) return "{}";
  for (const auto& property : *properties) {
    if (is_required(*parameters, property.key())) arguments[property.key()] = value_for(property.value(), user_text);
  }
  return json::serialize(arguments);
}

}  // namespace parley::adapters::local
