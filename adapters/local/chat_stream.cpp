#include "adapters/local/chat_stream.hpp"

#include "adapters/local/chat_json.hpp"

#include <boost/json.hpp>

#include <limits>
#include <utility>

namespace parley::adapters::local {
namespace {

namespace json = boost::json;

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
  const auto body = read_chat_json(error_body);
  const auto* error = body && body->is_object() ? member(body->get_object(), "error") : nullptr;
  if (!error || !error->is_object()) return false;
  const auto& object = error->get_object();
  return string_member(object, "code") == "context_length_exceeded" ||
         string_member(object, "type") == "exceed_context_size_error";
}

chat_stream::chat_stream(const protocol::response_id& response, reply_sink sink)
    : sink_(std::move(sink)), calls_(response.value, [this](runtime::model_tool_call call) {
        if (!over_) sink_.tool_call(std::move(call));
      }) {}

void chat_stream::event(std::string_view name, std::string_view data) {
  if (over_) return;
  if (name == "error") return fail(says_too_long(data) ? conversation_too_long : reported);
  if (trimmed(data) == "[DONE]") return complete();
  const auto message = read_chat_json(data);
  if (!message || !message->is_object()) return fail(unreadable);
  const auto& object = message->get_object();
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
    const auto* calls = member(delta->get_object(), "tool_calls");
    if (calls && !calls_.read(*calls)) return fail(unreadable);
  }
  if (const auto reason = string_member(choice, "finish_reason"); !reason.empty()) reason_ = reason_of(reason);
}

void chat_stream::read_content(const json::value& content) {
  if (content.is_string()) return take_text(content.get_string());
  if (!content.is_array()) return;
  for (const auto& part : content.get_array()) {
    if (part.is_object()) take_text(string_member(part.get_object(), "text"));
  }
}

void chat_stream::take_text(std::string_view piece) { say(filter_.take(repair_.take(piece))); }

void chat_stream::read_usage(const json::object& usage) {
  protocol::token_usage counted;
  counted.input_text_tokens = count_member(usage, "prompt_tokens").value_or(0);
  counted.output_text_tokens = count_member(usage, "completion_tokens").value_or(0);
  usage_ = counted;
}

void chat_stream::say(std::string text) {
  if (!over_ && !text.empty()) sink_.text(std::move(text));
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
  say(filter_.take(repair_.rest()));
  say(filter_.rest());
  const auto reason = reason_.value_or(runtime::finish_reason::stop);
  // An answer cut by its token limit has half a call at its end: not one to run.
  const bool whole = reason == runtime::finish_reason::stop;
  if (!calls_.finish(whole)) return fail(unreadable);
  if (!std::exchange(over_, true)) sink_.done(reason, usage_);
}

void chat_stream::fail(std::string message) {
  if (!std::exchange(over_, true)) sink_.failed(std::move(message));
}

}  // namespace parley::adapters::local
