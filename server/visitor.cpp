#include "server/visitor.hpp"

#include <algorithm>
#include <utility>

namespace parley::server {

namespace {

bool holds_secret(const std::vector<std::string_view>& presented) {
  return std::any_of(presented.begin(), presented.end(), looks_like_secret);
}

}  // namespace

std::optional<visitor> admitted(const http_request& request, const door& at) {
  const auto presented = presented_keys(request).value_or(std::vector<std::string_view>{});
  for (const auto key : presented) {
    if (auto session = at.secrets.open(key, at.now_unix_s)) return visitor{std::move(session), hash_of(key)};
  }
  if (at.keys.open()) return holds_secret(presented) ? std::nullopt : std::optional(visitor{});
  const auto key = at.keys.recognised(request);
  return key ? std::optional(visitor{.shown = key}) : std::nullopt;
}

bool may_mint(const http_request& request, const key_ring& keys) {
  if (!keys.open()) return keys.admits(request);
  return !holds_secret(presented_keys(request).value_or(std::vector<std::string_view>{}));
}

}  // namespace parley::server
