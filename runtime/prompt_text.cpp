#include "runtime/prompt_text.hpp"

#include <algorithm>
#include <string_view>

namespace parley::runtime {

namespace {

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// A version has a text of its own.
std::string key_of(const protocol::prompt_template& use) { return use.version ? use.id + "@" + *use.version : use.id; }

}  // namespace

// One pass: what a variable holds is not looked through for more of them.
std::optional<std::string> rendered(const prompt_library* library, const protocol::prompt_template& use) {
  const auto found = library == nullptr ? prompt_library::const_iterator{} : library->find(key_of(use));
  if (library == nullptr || found == library->end()) return std::nullopt;
  std::string made;
  std::string_view rest = found->second;
  for (auto at = rest.find(opening); at != std::string_view::npos; at = rest.find(opening)) {
    const auto end = rest.find(closing, at);
    if (end == std::string_view::npos) break;
    const std::string_view name = trimmed(rest.substr(at + opening.size(), end - at - opening.size()));
    const auto value = std::find_if(use.variables.begin(), use.variables.end(),
                                    [&](const auto& variable) { return variable.first == name; });
    made += rest.substr(0, at);
    made += value == use.variables.end() ? rest.substr(at, end + closing.size() - at) : std::string_view{value->second};
    rest.remove_prefix(end + closing.size());
  }
  return made += rest;
}

std::optional<protocol::wire_error> unknown_prompt(const prompt_library* library, const protocol::prompt_template& use,
                                                   const std::string& where) {
  if (library != nullptr && library->contains(key_of(use))) return std::nullopt;
  const bool version = use.version && library != nullptr && library->contains(use.id);
  return protocol::wire_error{
      .code = protocol::errc::invalid_value,
      .message = version ? "This server has no such version of the prompt." : "This server has no prompt of that id.",
      .param = where + (version ? ".prompt.version" : ".prompt.id")};
}

std::string whole_instructions(const prompt_library* library, const std::optional<protocol::prompt_template>& use,
                               const std::string& instructions) {
  const auto text = use ? rendered(library, *use) : std::nullopt;
  if (!text || text->empty()) return instructions;
  return instructions.empty() ? *text : *text + "\n\n" + instructions;
}

}  // namespace parley::runtime
