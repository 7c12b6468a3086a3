#include "protocol/base64.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

namespace parley::protocol {
namespace {

using bytes = std::vector<std::uint8_t>;
constexpr base64_isa all_isas[] = {base64_isa::scalar, base64_isa::ssse3, base64_isa::avx2};

// One bit at a time, with nothing in common with the code under test.
std::string reference(const bytes& in) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  const std::size_t bits = in.size() * 8;
  for (std::size_t at = 0; at < bits; at += 6) {
    unsigned value = 0;
    for (std::size_t i = at; i < at + 6; ++i) value = value * 2 + (i < bits ? in[i / 8] >> (7 - i % 8) & 1u : 0u);
    out += alphabet[value];
  }
  while (out.size() % 4 != 0) out += '=';
  return out;
}

// Exactly sized heap blocks, so that AddressSanitizer sees a byte too many.
std::string encoded(base64_isa isa, const bytes& in) {
  std::vector<char> out(base64_encoded_size(in.size()));
  base64_encode(isa, in, out.data());
  return {out.begin(), out.end()};
}

std::optional<bytes> decoded(base64_isa isa, std::string_view text) {
  const std::vector<char> exact(text.begin(), text.end());
  bytes out(base64_decoded_bound(exact.size()));
  const auto size = base64_decode(isa, std::string_view{exact.data(), exact.size()}, out.data());
  if (!size) return std::nullopt;
  out.resize(*size);
  return out;
}

bytes of(std::string_view text) { return {text.begin(), text.end()}; }

bytes random_bytes(std::size_t size) {
  std::mt19937 source(static_cast<unsigned>(size) + 1);
  bytes out(size);
  for (auto& byte : out) byte = static_cast<std::uint8_t>(source());
  return out;
}

TEST_CASE("base64: the vectors of RFC 4648", "[protocol][base64]") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto isa : all_isas) {
    for (const auto& [plain, text] : vectors) {
      CHECK(encoded(isa, of(plain)) == text);
      CHECK(decoded(isa, text) == of(plain));
    }
  }
}

TEST_CASE("base64: every length from 0 to 400 agrees with a bitwise reference", "[protocol][base64]") {
  for (std::size_t size = 0; size <= 400; ++size) {
    const bytes in = random_bytes(size);
    const std::string text = reference(in);
    for (const auto isa : all_isas) {
      REQUIRE(encoded(isa, in) == text);
      REQUIRE(decoded(isa, text) == in);
    }
  }
}

TEST_CASE("base64: every six-bit value at every position of a vector block", "[protocol][base64]") {
  for (unsigned value = 0; value < 256; ++value) {
    bytes in(72, static_cast<std::uint8_t>(value));
    for (std::size_t at = 0; at < 24; ++at) {
      in[at] = static_cast<std::uint8_t>(value * 7 + at);
      const std::string text = reference(in);
      for (const auto isa : all_isas) {
        REQUIRE(encoded(isa, in) == text);
        REQUIRE(decoded(isa, text) == in);
      }
    }
  }
}

// What is right is decided by encoding again: strict base64 has exactly one text for some bytes.
TEST_CASE("base64: every byte value at every position is judged alike and strictly", "[protocol][base64]") {
  for (const std::size_t size : {3u, 4u, 5u, 33u, 48u, 100u}) {
    const std::string good = reference(random_bytes(size));
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        std::string text = good;
        text[at] = static_cast<char>(value);
        const auto scalar = decoded(base64_isa::scalar, text);
        REQUIRE((!scalar || reference(*scalar) == text));
        REQUIRE((scalar.has_value() || text != good));
        REQUIRE(decoded(base64_isa::ssse3, text) == scalar);
        REQUIRE(decoded(base64_isa::avx2, text) == scalar);
      }
    }
  }
}

TEST_CASE("base64: what is not strict is refused", "[protocol][base64]") {
  const char* const bad[] = {"Zg",    "Zg=",  "Zm9",   "Z",      "====",         "Z===", "Zg==Zg==",
                             "Zm=v",  "Zh==", "Zm9=",  "Zm9v\n", "Zm9 ",         "Zm9-", "Zm9_",
                             " Zm9v", "Zg=v", "Zm9v=", "=Zm9v",  "Zm9vZm9v====", "Zm\0v"};
  for (const auto isa : all_isas) {
    for (const auto* text : bad) CHECK_FALSE(decoded(isa, text).has_value());
    CHECK_FALSE(decoded(isa, std::string_view{"Zm\0v", 4}).has_value());
  }
}

TEST_CASE("base64: any valid character is taken at any position of a long text", "[protocol][base64]") {
  const std::string alphabet =
      reference({0x00, 0x10, 0x83, 0x10, 0x51, 0x87, 0x20, 0x92, 0x8b, 0x30, 0xd3, 0x8f, 0x41, 0x14, 0x93, 0x51,
                 0x55, 0x97, 0x61, 0x96, 0x9b, 0x71, 0xd7, 0x9f, 0x82, 0x18, 0xa3, 0x92, 0x59, 0xa7, 0xa2, 0x9a,
                 0xab, 0xb2, 0xdb, 0xaf, 0xc3, 0x1c, 0xb3, 0xd3, 0x5d, 0xb7, 0xe3, 0x9e, 0xbb, 0xf3, 0xdf, 0xbf});
  REQUIRE(alphabet == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  for (std::size_t turn = 0; turn < 64; ++turn) {
    const std::string text = alphabet.substr(turn) + alphabet.substr(0, turn) + alphabet;
    for (const auto isa : all_isas) {
      const auto plain = decoded(isa, text);
      REQUIRE(plain.has_value());
      CHECK(encoded(isa, *plain) == text);
    }
  }
}

TEST_CASE("base64: without an ISA the best of the processor is used", "[protocol][base64]") {
  const bytes in = random_bytes(1000);
  std::string text(base64_encoded_size(in.size()), ' ');
  base64_encode(in, text.data());
  CHECK(text == encoded(base64_best(), in));
  bytes out(base64_decoded_bound(text.size()));
  CHECK(base64_decode(text, out.data()) == in.size());
}

}  // namespace
}  // namespace parley::protocol
