// An http:// address taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::adapters::http {

struct http_url {
  std::string host{};  // without the brackets of an IPv6 address
  std::string port = "80";
  std::string target = "/";  // path and query
  std::string authority{};   // for the Host header
};

// Nothing for another scheme, user information, an impossible port, blanks or control characters.
[[nodiscard]] std::optional<http_url> parse_http_url(std::string_view text);

}  // namespace parley::adapters::http
