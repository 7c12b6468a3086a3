#include "adapters/tool_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

namespace parley::adapters {
namespace {

using protocol::item_type;
using tool_list = std::vector<const protocol::tool*>;

// Where a text speaks of a tool.
struct mention {
  std::size_t begin = 0;
  std::size_t end = 0;
  const protocol::tool* tool = nullptr;
};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void find_mentions(const std::string& text, const std::string& spelling, const protocol::tool& tool,
                   std::vector<mention>& found) {
  if (spelling.empty()) return;
  for (auto at = text.find(spelling); at != text.npos; at = text.find(spelling, at + spelling.size())) {
    const auto end = at + spelling.size();
    const bool inside_a_word =
        (at > 0 && is_word_character(text[at - 1])) || (end < text.size() && is_word_character(text[end]));
    if (!inside_a_word) found.push_back({at, end, &tool});
  }
}

// In the order they are first spoken of. "get time" means get_time alone, not also a tool named time.
tool_list tools_named(const std::string& text, const std::vector<protocol::tool>& tools) {
  std::vector<mention> found;
  for (const auto& tool : tools) {
    auto name = lower_case(tool.name);
    find_mentions(text, name, tool, found);
    if (name.find('_') == name.npos) continue;
    std::replace(name.begin(), name.end(), '_', ' ');
    find_mentions(text, name, tool, found);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, b.end) < std::tie(b.begin, a.end);  // the longer of two first
  });
  tool_list named;
  std::size_t covered = 0;
  for (const auto& one : found) {
    if (one.end <= covered) continue;
    covered = one.end;
    if (std::find(named.begin(), named.end(), one.tool) == named.end()) named.push_back(one.tool);
  }
  return named;
}

tool_list tool_of_name(const std::vector<protocol::tool>& tools, const std::string& name) {
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const auto& tool) { return tool.name == name; });
  return found == tools.end() ? tool_list{} : tool_list{&*found};
}

}  // namespace

std::vector<const protocol::tool*> tools_to_call(const runtime::response_request& request) {
  using mode = protocol::tool_choice_mode;
  if (request.tools.empty() || request.choice.mode == mode::none) return {};
  const auto* last = request.prompt.empty() ? nullptr : request.prompt.back().get();
  if (last && last->type == item_type::function_call_output) return {};
  if (request.choice.mode == mode::function) return tool_of_name(request.tools, request.choice.function);

  const bool asked = last && last->type == item_type::message && last->role == protocol::item_role::user;
  auto named = asked ? tools_named(lower_case(text_of(*last)), request.tools) : tool_list{};
  if (named.empty() && request.choice.mode == mode::required) named = {&request.tools.front()};
  if (named.size() > 1 && !request.parallel_tool_calls.value_or(true)) named.resize(1);
  return named;
}

void append_call(std::vector<runtime::model_tool_call>& pieces, const runtime::response_request& request,
                 const std::string& tool, std::string_view arguments) {
  const auto calls_before = std::count_if(pieces.begin(), pieces.end(), [](const auto& piece) { return piece.last; });
  auto id = "call_" + request.id.value;
  if (calls_before > 0) id += "_" + std::to_string(calls_before + 1);
  const auto deltas = split_arguments(arguments);
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    pieces.push_back({.response = request.id,
                      .epoch = request.epoch,
                      .call = protocol::call_id(id),
                      .name = i == 0 ? tool : std::string{},
                      .arguments_delta = deltas[i],
                      .last = i + 1 == deltas.size()});
  }
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

std::string said_of_results(const prompt& items) {
  if (items.empty() || items.back()->type != item_type::function_call_output) return {};
  // A client may answer each call right after it, so that calls and results alternate.
  auto first = items.end();
  while (first != items.begin() && (*std::prev(first))->type != item_type::message) --first;
  std::string said;
  int results = 0;
  for (; first != items.end(); ++first) {
    if ((*first)->type != item_type::function_call_output) continue;
    const auto output = trimmed((*first)->output);
    said += (results++ == 0 ? "" : "; ") + (output.empty() ? std::string("nothing") : std::string(output));
  }
  return (results == 1 ? "The tool says: " : "The tools say: ") + said;
}

}  // namespace parley::adapters
