#include "server/connection.hpp"

#include "server/handshake.hpp"
#include "server/http_channel.hpp"
#include "server/request_target.hpp"
#include "server/routes.hpp"
#include "server/session_call.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace parley::server {

namespace {

std::optional<http_response> refusal_of(request_failure failure) {
  if (failure == request_failure::too_large) {
    return http_error(431, "request_header_fields_too_large", "The request head is larger than 8 KiB.");
  }
  if (failure == request_failure::malformed) return http_error(400, "bad_request", "This is no HTTP request.");
  return std::nullopt;
}

// Either the slot of a session, or the answer.
struct admission {
  std::optional<session_wish> wish;
  std::optional<permit_pool::permit> slot;
  http_response answer;
};

admission refused(http_response answer) { return {std::nullopt, std::nullopt, std::move(answer)}; }

admission admit(const http_request& request, const request_target& target, bool has_surplus, services& shared) {
  const handshake_rules rules{shared.configuration, shared.keys, shared.models};
  auto decided = decide(request, target, rules, shared.notice.current() != stage::serving);
  if (auto* answer = std::get_if<http_response>(&decided)) return refused(std::move(*answer));
  if (has_surplus) return refused(http_error(400, "bad_request", "Data was sent before the upgrade was accepted."));
  auto slot = shared.sessions.try_take();
  if (!slot) return refused(http_error(503, "too_many_sessions", "All sessions of this server are in use."));
  return {std::get<session_wish>(std::move(decided)), std::move(slot), {}};
}

admission consider(const http_request& request, bool has_surplus, services& shared) {
  const auto target = parse_target(request.target);
  if (!target) return refused(http_error(400, "bad_request", "The request target is malformed."));
  if (is_session_path(target->path)) return admit(request, *target, has_surplus, shared);
  return refused(answer(request, *target, shared));
}

}  // namespace

task<void> serve_connection(tcp_socket socket, permit_pool::permit, services& shared) {
  const executor home = co_await asio::this_coro::executor;
  const auto timeout = shared.configuration.server.handshake_timeout;
  http_channel channel(std::move(socket));
  const auto told = shared.notice.subscribe(home, [&channel](stage reached) {
    if (reached == stage::closing) channel.abort();
  });
  while (true) {
    auto read = co_await channel.read(timeout);
    if (const auto* failure = std::get_if<request_failure>(&read)) {
      auto refusal = refusal_of(*failure);
      if (!refusal) co_return;
      const bool written = co_await channel.write(std::move(*refusal), false, timeout);
      if (!written) co_return;
      co_return co_await channel.finish();
    }
    auto& request = std::get<http_request>(read);
    auto outcome = consider(request, channel.has_surplus(), shared);
    if (outcome.wish) {
      co_return co_await serve_session(channel.release(), std::move(request), std::move(*outcome.wish),
                                       std::move(*outcome.slot), shared);
    }
    // A body is not read, so what follows it could not be told from a request.
    const bool keep_alive = request.keep_alive && !request.has_body && outcome.answer.status < 400;
    const bool written = co_await channel.write(std::move(outcome.answer), keep_alive, timeout);
    if (!written) co_return;
    if (!keep_alive) co_return co_await channel.finish();
  }
}

}  // namespace parley::server
