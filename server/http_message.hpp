// A request head and a response as plain values, so that routing, authentication and the handshake need no HTTP library
// and are tested without a socket.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::server {

struct http_request {
  std::string method;
  std::string target;
  bool http_1_1 = true;
  bool keep_alive = true;
  bool has_body = false;          // one is announced
  bool has_strange_body = false;  // in a coding other than chunked: where it ends is not known
  std::vector<std::pair<std::string, std::string>> headers;

  // All values of a header, in order; names compare without case.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  // Elements of a comma separated list header over all its lines, trimmed; empty ones are left out.
  [[nodiscard]] std::vector<std::string_view> list(std::string_view name) const;
  // In the place of all values it has.
  void set(std::string_view name, std::string value);
};

struct http_response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  bool head_only = false;  // the answer to HEAD: all but the body
  std::string refusal{};   // why it says no, for the log: status and code; empty = it does not
};

[[nodiscard]] bool equal_no_case(std::string_view left, std::string_view right) noexcept;

// The error body of the OpenAI API: {"error":{message,type,code,param}}.
[[nodiscard]] http_response http_error(int status, std::string_view code, std::string_view message,
                                       std::string_view param = {});

}  // namespace parley::server
