// Whether and how a session of the duplex dialect opens, decided after the upgrade and without a socket: what the query
// asked for, with the first session.update merged over it.
#pragma once

#include "protocol/session_settings.hpp"
#include "protocol/wire_error.hpp"
#include "runtime/model.hpp"
#include "server/handshake.hpp"
#include "server/model_catalog.hpp"

#include <cstdint>
#include <memory>
#include <variant>

namespace parley::server {

struct session_opening {
  std::shared_ptr<runtime::model> model;
  protocol::session_settings settings;
};

[[nodiscard]] std::variant<session_opening, protocol::wire_error> choose_opening(const session_wish& wish,
                                                                                 const protocol::session_patch& patch,
                                                                                 const model_catalog& models);
[[nodiscard]] protocol::wire_error no_room(int max_sessions);

// A first message that could not be decoded: true when it opens no session. Another one that is wrong is answered by
// the default session that it opens, as a later one would be.
[[nodiscard]] bool refuses_open(const protocol::wire_error& error, bool is_object);
// How a socket closes that ends with that error.
[[nodiscard]] std::uint16_t refusal_close_code(protocol::errc code) noexcept;

}  // namespace parley::server
