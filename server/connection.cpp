#include "server/connection.hpp"

#include "server/authority.hpp"
#include "server/duplex_call.hpp"
#include "server/handshake.hpp"
#include "server/http_channel.hpp"
#include "server/peer.hpp"
#include "server/request_target.hpp"
#include "server/routes.hpp"
#include "server/secret_route.hpp"
#include "server/session_call.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

namespace parley::server {

namespace {

constexpr int unauthorised = 401;

std::optional<http_response> refusal_of(request_failure failure) {
  if (failure == request_failure::too_large) {
    return http_error(431, "request_header_fields_too_large", "The request head is larger than 32 KiB.");
  }
  if (failure == request_failure::malformed) return http_error(400, "bad_request", "This is no HTTP request.");
  return std::nullopt;
}

// The slot of a session, a client secret to be made of the body, or else the answer.
struct admission {
  std::optional<session_wish> wish{};
  std::optional<permit_pool::permit> slot{};
  std::optional<protocol::secret_form> minting{};
  http_response answer{};
};

admission refused(http_response answer) { return {.answer = std::move(answer)}; }

admission admit(const http_request& request, const request_target& target, bool has_surplus, services& shared) {
  const handshake_rules rules{.menu = {shared.configuration, shared.models, shared.tools.prompts.get()},
                              .who = {shared.keys, shared.secrets, unix_seconds()},
                              .pages = shared.pages,
                              .draining = shared.notice.current() != stage::serving};
  auto decided = decide(request, target, rules);
  if (auto* answer = std::get_if<http_response>(&decided)) return refused(std::move(*answer));
  if (has_surplus) return refused(http_error(400, "bad_request", "Data was sent before the upgrade was accepted."));
  auto& wish = std::get<session_wish>(decided);
  // A session of the duplex dialect takes its slot when it opens, which is after the upgrade; a resume needs none.
  if (wish.dialect == protocol::dialect::duplex) return {.wish = std::move(wish)};
  auto slot = shared.sessions.try_take();
  if (!slot) return refused(http_error(503, "too_many_sessions", "All sessions of this server are in use."));
  return {.wish = std::move(wish), .slot = std::move(slot)};
}

// What is wrong with a head whatever it asks for (RFC 9112, 3.2 and 6.1).
std::optional<http_response> refused_as_head(const http_request& request) {
  const auto hosts = request.all("Host");
  if (hosts.size() > 1 || (request.http_1_1 && hosts.empty())) {
    return http_error(400, "bad_request", "A request has one Host header.");
  }
  if (!hosts.empty() && !parse_authority(hosts.front())) {
    return http_error(400, "bad_request", "The Host header names no host.");
  }
  if (request.has_strange_body) return http_error(400, "bad_request", "A body can be chunked, not coded otherwise.");
  return std::nullopt;
}

bool shows_any_key(const http_request& request) {
  const auto shown = presented_keys(request).value_or(std::vector<std::string_view>{});
  return std::any_of(shown.begin(), shown.end(), [](std::string_view key) { return !key.empty(); });
}

// Of a path that is not there it is nobody's business what could be done with it.
http_response options_of(const http_request& request, std::string_view path, const services& shared) {
  if (path == "*" || is_plain_path(path) || is_session_path(path)) return shared.pages.options(request, "GET, HEAD");
  if (secret_form_at(path)) return shared.pages.options(request, "POST");
  return http_error(404, "not_found", "There is nothing at this path.");
}

admission consider(http_request& request, bool has_surplus, services& shared) {
  if (auto refusal = refused_as_head(request)) return refused(*std::move(refusal));
  const bool is_options = request.method == "OPTIONS";
  if (is_options && request.target == "*") return refused(options_of(request, "*", shared));
  const auto target = parse_target(request.target);
  if (!target) return refused(http_error(400, "bad_request", "The request target is malformed."));
  if (!target->authority.empty()) request.set("Host", target->authority);
  if (is_options) return refused(options_of(request, target->path, shared));
  if (is_session_path(target->path)) return admit(request, *target, has_surplus, shared);
  if (const auto form = secret_form_at(target->path)) {
    if (auto refusal = refused_by_head(request, shared)) return refused(*std::move(refusal));
    return {.minting = form};
  }
  return refused(answer(request, *target, shared));
}

// Empty when the peer went or takes too long.
task<std::optional<http_response>> answer_to_body(http_channel& channel, http_request& request,
                                                  protocol::secret_form form, const services& shared) {
  auto read = co_await channel.read_body(max_secret_body_bytes, shared.configuration.server.handshake_timeout);
  if (auto* body = std::get_if<std::string>(&read)) {
    request.has_body = false;  // any more: the next request may follow
    co_return mint(form, std::move(*body), shared);
  }
  const auto failure = std::get<request_failure>(read);
  if (failure == request_failure::too_large) {
    co_return http_error(413, "request_too_large", "The body is larger than 1 MiB.");
  }
  co_return refusal_of(failure);
}

}  // namespace

task<void> serve_connection(tcp_socket socket, permit_pool::permit, services& shared) {
  const executor home = co_await asio::this_coro::executor;
  const auto from = address_of(socket);
  const auto timeout = shared.configuration.server.handshake_timeout;
  http_channel channel(std::move(socket));
  const auto told = shared.notice.subscribe(home, [&channel](stage reached) {
    if (reached == stage::closing) channel.abort();
  });
  while (true) {
    auto read = co_await channel.read(timeout);
    if (const auto* failure = std::get_if<request_failure>(&read)) {
      auto refusal = refusal_of(*failure);
      if (*failure == request_failure::too_slow) shared.peers->refused("request too slow");
      if (!refusal) co_return;
      shared.peers->refused(refusal->refusal);
      const bool written = co_await channel.write(std::move(*refusal), false, timeout);
      if (!written) co_return;
      co_return co_await channel.finish();
    }
    auto& request = std::get<http_request>(read);
    const bool shows_key = shows_any_key(request);
    if (shows_key) co_await wait_for_turn(from, shared.guesses);
    auto outcome = consider(request, channel.has_surplus(), shared);
    if (shows_key && outcome.answer.status == unauthorised) shared.guesses.note(from, std::chrono::steady_clock::now());
    if (outcome.wish && !outcome.slot) {
      co_return co_await serve_duplex(channel.release(), std::move(request), std::move(*outcome.wish), shared);
    }
    if (outcome.wish) {
      co_return co_await serve_session(channel.release(), std::move(request), std::move(*outcome.wish),
                                       std::move(*outcome.slot), shared);
    }
    if (outcome.minting) {
      auto answered = co_await answer_to_body(channel, request, *outcome.minting, shared);
      if (!answered) co_return;
      outcome.answer = *std::move(answered);
    }
    if (!outcome.answer.refusal.empty()) shared.peers->refused(outcome.answer.refusal);
    outcome.answer.head_only = request.method == "HEAD";
    shared.pages.share(request, outcome.answer);
    // A body that was not read: what follows it could not be told from a request.
    const bool keep_alive = request.keep_alive && !request.has_body && outcome.answer.status < 400;
    const bool written = co_await channel.write(std::move(outcome.answer), keep_alive, timeout);
    if (!written) co_return;
    if (!keep_alive) co_return co_await channel.finish();
  }
}

}  // namespace parley::server
