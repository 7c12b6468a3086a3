#include "server/auth.hpp"

#include <sodium.h>

#include <fstream>
#include <stdexcept>

namespace parley::server {

namespace {

constexpr std::string_view subprotocol_prefix = "openai-insecure-api-key.";

// The credentials of `Bearer K`, the scheme in any case; empty for another scheme.
std::string_view bearer_key(std::string_view value) {
  const auto space = value.find(' ');
  if (space == std::string_view::npos || !equal_no_case(value.substr(0, space), "bearer")) return {};
  const auto start = value.find_first_not_of(' ', space);
  return start == std::string_view::npos ? std::string_view{} : value.substr(start);
}

std::string without_space(std::string text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

key_hash hash_of(std::string_view key) noexcept {
  key_hash out{};
  crypto_generichash(out.data(), out.size(), reinterpret_cast<const unsigned char*>(key.data()), key.size(), nullptr,
                     0);
  return out;
}

key_ring::key_ring(const std::vector<std::string>& keys) {
  for (const auto& key : keys) hashes_.push_back(hash_of(key));
}

bool key_ring::accepts(std::string_view key) const noexcept {
  const key_hash presented = hash_of(key);
  bool found = false;
  // No early end: the time must not tell which key came close.
  for (const auto& known : hashes_) found |= sodium_memcmp(presented.data(), known.data(), known.size()) == 0;
  return found && !key.empty();
}

bool key_ring::admits(const http_request& request) const { return open() || recognised(request); }

std::optional<key_hash> key_ring::recognised(const http_request& request) const {
  std::optional<key_hash> found;
  for (const auto key : presented_keys(request).value_or(std::vector<std::string_view>{})) {
    if (accepts(key) && !found) found = hash_of(key);
  }
  return found;
}

std::optional<std::vector<std::string_view>> presented_keys(const http_request& request) {
  const auto authorization = request.all("Authorization");
  if (authorization.size() > 1) return std::nullopt;
  std::vector<std::string_view> keys;
  for (const auto value : authorization) keys.push_back(bearer_key(value));
  for (const auto key : request.all("api-key")) keys.push_back(key);
  for (const auto entry : request.list("Sec-WebSocket-Protocol")) {
    if (entry.starts_with(subprotocol_prefix)) keys.push_back(entry.substr(subprotocol_prefix.size()));
  }
  return keys;
}

std::vector<std::string> load_keys(const config::auth_config& auth) {
  std::vector<std::string> keys = auth.env_keys;
  if (!auth.keys_file) return keys;
  std::ifstream file(*auth.keys_file);
  if (!file) throw std::runtime_error("auth.keys_file: can not read " + *auth.keys_file);
  for (std::string line; std::getline(file, line);) {
    line = without_space(std::move(line));
    if (!line.empty() && line.front() != '#') keys.push_back(std::move(line));
  }
  // A file that was meant to close the door must not leave it open.
  if (keys.empty()) throw std::runtime_error("auth.keys_file: no key in " + *auth.keys_file);
  return keys;
}

}  // namespace parley::server
