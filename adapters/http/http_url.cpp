#include "adapters/http/http_url.hpp"

#include <algorithm>
#include <charconv>

namespace parley::adapters::http {
namespace {

bool is_port(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 1 && value <= 65535;
}

// Cuts "host:port" or "[v6]:port" and fills host and port.
bool read_authority(std::string_view authority, http_url& url) {
  const bool bracketed = authority.starts_with('[');
  const auto host_end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && host_end == authority.npos) return false;
  url.host = bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
  const auto rest_start = bracketed ? host_end + 1 : std::min(host_end, authority.size());
  const auto rest = authority.substr(rest_start);
  url.authority = authority;
  if (url.host.empty() || rest.empty()) return !url.host.empty();
  url.port = rest.substr(1);
  return rest.front() == ':' && is_port(url.port);
}

}  // namespace

std::optional<http_url> parse_http_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  if (!text.starts_with(scheme) || std::any_of(text.begin(), text.end(), bad)) return std::nullopt;
  text = text.substr(scheme.size());
  text = text.substr(0, text.find('#'));
  const auto path = std::min(text.find_first_of("/?"), text.size());
  const auto authority = text.substr(0, path);
  http_url url;
  if (authority.find('@') != authority.npos || !read_authority(authority, url)) return std::nullopt;
  if (path < text.size()) url.target = text[path] == '?' ? "/" + std::string(text.substr(path)) : text.substr(path);
  return url;
}

}  // namespace parley::adapters::http
