#include "protocol/decode_parts.hpp"

#include <set>

namespace parley::protocol {
namespace {

constexpr std::size_t most_tools = 128;
constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_description = 16 * 1024;

enum class tool_type : std::uint8_t { function };
constexpr choice<tool_type> tool_types[] = {{"function", tool_type::function}};

constexpr choice<tool_choice_mode> modes[] = {
    {"auto", tool_choice_mode::automatic},
    {"none", tool_choice_mode::none},
    {"required", tool_choice_mode::required},
};

constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

std::string read_name(const json_value& name) {
  const std::string_view read = name.text_within(1, longest_name);
  if (read.find_first_not_of(name_characters) != std::string_view::npos) {
    name.refuse("expected letters, digits, '_' and '-' only.");
  }
  return std::string{read};
}

// Members that no version of the API has are refused: they would have no effect, and nobody would notice.
tool read_tool(const json_value& each, std::set<std::string>& names) {
  const auto [kind] = each.members({"type"});  // first: the members of another type of tool are not what is wrong
  if (kind.present()) (void)kind.one_of(tool_types);  // the declarations make it optional
  const auto [type, name, description, parameters, strict] =
      each.members({"type", "name", "description", "parameters", "strict"}, unknown_members::refused);
  tool read{read_name(name), {}};
  if (description.present()) (void)description.text_within(0, longest_description);
  if (parameters.present()) parameters.require_object();
  if (strict.present()) (void)strict.boolean();
  if (!names.insert(read.name).second) name.refuse("another tool has this name.");
  read.definition = each.raw();
  return read;
}

}  // namespace

std::vector<tool> read_tools(const json_value& tools) {
  std::vector<tool> read;
  if (tools.element_count() > most_tools) tools.refuse("expected at most 128 tools.");
  std::set<std::string> names;
  tools.for_each_element([&](const json_value& each) { read.push_back(read_tool(each, names)); });
  return read;
}

tool_choice read_tool_choice(const json_value& choice) {
  if (!choice.is_object()) return {choice.one_of(modes), {}};
  // The beta declarations describe {type, function: {name}}, the GA ones {type, name}.
  const auto [kind] = choice.members({"type"});
  (void)kind.one_of(tool_types);
  const auto [type, name, function] = choice.members({"type", "name", "function"}, unknown_members::refused);
  if (!function.present()) return {tool_choice_mode::function, read_name(name)};
  const auto [nested_name] = function.members({"name"}, unknown_members::refused);
  return {tool_choice_mode::function, read_name(nested_name)};
}

}  // namespace parley::protocol
