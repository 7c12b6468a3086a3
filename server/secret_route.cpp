#include "server/secret_route.hpp"

#include "server/random_ids.hpp"
#include "server/session_choice.hpp"
#include "server/visitor.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace parley::server {

std::optional<protocol::secret_form> secret_form_at(std::string_view path) noexcept {
  using enum protocol::secret_form;
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.starts_with("/openai/")) path.remove_prefix(std::string_view("/openai").size());
  if (path == "/v1/realtime/client_secrets") return client_secret;
  if (path == "/v1/realtime/sessions") return beta_session;
  if (path == "/v1/realtime/transcription_sessions") return beta_transcription_session;
  return std::nullopt;
}

std::optional<http_response> refused_by_head(const http_request& request, const services& shared) {
  if (!may_mint(request, shared.keys)) {
    return http_error(401, "invalid_api_key", "A valid API key is required; a client secret can not make another.");
  }
  if (auto refused = shared.pages.refusal(request)) return refused;
  if (request.method == "POST") return std::nullopt;
  auto refusal = http_error(405, "method_not_allowed", "Only POST is allowed here.");
  refusal.headers = {{"Allow", "POST, OPTIONS"}};
  return refusal;
}

http_response mint(protocol::secret_form form, std::string body, const services& shared) {
  const auto size = body.size();
  body.append(protocol::frame_padding_bytes, '\0');
  auto read = protocol::read_client_secret_request(form, {body.data(), size});
  if (!read) return bad_request(read.error());
  auto chosen =
      choose({.bound = std::move(read->patch)}, {shared.configuration, shared.models, shared.tools.prompts.get()});
  if (auto* refusal = std::get_if<http_response>(&chosen)) return std::move(*refusal);
  auto made = shared.secrets.mint(read->session.text, unix_seconds(), read->lifetime);
  auto settings =
      std::make_shared<const protocol::session_settings>(std::move(std::get<session_choice>(chosen).settings));
  const protocol::client_secret_answer answer{
      std::move(made.value),
      made.expires_at,
      {new_session_id(protocol::dialect::openai), std::move(settings), std::nullopt}};
  // What it holds is a key: no cache may keep it.
  return {.body = render(form, answer), .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace parley::server
