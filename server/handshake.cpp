#include "server/handshake.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace parley::server {

namespace {

constexpr std::string_view realtime_subprotocol = "realtime";

bool lists(const http_request& request, std::string_view header, std::string_view wanted) {
  const auto elements = request.list(header);
  return std::any_of(elements.begin(), elements.end(),
                     [&](std::string_view element) { return equal_no_case(element, wanted); });
}

bool asks_for_beta(const http_request& request, const request_target& target) {
  if (lists(request, "OpenAI-Beta", "realtime=v1")) return true;
  if (lists(request, "Sec-WebSocket-Protocol", "openai-beta.realtime-v1")) return true;
  const auto version = target.find("api-version");
  return version && version->ends_with("-preview");
}

bool asks_for_duplex(const http_request& request, const request_target& target, const config::config& configuration) {
  if (const auto wish = target.find("duplex")) return *wish == "1" || *wish == "true";
  return configuration.server.dialect == config::default_dialect::duplex && !asks_for_beta(request, target);
}

bool is_upgrade(const http_request& request) {
  return request.method == "GET" && request.http_1_1 && lists(request, "Connection", "upgrade") &&
         lists(request, "Upgrade", "websocket") && lists(request, "Sec-WebSocket-Version", "13") &&
         request.all("Sec-WebSocket-Key").size() == 1;
}

bool is_allowed_origin(const http_request& request, const std::vector<std::string>& origins) {
  if (origins.empty()) return true;
  // Programs that are no browser send none; the key is what admits them.
  const auto sent = request.all("Origin");
  return std::all_of(sent.begin(), sent.end(), [&](std::string_view origin) {
    return std::any_of(origins.begin(), origins.end(), [&](const auto& known) { return equal_no_case(known, origin); });
  });
}

std::string name_asked_for(const request_target& target, const model_catalog& models) {
  for (const auto* member : {"model", "deployment"}) {
    if (const auto name = target.find(member); name && !name->empty()) return std::string(*name);
  }
  return models.default_name();
}

http_response unknown_model(std::string_view name, const model_catalog& models) {
  std::string message = "The model `" + std::string(name.substr(0, 64)) + "` does not exist. Available:";
  for (const auto& known : models.names()) message += " " + known;
  return http_error(404, "model_not_found", message, "model");
}

http_response not_an_upgrade() {
  auto refusal = http_error(426, "upgrade_required", "This path speaks WebSocket (version 13) only.");
  refusal.headers = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}};
  return refusal;
}

}  // namespace

bool is_session_path(std::string_view path) noexcept {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path == "/v1/realtime" || path == "/openai/realtime" || path == "/v1/duplex";
}

std::variant<session_wish, http_response> decide(const http_request& request, const request_target& target,
                                                 const handshake_rules& rules, bool draining) {
  if (!rules.keys.admits(request)) return http_error(401, "invalid_api_key", "A valid API key is required.");
  if (!is_allowed_origin(request, rules.configuration.server.origins)) {
    return http_error(403, "origin_not_allowed", "This origin is not allowed.");
  }
  if (target.path.starts_with("/v1/duplex")) return http_error(404, "not_found", "Use /v1/realtime?duplex=1.");
  if (request.method != "GET") return http_error(405, "method_not_allowed", "Only GET is allowed here.");
  if (draining) return http_error(503, "server_shutdown", "The server is shutting down.");
  if (!is_upgrade(request)) return not_an_upgrade();
  if (asks_for_duplex(request, target, rules.configuration)) {
    return http_error(501, "not_implemented", "The duplex dialect is not available on this server.", "duplex");
  }
  session_wish wish{.model_name = name_asked_for(target, rules.models), .model = nullptr, .subprotocol = {}};
  wish.model = rules.models.find(wish.model_name);
  if (!wish.model) return unknown_model(wish.model_name, rules.models);
  if (asks_for_beta(request, target)) wish.dialect = protocol::dialect::openai_beta;
  if (lists(request, "Sec-WebSocket-Protocol", realtime_subprotocol)) wish.subprotocol = realtime_subprotocol;
  return wish;
}

}  // namespace parley::server
