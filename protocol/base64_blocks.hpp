// The vector halves of base64.hpp. Each function works through as many whole blocks as it safely can from the start of
// its input and says how far it came; the scalar code of base64.cpp does the rest, which holds the padding and, when a
// decoder stopped early, the character at fault. So only the scalar code judges what is valid.
//
// Memory: they read and write only inside the sizes that base64.hpp asks for; nothing is touched beyond them.
// Callers check that the processor has the instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#define PARLEY_BASE64_X86 1
#else
#define PARLEY_BASE64_X86 0
#endif

namespace parley::protocol {

#if PARLEY_BASE64_X86
// Bytes encoded, a multiple of 3; out holds 4 characters for each 3.
[[nodiscard]] std::size_t encode_blocks_ssse3(const std::uint8_t* in, std::size_t size, char* out) noexcept;
[[nodiscard]] std::size_t encode_blocks_avx2(const std::uint8_t* in, std::size_t size, char* out) noexcept;

// Characters decoded, a multiple of 4; stops before the first block with a character that is not of the alphabet.
// REQUIRES: size is a multiple of 4, out has size / 4 * 3 bytes.
[[nodiscard]] std::size_t decode_blocks_ssse3(const char* text, std::size_t size, std::uint8_t* out) noexcept;
[[nodiscard]] std::size_t decode_blocks_avx2(const char* text, std::size_t size, std::uint8_t* out) noexcept;
#endif

}  // namespace parley::protocol
