#include "adapters/local/chat_stream.hpp"

#include <boost/json.hpp>

#include <limits>
#include <utility>

namespace parley::adapters::local {
namespace {

namespace json = boost::json;

constexpr std::size_t max_tool_calls = 64;  // of one answer
constexpr const char* unreadable = "The language model sent an answer that could not be read.";
constexpr const char* reported = "The language model reported an error.";
constexpr const char* broken_off = "The language model's answer broke off.";

const json::value* member(const json::object& parent, std::string_view key) {
  const auto* found = parent.if_contains(key);
  return found && !found->is_null() ? found : nullptr;
}

std::string_view string_member(const json::object& parent, std::string_view key) {
  const auto* found = member(parent, key);
  return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view{};
}

// A count or an index; anything else is absent.
std::optional<int> count_member(const json::object& parent, std::string_view key) {
  const auto* found = member(parent, key);
  const auto* value = found ? found->if_int64() : nullptr;
  const bool sane = value && *value >= 0 && *value <= std::numeric_limits<int>::max();
  return sane ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

runtime::finish_reason reason_of(std::string_view name) {
  if (name == "length") return runtime::finish_reason::max_output_tokens;
  if (name == "content_filter") return runtime::finish_reason::content_filter;
  return runtime::finish_reason::stop;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

bool says_too_long(std::string_view error_body) {
  json::error_code failure;
  const auto body = json::parse(trimmed(error_body), failure);
  const auto* error = !failure && body.is_object() ? member(body.get_object(), "error") : nullptr;
  if (!error || !error->is_object()) return false;
  const auto& object = error->get_object();
  return string_member(object, "code") == "context_length_exceeded" ||
         string_member(object, "type") == "exceed_context_size_error";
}

chat_stream::chat_stream(const protocol::response_id& response, reply_sink sink)
    : response_(response.value), sink_(std::move(sink)) {}

void chat_stream::event(std::string_view name, std::string_view data) {
  if (over_) return;
  if (name == "error") return fail(says_too_long(data) ? conversation_too_long : reported);
  if (trimmed(data) == "[DONE]") return complete();
  json::error_code error;
  const auto message = json::parse(trimmed(data), error);
  if (error || !message.is_object()) return fail(unreadable);
  const auto& object = message.get_object();
  if (member(object, "error") || string_member(object, "object") == "error") {
    return fail(says_too_long(data) ? conversation_too_long : reported);
  }
  if (const auto* usage = member(object, "usage"); usage && usage->is_object()) read_usage(usage->get_object());
  const auto* choices = member(object, "choices");
  if (!choices || !choices->is_array()) return;
  for (const auto& choice : choices->get_array()) {
    if (choice.is_object() && count_member(choice.get_object(), "index").value_or(0) == 0) {
      return read_choice(choice.get_object());
    }
  }
}

void chat_stream::read_choice(const json::object& choice) {
  if (reason_) return;  // nothing belongs to the answer after its finish_reason
  if (const auto* delta = member(choice, "delta"); delta && delta->is_object()) {
    if (const auto* content = member(delta->get_object(), "content")) read_content(*content);
    if (const auto* calls = member(delta->get_object(), "tool_calls")) read_tool_calls(*calls);
  }
  if (const auto reason = string_member(choice, "finish_reason"); !reason.empty()) reason_ = reason_of(reason);
}

void chat_stream::read_content(const json::value& content) {
  if (content.is_string()) return say(filter_.take(content.get_string()));
  if (!content.is_array()) return;
  for (const auto& part : content.get_array()) {
    if (part.is_object()) say(filter_.take(string_member(part.get_object(), "text")));
  }
}

void chat_stream::read_tool_calls(const json::value& calls) {
  if (!calls.is_array()) return;
  std::size_t position = 0;
  for (const auto& piece : calls.get_array()) {
    if (piece.is_object()) read_tool_call(piece.get_object(), position);
    ++position;
  }
}

void chat_stream::read_tool_call(const json::object& piece, std::size_t position) {
  const auto given = count_member(piece, "index");
  const auto index = given ? static_cast<std::size_t>(*given) : position;
  if (!calls_.contains(index) && calls_.size() == max_tool_calls) return fail(unreadable);
  auto& call = calls_[index];
  if (call.id.empty()) call.id = string_member(piece, "id");
  const auto* function = member(piece, "function");
  if (function && function->is_object()) {
    if (call.name.empty()) call.name = string_member(function->get_object(), "name");
    // Some servers send the arguments as JSON instead of a string of JSON.
    const auto* arguments = member(function->get_object(), "arguments");
    if (arguments)
      call.unsent += arguments->is_string() ? std::string(arguments->get_string()) : json::serialize(*arguments);
  }
  if (&call == &calls_.begin()->second && !call.name.empty()) give(index, call, false);
}

void chat_stream::read_usage(const json::object& usage) {
  protocol::token_usage counted;
  counted.input_text_tokens = count_member(usage, "prompt_tokens").value_or(0);
  counted.output_text_tokens = count_member(usage, "completion_tokens").value_or(0);
  usage_ = counted;
}

void chat_stream::say(std::string text) {
  if (!over_ && !text.empty()) sink_.text(std::move(text));
}

void chat_stream::give(std::size_t index, tool_call& call, bool last) {
  if (over_ || (!last && call.named && call.unsent.empty())) return;
  if (call.id.empty()) call.id = "call_" + response_ + "_" + std::to_string(index);
  call.any_arguments = call.any_arguments || !call.unsent.empty();
  runtime::model_tool_call out;
  out.call = protocol::call_id(call.id);
  if (!std::exchange(call.named, true)) out.name = call.name;
  out.arguments_delta = std::exchange(call.unsent, {});
  if (last && !call.any_arguments) out.arguments_delta = "{}";
  out.last = last;
  sink_.tool_call(std::move(out));
}

void chat_stream::end() {
  if (over_) return;
  if (reason_) {
    complete();
  } else {
    fail(broken_off);
  }
}

void chat_stream::complete() {
  say(filter_.rest());
  const auto reason = reason_.value_or(runtime::finish_reason::stop);
  // An answer cut by its token limit has half a call at its end: not one to run.
  const bool whole = reason == runtime::finish_reason::stop;
  for (auto& [index, call] : calls_) {
    if (call.name.empty()) return fail(unreadable);
    if (whole) give(index, call, true);
  }
  if (!std::exchange(over_, true)) sink_.done(reason, usage_);
}

void chat_stream::fail(std::string message) {
  if (!std::exchange(over_, true)) sink_.failed(std::move(message));
}

}  // namespace parley::adapters::local
