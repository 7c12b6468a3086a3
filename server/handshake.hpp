// What an upgrade request asks for, decided before the upgrade and without a socket: which model, which dialect, which
// subprotocol, or the HTTP response that refuses it. The key is checked first, so that nothing is told to a stranger.
#pragma once

#include "config/config.hpp"
#include "protocol/dialect.hpp"
#include "runtime/model.hpp"
#include "server/auth.hpp"
#include "server/http_message.hpp"
#include "server/model_catalog.hpp"
#include "server/request_target.hpp"

#include <memory>
#include <string>
#include <variant>

namespace parley::server {

struct session_wish {
  std::string model_name;  // as asked for
  std::shared_ptr<runtime::model> model;
  protocol::dialect dialect = protocol::dialect::openai;
  std::string subprotocol;  // to be selected; empty = none
};

struct handshake_rules {
  const config::config& configuration;
  const key_ring& keys;
  const model_catalog& models;
};

[[nodiscard]] bool is_session_path(std::string_view path) noexcept;
[[nodiscard]] std::variant<session_wish, http_response> decide(const http_request& request,
                                                               const request_target& target,
                                                               const handshake_rules& rules, bool draining);

}  // namespace parley::server
