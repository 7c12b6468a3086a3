#include "server/page_rules.hpp"

#include "config/listen_address.hpp"
#include "server/authority.hpp"

#include <algorithm>
#include <utility>

namespace parley::server {

namespace {

constexpr std::string_view everyone = "*";

bool listens_on_loopback(const std::string& listen) {
  const auto address = config::parse_listen_address(listen);
  return address && config::is_loopback(*address);
}

bool holds(const std::vector<std::string>& list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const auto& one) { return equal_no_case(one, wanted); });
}

// The Host of the request; empty when it has none, which only requests of HTTP/1.0 may.
std::optional<std::string_view> host_of(const http_request& request) {
  const auto sent = request.all("Host");
  return sent.empty() ? std::nullopt : std::optional(sent.front());
}

// An entry without a port stands for every port.
bool is_listed(const std::vector<std::string>& hosts, const authority& host) {
  return std::any_of(hosts.begin(), hosts.end(), [&](const auto& entry) {
    const auto known = parse_authority(entry);
    return known && known->host == host.host && (!known->port || known->port == host.port);
  });
}

// The port of a Host that names none is the one the page's scheme has.
bool is_same(const authority& origin, const authority& host) {
  if (origin.host != host.host) return false;
  return host.port ? origin.port == host.port : origin.port == 80 || origin.port == 443;
}

bool is_name_list(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == ',' || c == ' ';
  });
}

http_response host_refused() {
  return http_error(403, "host_not_allowed",
                    "This server is not known by the name in Host. A server that listens on loopback takes loopback "
                    "names (localhost, 127.0.0.1, [::1]) and those in server.hosts of its configuration.");
}

http_response origin_refused() {
  return http_error(403, "origin_not_allowed",
                    "Pages of this origin may not connect. Without server.origins in its configuration a server takes "
                    "its own origin, and those of the same machine when it listens on loopback.");
}

}  // namespace

page_rules::page_rules(const config::server_config& from)
    : origins_(from.origins), hosts_(from.hosts), on_loopback_(listens_on_loopback(from.listen)) {}

std::optional<http_response> page_rules::refusal(const http_request& request) const {
  if (!is_good_host(request)) return host_refused();
  for (const auto origin : request.all("Origin")) {
    if (!is_good_origin(request, origin)) return origin_refused();
  }
  return std::nullopt;
}

bool page_rules::is_good_host(const http_request& request) const {
  const auto sent = host_of(request);
  if (!sent || holds(hosts_, everyone) || (!on_loopback_ && hosts_.empty())) return true;
  const auto host = parse_authority(*sent);
  if (!host) return false;
  if (is_listed(hosts_, *host)) return true;
  if (!on_loopback_) return false;
  if (is_loopback_name(host->host)) return true;
  return hosts_.empty() && request.all("Origin").empty() && is_one_label(host->host);
}

bool page_rules::is_good_origin(const http_request& request, std::string_view origin) const {
  if (!origins_.empty()) return holds(origins_, everyone) || holds(origins_, origin);
  const auto page = parse_origin(origin);
  if (!page) return false;
  if (on_loopback_ && is_loopback_name(page->host)) return true;
  const auto sent = host_of(request);
  const auto host = sent ? parse_authority(*sent) : std::nullopt;
  return host && is_same(*page, *host);
}

std::optional<std::string> page_rules::page_of(const http_request& request) const {
  const auto sent = request.all("Origin");
  if (sent.size() != 1 || refusal(request)) return std::nullopt;
  // What is not known by its name is not sent back.
  return holds(origins_, everyone) ? std::string(everyone) : std::string(sent.front());
}

void page_rules::share(const http_request& request, http_response& answer) const {
  const auto page = page_of(request);
  if (!page) return;
  answer.headers.emplace_back("Access-Control-Allow-Origin", *page);
  answer.headers.emplace_back("Vary", "Origin");
}

http_response page_rules::options(const http_request& request, std::string_view methods) const {
  if (auto refused = refusal(request)) return *std::move(refused);
  const auto allow = std::string(methods) + ", OPTIONS";
  http_response out{.status = 204, .content_type = {}, .headers = {{"Allow", allow}}};
  if (!page_of(request)) return out;
  out.headers.emplace_back("Access-Control-Allow-Methods", methods);
  // What an API client of a page sends beside its key differs from one to the next, and none of it decides anything.
  const auto wanted = request.all("Access-Control-Request-Headers");
  if (wanted.size() == 1 && is_name_list(wanted.front()))
    out.headers.emplace_back("Access-Control-Allow-Headers", wanted.front());
  out.headers.emplace_back("Access-Control-Max-Age", "600");
  return out;
}

}  // namespace parley::server
