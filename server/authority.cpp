#include "server/authority.hpp"

#include "server/http_message.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace parley::server {

namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Letters, digits and what else a registered name may hold; escapes are left out, since no client sends them.
bool is_name_character(char c) noexcept {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return port;
}

std::optional<std::string> parse_host(std::string_view text) {
  if (text.starts_with('[')) {
    boost::system::error_code ec;
    std::string host(text.substr(1, text.size() - std::min<std::size_t>(2, text.size())));
    static_cast<void>(boost::asio::ip::make_address_v6(host, ec));
    if (ec || !text.ends_with(']') || host.find('%') != std::string::npos) return std::nullopt;
    std::transform(host.begin(), host.end(), host.begin(), lower);
    return host;
  }
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_name_character)) return std::nullopt;
  std::string host(text);
  std::transform(host.begin(), host.end(), host.begin(), lower);
  return host;
}

}  // namespace

std::optional<authority> parse_authority(std::string_view text) {
  const auto bracket = text.rfind(']');
  const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  auto host = parse_host(text.substr(0, colon));
  if (!host) return std::nullopt;
  // A colon with nothing behind it is the port of the scheme (RFC 3986, 3.2.3).
  if (colon == std::string_view::npos || colon + 1 == text.size()) return authority{*std::move(host), std::nullopt};
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  return authority{*std::move(host), port};
}

std::optional<authority> parse_origin(std::string_view text) {
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return std::nullopt;
  const auto scheme = text.substr(0, mark);
  const bool is_https = equal_no_case(scheme, "https");
  if (!is_https && !equal_no_case(scheme, "http")) return std::nullopt;
  auto from = parse_authority(text.substr(mark + 3));
  if (from && !from->port) from->port = is_https ? https_port : http_port;
  return from;
}

bool is_loopback_name(std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  boost::system::error_code ec;
  const auto address = boost::asio::ip::make_address(std::string(host), ec);
  if (ec) return false;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

bool is_one_label(std::string_view host) noexcept {
  const bool has_letter = std::any_of(host.begin(), host.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return has_letter && host.find_first_of(".:") == std::string_view::npos;
}

}  // namespace parley::server
