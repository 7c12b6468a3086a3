#include "protocol/base64.hpp"

#include "protocol/base64_blocks.hpp"

#include <algorithm>
#include <array>

namespace parley::protocol {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t not_in_alphabet = 0xff;  // has bits that no six-bit value has

constexpr std::array<std::uint8_t, 256> value_table = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(not_in_alphabet);
  for (std::size_t value = 0; value < alphabet.size(); ++value) {
    values[static_cast<unsigned char>(alphabet[value])] = static_cast<std::uint8_t>(value);
  }
  return values;
}();

std::uint32_t value_of(char character) noexcept { return value_table[static_cast<unsigned char>(character)]; }

void encode_group(std::uint32_t bits, char* out) noexcept {
  out[0] = alphabet[bits >> 18];
  out[1] = alphabet[bits >> 12 & 63];
  out[2] = alphabet[bits >> 6 & 63];
  out[3] = alphabet[bits & 63];
}

void encode_scalar(const std::uint8_t* in, std::size_t size, char* out) noexcept {
  for (; size >= 3; in += 3, out += 4, size -= 3) {
    encode_group(std::uint32_t{in[0]} << 16 | std::uint32_t{in[1]} << 8 | in[2], out);
  }
  if (size == 0) return;
  encode_group(std::uint32_t{in[0]} << 16 | (size == 2 ? std::uint32_t{in[1]} << 8 : 0), out);
  out[3] = '=';
  if (size == 1) out[2] = '=';
}

// The last four characters: one, two or three bytes. Padding is only right at the end and with no bits left over.
std::optional<std::size_t> decode_last(const char* text, std::uint8_t* out) noexcept {
  const std::size_t bytes = text[3] != '=' ? 3 : text[2] != '=' ? 2 : 1;
  const std::uint32_t third = bytes >= 2 ? value_of(text[2]) : 0;
  const std::uint32_t fourth = bytes == 3 ? value_of(text[3]) : 0;
  const std::uint32_t first = value_of(text[0]), second = value_of(text[1]);
  if ((first | second | third | fourth) > 63) return std::nullopt;
  const std::uint32_t bits = first << 18 | second << 12 | third << 6 | fourth;
  const std::uint32_t left_over = bytes == 3 ? 0 : bytes == 2 ? bits & 0xff : bits & 0xffff;
  if (left_over != 0) return std::nullopt;
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(bits >> (16 - 8 * i));
  return bytes;
}

// REQUIRES: size is a multiple of 4.
std::optional<std::size_t> decode_scalar(const char* text, std::size_t size, std::uint8_t* out) noexcept {
  if (size == 0) return 0;
  const char* const last = text + size - 4;
  std::uint8_t* const start = out;
  for (; text != last; text += 4, out += 3) {
    const std::uint32_t first = value_of(text[0]), second = value_of(text[1]);
    const std::uint32_t third = value_of(text[2]), fourth = value_of(text[3]);
    if ((first | second | third | fourth) > 63) return std::nullopt;
    const std::uint32_t bits = first << 18 | second << 12 | third << 6 | fourth;
    out[0] = static_cast<std::uint8_t>(bits >> 16);
    out[1] = static_cast<std::uint8_t>(bits >> 8);
    out[2] = static_cast<std::uint8_t>(bits);
  }
  const auto bytes = decode_last(last, out);
  if (!bytes) return std::nullopt;
  return static_cast<std::size_t>(out - start) + *bytes;
}

std::size_t encode_blocks(base64_isa isa, std::span<const std::uint8_t> in, char* out) noexcept {
#if PARLEY_BASE64_X86
  if (isa == base64_isa::avx2) return encode_blocks_avx2(in.data(), in.size(), out);
  if (isa == base64_isa::ssse3) return encode_blocks_ssse3(in.data(), in.size(), out);
#endif
  (void)isa, (void)in, (void)out;
  return 0;
}

std::size_t decode_blocks(base64_isa isa, std::string_view text, std::uint8_t* out) noexcept {
#if PARLEY_BASE64_X86
  if (isa == base64_isa::avx2) return decode_blocks_avx2(text.data(), text.size(), out);
  if (isa == base64_isa::ssse3) return decode_blocks_ssse3(text.data(), text.size(), out);
#endif
  (void)isa, (void)text, (void)out;
  return 0;
}

base64_isa detect() noexcept {
#if PARLEY_BASE64_X86
  if (__builtin_cpu_supports("avx2")) return base64_isa::avx2;
  if (__builtin_cpu_supports("ssse3")) return base64_isa::ssse3;
#endif
  return base64_isa::scalar;
}

}  // namespace

base64_isa base64_best() noexcept {
  static const base64_isa best = detect();
  return best;
}

void base64_encode(std::span<const std::uint8_t> in, char* out) noexcept { base64_encode(base64_best(), in, out); }

std::optional<std::size_t> base64_decode(std::string_view text, std::uint8_t* out) noexcept {
  return base64_decode(base64_best(), text, out);
}

// An ISA that the processor lacks falls back to the best it has.
void base64_encode(base64_isa isa, std::span<const std::uint8_t> in, char* out) noexcept {
  const std::size_t done = encode_blocks(std::min(isa, base64_best()), in, out);
  encode_scalar(in.data() + done, in.size() - done, out + done / 3 * 4);
}

std::optional<std::size_t> base64_decode(base64_isa isa, std::string_view text, std::uint8_t* out) noexcept {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t done = decode_blocks(std::min(isa, base64_best()), text, out);
  const std::size_t written = done / 4 * 3;
  const auto rest = decode_scalar(text.data() + done, text.size() - done, out + written);
  if (!rest) return std::nullopt;
  return written + *rest;
}

}  // namespace parley::protocol
