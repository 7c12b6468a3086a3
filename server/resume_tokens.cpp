#include "server/resume_tokens.hpp"

#include <sodium.h>

namespace parley::server {

std::string resume_tokens::fresh() {
  constexpr std::size_t token_bytes = 32;
  constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::array<unsigned char, token_bytes> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::array<char, sodium_base64_ENCODED_LEN(token_bytes, variant)> text{};
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), variant);
  return text.data();
}

bool resume_tokens::accepts(std::string_view token) const {
  const auto given = hashed(token);
  return same(given, current_) || (doubtful_ && used_ && same(given, *used_));
}

bool resume_tokens::was_used_last(std::string_view token) const { return used_ && same(hashed(token), *used_); }

void resume_tokens::replace(std::string_view used, std::string_view next) {
  used_ = hashed(used);
  current_ = hashed(next);
  doubtful_ = false;
}

resume_tokens::hash resume_tokens::hashed(std::string_view token) {
  hash out{};
  crypto_generichash(out.data(), out.size(), reinterpret_cast<const unsigned char*>(token.data()), token.size(),
                     nullptr, 0);
  return out;
}

bool resume_tokens::same(const hash& one, const hash& other) {
  return sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace parley::server
