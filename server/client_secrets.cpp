#include "server/client_secrets.hpp"

#include <sodium.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace parley::server {

namespace {

constexpr std::string_view prefix = "ek_";
constexpr unsigned char version = 1;
constexpr std::size_t expiry_bytes = 8;
constexpr std::size_t nonce_bytes = 16;
constexpr std::size_t head_bytes = 1 + expiry_bytes + nonce_bytes;
constexpr std::size_t seal_bytes = crypto_auth_BYTES;
// Longest text that is decoded: 16 KiB of session and what is around it.
constexpr std::size_t longest_secret = 24 * 1024;
// No secret of ours is shorter: 59 bytes as base64. Keys that other services or people make are.
constexpr std::size_t shortest_secret = 64;

constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

static_assert(client_secrets::signing_key{}.size() == crypto_auth_KEYBYTES);

std::string encoded(const std::string& bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    variant);
  text.pop_back();  // the terminator
  return text;
}

// Canonical only: a second spelling of the same bytes is refused.
std::optional<std::vector<unsigned char>> decoded(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::vector<unsigned char> bytes(text.size());
  std::size_t size = 0;
  const char* end = nullptr;
  const int failed =
      sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &size, &end, variant);
  if (failed != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

std::int64_t expiry_in(const std::vector<unsigned char>& bytes) {
  std::uint64_t expiry = 0;
  for (std::size_t i = 1; i <= expiry_bytes; ++i) expiry = expiry << 8 | bytes[i];
  return static_cast<std::int64_t>(expiry);
}

std::string head(std::int64_t expires_at) {
  std::string bytes{static_cast<char>(version)};
  for (std::size_t i = 0; i < expiry_bytes; ++i) {
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(expires_at) >> (8 * (expiry_bytes - 1 - i))));
  }
  std::array<unsigned char, nonce_bytes> nonce{};
  randombytes_buf(nonce.data(), nonce.size());
  return bytes.append(nonce.begin(), nonce.end());
}

}  // namespace

client_secrets::minted client_secrets::mint(std::string_view session, std::int64_t now_unix_s,
                                            std::chrono::seconds lifetime) const {
  const std::int64_t expires_at = now_unix_s + lifetime.count();
  std::string bytes = head(expires_at);
  bytes += session;
  std::array<unsigned char, seal_bytes> seal{};
  crypto_auth(seal.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), key_.data());
  bytes.append(seal.begin(), seal.end());
  return {std::string(prefix) + encoded(bytes), expires_at};
}

std::optional<std::string> client_secrets::open(std::string_view secret, std::int64_t now_unix_s) const {
  if (!secret.starts_with(prefix) || secret.size() > longest_secret) return std::nullopt;
  const auto bytes = decoded(secret.substr(prefix.size()));
  if (!bytes || bytes->size() < head_bytes + seal_bytes) return std::nullopt;
  const std::size_t sealed = bytes->size() - seal_bytes;
  if (crypto_auth_verify(bytes->data() + sealed, bytes->data(), sealed, key_.data()) != 0) return std::nullopt;
  if (bytes->front() != version || expiry_in(*bytes) <= now_unix_s) return std::nullopt;
  return std::string(bytes->begin() + head_bytes, bytes->begin() + static_cast<std::ptrdiff_t>(sealed));
}

bool looks_like_secret(std::string_view key) noexcept {
  return key.starts_with(prefix) && key.size() >= shortest_secret;
}

client_secrets::signing_key load_signing_key(const config::auth_config& auth) {
  client_secrets::signing_key key{};
  if (!auth.secret_key_file) {
    randombytes_buf(key.data(), key.size());
    return key;
  }
  std::ifstream file(*auth.secret_key_file, std::ios::binary);
  std::array<char, key.size() + 1> bytes{};
  file.read(bytes.data(), bytes.size());
  if (file.gcount() != static_cast<std::streamsize>(key.size())) {
    throw std::runtime_error("auth.secret_key_file: " + *auth.secret_key_file + " is not 32 bytes");
  }
  std::copy_n(bytes.begin(), key.size(), key.begin());
  return key;
}

}  // namespace parley::server
