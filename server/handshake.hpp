// What an upgrade request asks for, decided before the upgrade and without a socket: which model and settings, which
// dialect, which subprotocol, or the HTTP response that refuses it. The key is checked first, so that nothing is told
// to a stranger.
#pragma once

#include "config/config.hpp"
#include "protocol/dialect.hpp"
#include "protocol/session_settings.hpp"
#include "runtime/model.hpp"
#include "server/http_message.hpp"
#include "server/page_rules.hpp"
#include "server/request_target.hpp"
#include "server/session_choice.hpp"
#include "server/visitor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parley::server {

struct session_wish {
  std::shared_ptr<runtime::model> model;
  protocol::session_settings settings;  // its `model` is the name asked for
  protocol::dialect dialect = protocol::dialect::openai;
  std::string subprotocol;  // to be selected; empty = none
  // duplex
  bool autostart = true;             // the session opens unasked; else the first message decides
  bool model_bound = false;          // by the client secret: the first session.update can not choose another
  std::optional<key_hash> opener{};  // the key or client secret that it came with
};

struct handshake_rules {
  const session_menu menu;
  const door who;
  const page_rules& pages;
  bool draining = false;
};

[[nodiscard]] bool is_session_path(std::string_view path) noexcept;
[[nodiscard]] std::variant<session_wish, http_response> decide(const http_request& request,
                                                               const request_target& target,
                                                               const handshake_rules& rules);

}  // namespace parley::server
