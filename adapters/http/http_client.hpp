// Outgoing HTTP/1.1 POST whose answer is read as it comes (event streams of language models). http:// only, one
// connection a call. A client owns one I/O thread on which all callbacks run; they must not block.
//
//   start -> [resolve, connect] -> [write] -> head -> body* -> end
//             connect timeout       first byte timeout | between bytes timeout        any time: failed
//
// Errors are values (http_error); an answer that ends before its Content-Length or its last chunk is `cut`.
#pragma once

#include "adapters/http/http_url.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::adapters::http {

struct http_timeouts {
  std::chrono::milliseconds connect{5000};      // name look-up and connection
  std::chrono::milliseconds first_byte{20000};  // from the connection to the first byte of the body
  std::chrono::milliseconds between_bytes{10000};
};

struct http_request {
  http_url url{};
  std::vector<std::pair<std::string, std::string>> headers{};  // no line breaks in them
  std::string body{};
  http_timeouts timeouts{};
  // 429 and 5xx are asked again, once, while the first byte timeout of the first try lasts. Nothing was heard yet.
  bool retry_when_busy = false;
};

struct http_head {
  int status = 0;
  std::string content_type{};
};

enum class http_error : std::uint8_t { unresolved, unreachable, timed_out, cut, malformed, too_large };

// head and body return whether to go on; false closes the connection, and no further callback comes.
struct http_callbacks {
  std::function<bool(const http_head& head)> head;
  std::function<bool(std::string_view bytes)> body;
  std::function<void()> end;
  std::function<void(http_error error)> failed;
};

class call_control;

// A running call. Destroying it closes the connection at once, also while it resolves or connects. No callback runs
// after the destructor returned: it waits for one that runs on the I/O thread, so hold no lock that a callback takes.
// A callback may destroy its own call. May outlive the client.
// Thread safety: none of its own; may be destroyed on any thread.
class http_call {
 public:
  explicit http_call(std::shared_ptr<call_control> control);
  ~http_call();
  http_call(const http_call&) = delete;
  http_call& operator=(const http_call&) = delete;

 private:
  std::shared_ptr<call_control> control_;
};

// The destructor ends the running calls without a callback and joins the thread; a name look-up that the system is
// in the middle of is waited for. It must not run on the I/O thread.
// Thread safety: start() may be called from any thread, also from a callback.
class http_client {
 public:
  http_client();
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  // A callback may come before it returns.
  [[nodiscard]] std::unique_ptr<http_call> start(http_request request, http_callbacks callbacks);

 private:
  class io_thread;
  std::unique_ptr<io_thread> io_;
};

}  // namespace parley::adapters::http
