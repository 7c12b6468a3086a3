// Any bytes are encoded, and read as text: every implementation must agree with the others and with OpenSSL's
// block functions (which skip leading blanks and ignore bits beyond the last byte, so they are asked to encode again).
#include "protocol/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace parley::protocol;
using bytes = std::vector<std::uint8_t>;
constexpr base64_isa all_isas[] = {base64_isa::scalar, base64_isa::ssse3, base64_isa::avx2};

void require(bool holds) {
  if (!holds) std::abort();
}

std::string openssl_encoded(const bytes& in) {
  std::vector<unsigned char> out(base64_encoded_size(in.size()) + 1);
  const int size = EVP_EncodeBlock(out.data(), in.data(), static_cast<int>(in.size()));
  return {out.begin(), out.begin() + size};
}

std::optional<bytes> openssl_decoded(const std::string& text) {
  bytes out(base64_decoded_bound(text.size()) + 1);
  const auto* const chars = reinterpret_cast<const unsigned char*>(text.data());
  const int size = EVP_DecodeBlock(out.data(), chars, static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < text.size() && padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  out.resize(static_cast<std::size_t>(size) - std::min(padding, static_cast<std::size_t>(size)));
  if (openssl_encoded(out) != text) return std::nullopt;  // not strict
  return out;
}

// Exactly sized blocks: AddressSanitizer sees one byte too many.
std::optional<bytes> decoded(base64_isa isa, const std::string& text) {
  const std::vector<char> exact(text.begin(), text.end());
  bytes out(base64_decoded_bound(exact.size()));
  const auto size = base64_decode(isa, std::string_view{exact.data(), exact.size()}, out.data());
  if (!size) return std::nullopt;
  out.resize(*size);
  return out;
}

void check_encoding(const bytes& in) {
  const std::string expected = openssl_encoded(in);
  for (const auto isa : all_isas) {
    std::vector<char> out(base64_encoded_size(in.size()));
    base64_encode(isa, in, out.data());
    require(std::string(out.begin(), out.end()) == expected);
    require(decoded(isa, expected) == in);
  }
}

void check_decoding(const std::string& text) {
  const auto expected = openssl_decoded(text);
  for (const auto isa : all_isas) require(decoded(isa, text) == expected);
}

// A valid text with one character changed, where the two first bytes say: random text is hardly ever valid.
void check_near_miss(const bytes& in) {
  if (in.size() < 3) return;
  std::string text = openssl_encoded({in.begin() + 2, in.end()});
  text[in[0] % text.size()] = static_cast<char>(in[1]);
  check_decoding(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes in(data, data + size);
  check_encoding(in);
  check_decoding({in.begin(), in.end()});
  check_near_miss(in);
  return 0;
}
