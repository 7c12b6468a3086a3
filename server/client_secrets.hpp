// Keys that live for minutes and open sessions of one configuration. A secret holds all there is to know of it and is
// signed, so the server keeps no list, and servers with the same signing key take each other's:
//
//   "ek_" base64url( version 1 | expiry 8, big endian | nonce 16 | session JSON | HMAC-SHA-512-256 of all before 32 )
//
// It is as good as a key until it expires, for any number of sessions; it is not encrypted, never logged, and can not
// be taken back but by another signing key. Checked in constant time: the signature first, then the time.
#pragma once

#include "config/config.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::server {

class client_secrets {
 public:
  using signing_key = std::array<unsigned char, 32>;

  explicit client_secrets(const signing_key& key) : key_(key) {}

  struct minted {
    std::string value;
    std::int64_t expires_at = 0;  // unix seconds
  };
  [[nodiscard]] minted mint(std::string_view session, std::int64_t now_unix_s, std::chrono::seconds lifetime) const;
  // The session of a secret that is genuine and has not expired.
  [[nodiscard]] std::optional<std::string> open(std::string_view secret, std::int64_t now_unix_s) const;

 private:
  const signing_key key_;
  // Thread safety: read-only after construction.
};

// True for what could only have been meant as a secret of ours: stock clients ask for something that begins with ek_
// also where no key is needed, and what people make up for them is short.
[[nodiscard]] bool looks_like_secret(std::string_view key) noexcept;

// That of auth.secret_key_file, else a random one.
// Throws std::runtime_error that names the key path when the file is not 32 bytes.
[[nodiscard]] client_secrets::signing_key load_signing_key(const config::auth_config& auth);

}  // namespace parley::server
