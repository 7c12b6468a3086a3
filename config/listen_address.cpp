#include "config/listen_address.hpp"

#include <charconv>

namespace parley::config {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return port;
}

}  // namespace

std::optional<listen_address> parse_listen_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  auto host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool has_colon = host.find(':') != std::string_view::npos;
  const bool has_other = host.find_first_of("[]/ ") != std::string_view::npos;
  if (!port || host.empty() || has_other || has_colon != bracketed) return std::nullopt;
  return listen_address{std::string{host}, *port};
}

bool is_loopback(const listen_address& address) {
  const auto& host = address.host;
  const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos;  // not the name 127.example.org
  return host == "localhost" || host == "::1" || (numeric && host.starts_with("127."));
}

}  // namespace parley::config
