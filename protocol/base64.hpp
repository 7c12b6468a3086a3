// Standard base64 (RFC 4648 section 4) for audio: AVX2 or SSSE3 where the processor has it, scalar else, chosen once at
// run time. Strict: padding required, no blanks, no url alphabet, no bits beyond the last byte. Not for secrets (its
// timing depends on the data): those use libsodium.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace parley::protocol {

// Characters that `bytes` encode to, padding included.
[[nodiscard]] constexpr std::size_t base64_encoded_size(std::size_t bytes) noexcept { return (bytes + 2) / 3 * 4; }

// Upper bound of the bytes that `chars` decode to.
[[nodiscard]] constexpr std::size_t base64_decoded_bound(std::size_t chars) noexcept { return (chars + 3) / 4 * 3; }

// Writes base64_encoded_size(in.size()) characters. REQUIRES: out has that room.
void base64_encode(std::span<const std::uint8_t> in, char* out) noexcept;

// Bytes written, or nothing when the text is not strict base64. REQUIRES: out has base64_decoded_bound(text.size()).
[[nodiscard]] std::optional<std::size_t> base64_decode(std::string_view text, std::uint8_t* out) noexcept;

// The implementations by name, for tests and the benchmark.
enum class base64_isa : std::uint8_t { scalar, ssse3, avx2 };
[[nodiscard]] base64_isa base64_best() noexcept;
void base64_encode(base64_isa isa, std::span<const std::uint8_t> in, char* out) noexcept;
[[nodiscard]] std::optional<std::size_t> base64_decode(base64_isa isa, std::string_view text,
                                                       std::uint8_t* out) noexcept;

}  // namespace parley::protocol
