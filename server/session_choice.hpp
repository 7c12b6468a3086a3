// Which model and which settings a session starts with, out of what the URL asks for and what a client secret binds.
//
//   model: the one in the URL, else that of the secret, else the default. A URL that names a model other than the
//          secret's (not just another alias of it) is refused: the secret was made for one.
//   type:  that of the secret, else `intent=transcription` of the URL, else realtime; they must not contradict.
//   rest:  the configured defaults with the secret's session merged over them, as a session.update would be.
#pragma once

#include "config/config.hpp"
#include "protocol/session_settings.hpp"
#include "runtime/model.hpp"
#include "runtime/session.hpp"
#include "server/http_message.hpp"
#include "server/model_catalog.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace parley::server {

struct session_ask {
  std::optional<std::string> model_name{};         // of the URL
  std::optional<protocol::session_kind> intent{};  // of the URL
  protocol::session_patch bound{};                 // of the client secret
  bool duplex = false;                             // the dialect: it has no transcription sessions
};

struct session_choice {
  std::shared_ptr<runtime::model> model;
  protocol::session_settings settings;
  bool model_bound = false;  // by the secret
};

struct session_menu {
  const config::config& configuration;
  const model_catalog& models;
  const runtime::prompt_library* prompts = nullptr;
};

// Or the refusal: 404 no such model, 403 not what the secret was made for, 400 what is wrong with the bound session.
[[nodiscard]] std::variant<session_choice, http_response> choose(session_ask ask, const session_menu& menu);

// 400 with the error body; its code and param are those of the error event it would be.
[[nodiscard]] http_response bad_request(const protocol::wire_error& error);

}  // namespace parley::server
