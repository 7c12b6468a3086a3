// Who sent a request: the holder of a key, of a client secret, or anybody where no key is configured. One rule for all
// places a key may stand in: one that is valid is enough, and the first valid client secret binds the session. A
// secret that is no longer good does not open a server without keys either: its session would lack what it was bound
// to.
//
// Who it was is kept as the hash of what admitted it: the session it opens is resumed by the same one alone.
#pragma once

#include "server/auth.hpp"
#include "server/client_secrets.hpp"
#include "server/http_message.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace parley::server {

struct visitor {
  std::optional<std::string> bound_session{};  // JSON that the client secret holds
  std::optional<key_hash> shown{};             // of the key or secret that admitted it; empty: anybody is
};

struct door {
  const key_ring& keys;
  const client_secrets& secrets;
  std::int64_t now_unix_s = 0;
};

// Empty: refused, 401.
[[nodiscard]] std::optional<visitor> admitted(const http_request& request, const door& at);
// Whether it may make client secrets, which takes a key: a secret can not make another.
[[nodiscard]] bool may_mint(const http_request& request, const key_ring& keys);

}  // namespace parley::server
