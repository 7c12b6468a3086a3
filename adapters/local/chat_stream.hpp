// The events of a streamed chat completion -> text, tool calls and one ending. Sans I/O: fed with the data of each
// server-sent event, it calls the reply_sink; after done or failed, or after drop(), it calls nothing more.
//
// Only choice 0 counts. Reasoning (reasoning_content, <think> spans) is left out. A line that is no JSON, or JSON
// nested deeper than 32, fails the answer: skipping it could hide missing words. Wrong characters in it do not: see
// protocol/utf8_repair. The end is [DONE], or a clean end
// after a finish_reason; any other end is a failure. What the backend says of an error is never passed on.
#pragma once

#include "adapters/local/replier.hpp"
#include "adapters/local/think_filter.hpp"
#include "adapters/local/tool_call_reader.hpp"
#include "protocol/utf8_repair.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace boost::json {
class value;
class object;
}  // namespace boost::json

namespace parley::adapters::local {

inline constexpr const char* conversation_too_long = "The conversation is too long for the language model.";

// Whether what a backend says of an error is that the prompt does not fit its context: the one error that a client can
// do something about. As OpenAI and most servers code it, or as llama.cpp does.
[[nodiscard]] bool says_too_long(std::string_view error_body);

// Thread safety: none; used on one thread, drop() also within a callback of the sink.
class chat_stream {
 public:
  // `response` makes ids for tool calls that the backend gave none.
  chat_stream(const protocol::response_id& response, reply_sink sink);
  chat_stream(const chat_stream&) = delete;
  chat_stream& operator=(const chat_stream&) = delete;

  void event(std::string_view name, std::string_view data);
  void end();
  void fail(std::string message);
  void drop() noexcept { over_ = true; }
  [[nodiscard]] bool over() const noexcept { return over_; }

 private:
  void read_choice(const boost::json::object& choice);
  void read_content(const boost::json::value& content);
  void read_usage(const boost::json::object& usage);
  void take_text(std::string_view piece);
  void say(std::string text);
  void complete();

  reply_sink sink_;
  protocol::utf8_repair repair_;  // of the text
  think_filter filter_;
  tool_call_reader calls_;
  std::optional<runtime::finish_reason> reason_;
  std::optional<protocol::token_usage> usage_;
  bool over_ = false;
};

}  // namespace parley::adapters::local
