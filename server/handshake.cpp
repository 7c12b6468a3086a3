#include "server/handshake.hpp"

#include "protocol/base64.hpp"
#include "protocol/client_secret.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

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

// A switch of the query; empty: not given, or neither of the two.
std::optional<bool> switch_in(const request_target& target, std::string_view name) {
  const auto value = target.find(name).value_or(std::string_view{});
  for (const auto yes : {"1", "true", "yes", "on"}) {
    if (equal_no_case(value, yes)) return true;
  }
  for (const auto no : {"0", "false", "no", "off"}) {
    if (equal_no_case(value, no)) return false;
  }
  return std::nullopt;
}

bool is_duplex_path(std::string_view path) { return path.starts_with("/v1/duplex"); }

bool asks_for_duplex(const http_request& request, const request_target& target, const config::config& configuration) {
  if (const auto wish = switch_in(target, "duplex")) return *wish;
  if (is_duplex_path(target.path)) return true;
  return configuration.server.dialect == config::default_dialect::duplex && !asks_for_beta(request, target);
}

bool is_upgrade(const http_request& request) {
  return request.method == "GET" && request.http_1_1 && lists(request, "Connection", "upgrade") &&
         lists(request, "Upgrade", "websocket") && lists(request, "Sec-WebSocket-Version", "13");
}

// Exactly one, of 16 bytes in base64 (RFC 6455, 4.1).
bool has_websocket_key(const http_request& request) {
  constexpr std::size_t nonce_bytes = 16;
  const auto sent = request.all("Sec-WebSocket-Key");
  if (sent.size() != 1 || sent.front().size() != protocol::base64_encoded_size(nonce_bytes)) return false;
  std::array<std::uint8_t, protocol::base64_decoded_bound(protocol::base64_encoded_size(nonce_bytes))> nonce{};
  return protocol::base64_decode(sent.front(), nonce.data()) == nonce_bytes;
}

// On Azure's paths a deployment is what is opened; `model` beside it is what clients of the other paths always send.
std::optional<std::string> name_asked_for(const request_target& target) {
  const bool is_azure = target.path.starts_with("/openai/");
  for (const auto* member : {is_azure ? "deployment" : "model", is_azure ? "model" : "deployment"}) {
    if (const auto name = target.find(member); name && !name->empty()) return std::string(*name);
  }
  return std::nullopt;
}

std::optional<protocol::session_kind> intent_of(const request_target& target) {
  if (target.find("intent") == "transcription") return protocol::session_kind::transcription;
  return std::nullopt;
}

http_response not_an_upgrade() {
  auto refusal = http_error(426, "upgrade_required", "This path speaks WebSocket (version 13) only.");
  refusal.headers = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}};
  return refusal;
}

http_response wrong_method() {
  auto refusal = http_error(405, "method_not_allowed", "Only GET is allowed here.");
  refusal.headers = {{"Allow", "GET, HEAD, OPTIONS"}};
  return refusal;
}

// Two values for what decides the session: whoever put the one there must not be overruled by whoever put the other.
std::optional<http_response> refused_as_contradiction(const request_target& target) {
  for (const auto* name : {"model", "deployment", "intent", "api-version", "duplex", "autostart", "resume"}) {
    if (!target.contradicts_itself(name)) continue;
    return http_error(400, "invalid_value", "The query gives two values for this parameter.", name);
  }
  return std::nullopt;
}

// What keeps a request from any session, whoever sends it.
std::optional<http_response> refused_as_handshake(const http_request& request, const request_target& target,
                                                  const handshake_rules& rules) {
  if (request.method != "GET" && request.method != "HEAD") return wrong_method();
  if (rules.draining) return http_error(503, "server_shutdown", "The server is shutting down.");
  if (!is_upgrade(request)) return not_an_upgrade();
  if (!has_websocket_key(request)) {
    return http_error(400, "bad_request", "Sec-WebSocket-Key must be 16 bytes in base64, once.");
  }
  if (request.has_body) return http_error(400, "bad_request", "A request that upgrades has no body.");
  if (auto refusal = refused_as_contradiction(target)) return refusal;
  if (target.find("call_id")) {
    return http_error(400, "invalid_value", "There are no WebRTC or SIP calls here that a session could join.",
                      "call_id");
  }
  return std::nullopt;
}

std::variant<session_choice, http_response> session_for(const visitor& who, const request_target& target,
                                                        const session_menu& menu, bool duplex) {
  session_ask ask{.model_name = name_asked_for(target), .intent = std::nullopt, .duplex = duplex};
  if (!duplex) ask.intent = intent_of(target);
  if (who.bound_session) {
    const auto padded = *who.bound_session + std::string(protocol::frame_padding_bytes, '\0');
    auto bound = protocol::read_bound_session({padded.data(), who.bound_session->size()});
    if (!bound) return bad_request(bound.error());  // made by a server of another version
    ask.bound = *std::move(bound);
  }
  return choose(std::move(ask), menu);
}

}  // namespace

bool is_session_path(std::string_view path) noexcept {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path == "/v1/realtime" || path == "/openai/realtime" || path == "/openai/v1/realtime" || path == "/v1/duplex";
}

std::variant<session_wish, http_response> decide(const http_request& request, const request_target& target,
                                                 const handshake_rules& rules) {
  const auto who = admitted(request, rules.who);
  if (!who) return http_error(401, "invalid_api_key", "A valid API key is required.");
  if (auto refusal = rules.pages.refusal(request)) return *std::move(refusal);
  if (auto refusal = refused_as_handshake(request, target, rules)) return *std::move(refusal);
  const bool duplex = asks_for_duplex(request, target, rules.menu.configuration);
  auto chosen = session_for(*who, target, rules.menu, duplex);
  if (auto* refusal = std::get_if<http_response>(&chosen)) return std::move(*refusal);
  auto& session = std::get<session_choice>(chosen);
  session_wish wish{.model = std::move(session.model), .settings = std::move(session.settings), .subprotocol = {}};
  if (asks_for_beta(request, target)) wish.dialect = protocol::dialect::openai_beta;
  wish.opener = who->shown;
  if (duplex) {
    wish.dialect = protocol::dialect::duplex;
    wish.autostart = switch_in(target, "autostart").value_or(true) && !switch_in(target, "resume").value_or(false);
    wish.model_bound = session.model_bound;
  }
  if (lists(request, "Sec-WebSocket-Protocol", realtime_subprotocol)) wish.subprotocol = realtime_subprotocol;
  return wish;
}

}  // namespace parley::server
