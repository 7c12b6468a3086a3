#include "adapters/local/chat_replier.hpp"

#include "adapters/http/http_client.hpp"
#include "adapters/http/sse_parser.hpp"
#include "adapters/local/chat_request.hpp"
#include "adapters/local/chat_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace parley::adapters::local {
namespace {

constexpr int bad_request = 400;
constexpr std::size_t most_of_a_refusal = 16 * 1024;  // bytes; what is longer is read no further

http::http_url read_url(const config::llm_config& settings) {
  const auto url = http::parse_http_url(settings.url.value_or(""));
  if (!url) throw std::runtime_error("llm.url: must be an http:// address");
  return *url;
}

std::string read_key(const config::llm_config& settings) {
  if (!settings.key_env) return {};
  const char* key = std::getenv(settings.key_env->c_str());
  const std::string text = key ? key : "";
  const auto unfit = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (text.empty() || std::any_of(text.begin(), text.end(), unfit)) {
    throw std::runtime_error("llm.key_env: the environment variable holds no key");
  }
  return text;
}

std::string message_for(http::http_error error) {
  switch (error) {
    case http::http_error::unresolved:
    case http::http_error::unreachable:
      return "The language model could not be reached.";
    case http::http_error::timed_out:
      return "The language model did not answer in time.";
    case http::http_error::cut:
      return "The language model's answer broke off.";
    case http::http_error::malformed:
    case http::http_error::too_large:
      break;
  }
  return "The language model sent an answer that could not be read.";
}

std::string message_for_status(int status) {
  return (status >= 500 ? "The language model failed (" : "The language model refused the request (") +
         std::to_string(status) + ").";
}

// Absent passes: the body shows soon enough what it is.
bool is_event_stream(std::string type) {
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return type.empty() || type.starts_with("text/event-stream");
}

// What reads one answer. Held by the callbacks, so that a reply may be destroyed by what it calls.
// Thread safety: used on the client's I/O thread; drop() when no callback runs, or within one.
class answer_reader {
 public:
  answer_reader(const protocol::response_id& response, reply_sink sink) : stream_(response, std::move(sink)) {}

  bool head(const http::http_head& head) {
    if (head.status == bad_request) {
      refused_ = true;
    } else if (head.status < 200 || head.status > 299) {
      stream_.fail(message_for_status(head.status));
    } else if (!is_event_stream(head.content_type)) {
      stream_.fail("The language model sent no event stream.");
    }
    return !stream_.over();
  }
  bool body(std::string_view bytes) {
    if (refused_) {
      refusal_ += bytes.substr(0, most_of_a_refusal - refusal_.size());
      if (refusal_.size() == most_of_a_refusal) refuse();
    } else if (!parser_.feed(bytes, on_event_))
      stream_.fail(message_for(http::http_error::too_large));
    return !stream_.over();
  }
  void end() {
    if (refused_) return refuse();
    parser_.finish(on_event_);
    stream_.end();
  }
  void failed(http::http_error error) {
    if (refused_) return refuse();
    stream_.fail(message_for(error));
  }
  void drop() { stream_.drop(); }

 private:
  void refuse() { stream_.fail(says_too_long(refusal_) ? conversation_too_long : message_for_status(bad_request)); }

  chat_stream stream_;
  http::sse_parser parser_;
  bool refused_ = false;  // with bad_request: its body tells why
  std::string refusal_;
  const http::sse_parser::event_handler on_event_ = [this](const http::sse_event& event) {
    stream_.event(event.name, event.data);
  };
};

// Thread safety: as reply.
class chat_reply final : public reply {
 public:
  chat_reply(http::http_client& client, http::http_request request, const protocol::response_id& response,
             reply_sink sink)
      : reader_(std::make_shared<answer_reader>(response, std::move(sink))) {
    const auto reader = reader_;
    call_ =
        client.start(std::move(request), {.head = [reader](const http::http_head& head) { return reader->head(head); },
                                          .body = [reader](std::string_view bytes) { return reader->body(bytes); },
                                          .end = [reader] { reader->end(); },
                                          .failed = [reader](http::http_error error) { reader->failed(error); }});
  }
  ~chat_reply() override {
    call_.reset();  // from here on no callback runs but the one that may have called this
    reader_->drop();
  }
  chat_reply(const chat_reply&) = delete;
  chat_reply& operator=(const chat_reply&) = delete;

 private:
  std::shared_ptr<answer_reader> reader_;
  std::unique_ptr<http::http_call> call_;
};

// Thread safety: as replier; constant but for the client.
class chat_replier final : public replier {
 public:
  explicit chat_replier(const config::llm_config& settings)
      : settings_(settings), url_(read_url(settings)), key_(read_key(settings)) {}

  [[nodiscard]] std::unique_ptr<reply> start(const runtime::response_request& request, reply_sink sink) override {
    http::http_request call;
    call.url = url_;
    call.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}};
    if (!key_.empty()) call.headers.emplace_back("Authorization", "Bearer " + key_);
    call.body = make_chat_request(settings_, request);
    call.timeouts = {settings_.connect_timeout, settings_.first_byte_timeout, settings_.between_bytes_timeout};
    call.retry_when_busy = true;
    return std::make_unique<chat_reply>(client_, std::move(call), request.id, std::move(sink));
  }

 private:
  const config::llm_config settings_;
  const http::http_url url_;
  const std::string key_;
  http::http_client client_;
};

}  // namespace

std::shared_ptr<replier> make_chat_replier(const config::llm_config& settings) {
  return std::make_shared<chat_replier>(settings);
}

}  // namespace parley::adapters::local
