#include "server/session_choice.hpp"

#include "protocol/utf8.hpp"
#include "server/session_setup.hpp"

#include <utility>

namespace parley::server {

namespace {

using protocol::session_kind;

// Longest part of a name a client sent that is sent back.
constexpr std::size_t longest_quoted_name = 64;

http_response unknown_model(const std::string& name, const model_catalog& models) {
  std::string message = "The model `" + std::string(protocol::whole_characters(name, longest_quoted_name)) +
                        "` does not exist. Available:";
  for (const auto& known : models.names()) message += " " + known;
  return http_error(404, "model_not_found", message, "model");
}

http_response not_bound(std::string_view param) {
  return http_error(403, "client_secret_mismatch",
                    "This client secret was made for another " + std::string(param) + ".", param);
}

std::string name_of(const session_ask& ask, const model_catalog& models) {
  if (ask.model_name) return *ask.model_name;
  return ask.bound.model.value_or(models.default_name());
}

}  // namespace

std::variant<session_choice, http_response> choose(session_ask ask, const session_menu& menu) {
  auto name = name_of(ask, menu.models);
  auto model = menu.models.find(name);
  if (!model) return unknown_model(name, menu.models);
  if (ask.bound.model && menu.models.find(*ask.bound.model) != model) return not_bound("model");
  const bool model_bound = ask.bound.model.has_value();
  ask.bound.model.reset();  // it has chosen, and `name` is how the client calls it
  const auto kind = ask.bound.kind.value_or(ask.intent.value_or(session_kind::realtime));
  if (ask.intent && *ask.intent != kind) return not_bound("type");
  const auto& defaults = menu.configuration.session;
  auto start = ask.duplex ? starting_duplex_settings(defaults, std::move(name))
                          : starting_settings(defaults, kind, std::move(name));
  auto settings = bound_settings(std::move(start), ask.bound, model->capabilities(), menu.prompts);
  if (!settings) return bad_request(settings.error());
  return session_choice{std::move(model), *std::move(settings), model_bound};
}

http_response bad_request(const protocol::wire_error& error) {
  return http_error(400, protocol::wire_name(error.code), error.message, error.param.value_or(std::string{}));
}

}  // namespace parley::server
