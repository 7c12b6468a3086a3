#include "adapters/local/chat_request.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <span>

namespace parley::adapters::local {
namespace {

namespace json = boost::json;
using protocol::item_type;
using items = std::span<const std::shared_ptr<const protocol::item>>;

// What stands for a user's turn of which nothing was understood: the model can ask again, and sees why it did.
constexpr std::string_view not_understood = "(inaudible)";

std::string text_of(const protocol::item& message) {
  std::string all;
  const auto add = [&all](std::string_view text) {
    if (!all.empty() && !text.empty()) all += '\n';
    all += text;
  };
  for (const auto& part : message.content) {
    if (part.type == protocol::part_type::input_image) continue;
    add(part.text);
    if (part.transcript) add(*part.transcript);
  }
  return all;
}

json::object image_part(const protocol::content_part& image) {
  json::object url{{"url", image.text}};
  if (!image.detail.empty()) url["detail"] = image.detail;
  return {{"type", "image_url"}, {"image_url", std::move(url)}};
}

// Plain text, or text and pictures as a list of parts; empty when there is nothing to say.
json::value content_of(const protocol::item& message) {
  auto text = text_of(message);
  json::array parts;
  for (const auto& part : message.content) {
    if (part.type == protocol::part_type::input_image) parts.push_back(image_part(part));
  }
  if (parts.empty()) return json::value(text);
  if (!text.empty()) parts.insert(parts.begin(), json::object{{"type", "text"}, {"text", std::move(text)}});
  return parts;
}

std::string_view role_name(protocol::item_role role) {
  switch (role) {
    case protocol::item_role::system:
      return "system";
    case protocol::item_role::user:
      return "user";
    case protocol::item_role::assistant:
      return "assistant";
  }
  return "user";
}

const protocol::item* result_of(const protocol::item& call, items later) {
  const auto found = std::find_if(later.begin(), later.end(), [&](const auto& item) {
    return item->type == item_type::function_call_output && item->call == call.call;
  });
  return found == later.end() ? nullptr : found->get();
}

// The calls at the front of `rest` that have a result, as one assistant message and the results after it.
void add_calls(json::array& messages, items calls, items rest) {
  json::array tool_calls;
  json::array results;
  for (const auto& call : calls) {
    const auto* result = result_of(*call, rest);
    if (!result) continue;
    tool_calls.push_back({{"id", call->call.value},
                          {"type", "function"},
                          {"function", {{"name", call->name}, {"arguments", call->arguments}}}});
    results.push_back({{"role", "tool"}, {"tool_call_id", call->call.value}, {"content", result->output}});
  }
  if (tool_calls.empty()) return;
  messages.push_back({{"role", "assistant"}, {"content", nullptr}, {"tool_calls", std::move(tool_calls)}});
  for (auto& result : results) messages.push_back(std::move(result));
}

json::array make_messages(const config::llm_config& settings, const runtime::response_request& request) {
  json::array messages;
  if (!request.instructions.empty()) messages.push_back({{"role", "system"}, {"content", request.instructions}});
  items rest = request.prompt;
  rest = rest.last(std::min(rest.size(), settings.max_prompt_items));
  while (!rest.empty()) {
    const auto& item = *rest.front();
    if (item.type == item_type::function_call) {
      const auto end = std::find_if(rest.begin(), rest.end(),
                                    [](const auto& other) { return other->type != item_type::function_call; });
      const auto calls = rest.first(static_cast<std::size_t>(end - rest.begin()));
      rest = rest.subspan(calls.size());
      add_calls(messages, calls, rest);
      continue;
    }
    if (item.type == item_type::message) {
      auto content = content_of(item);
      const bool empty = content.is_string() && content.get_string().empty();
      if (empty && item.role == protocol::item_role::user) content = not_understood;
      if (!empty || item.role == protocol::item_role::user) {
        messages.push_back({{"role", role_name(item.role)}, {"content", std::move(content)}});
      }
    }
    rest = rest.subspan(1);
  }
  return messages;
}

// {type, name, description, parameters} -> {type, function: {name, description, parameters}}
json::array make_tools(const std::vector<protocol::tool>& tools) {
  json::array all;
  for (const auto& tool : tools) {
    json::object function{{"name", tool.name}};
    json::error_code error;
    const auto definition = json::parse(tool.definition.text, error);
    for (const std::string_view key : {"description", "parameters"}) {
      const auto* value = !error && definition.is_object() ? definition.get_object().if_contains(key) : nullptr;
      if (value && !value->is_null()) function[key] = *value;
    }
    all.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  return all;
}

json::value make_choice(const protocol::tool_choice& choice) {
  switch (choice.mode) {
    case protocol::tool_choice_mode::automatic:
      return "auto";
    case protocol::tool_choice_mode::none:
      return "none";
    case protocol::tool_choice_mode::required:
      return "required";
    case protocol::tool_choice_mode::function:
      return {{"type", "function"}, {"function", {{"name", choice.function}}}};
  }
  return "auto";
}

}  // namespace

std::string make_chat_request(const config::llm_config& settings, const runtime::response_request& request) {
  json::object body{{"model", settings.model},
                    {"messages", make_messages(settings, request)},
                    {"temperature", request.temperature},
                    {"stream", true},
                    {"stream_options", {{"include_usage", true}}}};
  if (request.max_output_tokens) body["max_tokens"] = *request.max_output_tokens;
  if (request.reasoning_effort) body["reasoning_effort"] = *request.reasoning_effort;
  if (!request.tools.empty()) {
    body["tools"] = make_tools(request.tools);
    body["tool_choice"] = make_choice(request.choice);
    if (request.parallel_tool_calls) body["parallel_tool_calls"] = *request.parallel_tool_calls;
  }
  return json::serialize(body);
}

}  // namespace parley::adapters::local
