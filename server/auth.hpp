// Who may come in. A key arrives as `Authorization: Bearer K`, `api-key: K` or the subprotocol
// `openai-insecure-api-key.K` (browsers can set no header); one valid key is enough, so a valid Authorization wins over
// a wrong key elsewhere. More than one Authorization header is refused. Without configured keys everybody may. Keys are
// held as hashes and compared in constant time, all of them each time; they are never logged or echoed.
#pragma once

#include "config/config.hpp"
#include "server/http_message.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::server {

// What a request holds in the three places, in that order; nothing when it has more than one Authorization header.
[[nodiscard]] std::optional<std::vector<std::string_view>> presented_keys(const http_request& request);

// What a key is kept and recognised by.
using key_hash = std::array<unsigned char, 32>;
[[nodiscard]] key_hash hash_of(std::string_view key) noexcept;

class key_ring {
 public:
  explicit key_ring(const std::vector<std::string>& keys);

  // No key is configured.
  [[nodiscard]] bool open() const noexcept { return hashes_.empty(); }
  [[nodiscard]] bool accepts(std::string_view key) const noexcept;
  [[nodiscard]] bool admits(const http_request& request) const;
  // The first key of the request that is one of these.
  [[nodiscard]] std::optional<key_hash> recognised(const http_request& request) const;

 private:
  std::vector<key_hash> hashes_;
  // Thread safety: read-only after construction.
};

// Keys of auth.keys_file (one a line, `#` comments) and of the environment.
// Throws std::runtime_error that names the key path when the file can not be read.
[[nodiscard]] std::vector<std::string> load_keys(const config::auth_config& auth);

}  // namespace parley::server
