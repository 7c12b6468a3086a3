// 12 bytes <-> 16 characters a step, in one 128-bit register. The method (Wojciech Mula and Daniel Lemire):
//
//   encode  bytes a b c of each group are spread to the 32-bit lane b a c b; two multiplications move its four
//           six-bit fields to the bottoms of the four bytes; a 16-entry table adds the distance to the character.
//   decode  the high nibble of a character gives its class, the low nibble the classes it does not occur in: the two
//           tables have a bit in common exactly for a character outside the alphabet. The class also gives the distance
//           to the value. Two multiply-adds join four six-bit values to 24 bits.
#include "protocol/base64_blocks.hpp"

#if PARLEY_BASE64_X86
#include <tmmintrin.h>

#define PARLEY_SSSE3 __attribute__((target("ssse3")))

namespace parley::protocol {
namespace {

// Four six-bit values in each lane, first one lowest, from three bytes a lane.
PARLEY_SSSE3 inline __m128i split(__m128i bytes) noexcept {
  const __m128i spread = _mm_shuffle_epi8(bytes, _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  const __m128i first_third = _mm_mulhi_epu16(_mm_and_si128(spread, _mm_set1_epi32(0x0fc0fc00)),
                                              _mm_set1_epi32(0x04000040));  // right by 10 and by 6
  const __m128i second_fourth = _mm_mullo_epi16(_mm_and_si128(spread, _mm_set1_epi32(0x003f03f0)),
                                                _mm_set1_epi32(0x01000010));  // left by 4 and by 8
  return _mm_or_si128(first_third, second_fourth);
}

// The table's rows: 0 for a-z, 1-10 for the digits, 11 and 12 for + and /, 13 for A-Z.
PARLEY_SSSE3 inline __m128i to_characters(__m128i values) noexcept {
  const __m128i distance = _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                         '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0);
  const __m128i upper_case = _mm_cmpgt_epi8(_mm_set1_epi8(26), values);
  const __m128i row =
      _mm_or_si128(_mm_subs_epu8(values, _mm_set1_epi8(51)), _mm_and_si128(upper_case, _mm_set1_epi8(13)));
  return _mm_add_epi8(values, _mm_shuffle_epi8(distance, row));
}

// Classes by high nibble: bit 0 for 2x, 1 for 3x, 2 for 4x and 6x, 3 for 5x and 7x, 4 for what is never valid.
PARLEY_SSSE3 inline bool all_valid(__m128i high, __m128i low) noexcept {
  const __m128i class_of =
      _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
  const __m128i absent_from =
      _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a);
  const __m128i wrong = _mm_and_si128(_mm_shuffle_epi8(class_of, high), _mm_shuffle_epi8(absent_from, low));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(wrong, _mm_setzero_si128())) == 0xffff;
}

// Row 1 is '/', which shares the high nibble of '+' in row 2.
PARLEY_SSSE3 inline __m128i to_values(__m128i characters, __m128i high) noexcept {
  const __m128i distance =
      _mm_setr_epi8(0, 63 - '/', 62 - '+', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i slash = _mm_cmpeq_epi8(characters, _mm_set1_epi8('/'));  // -1 where it is
  return _mm_add_epi8(characters, _mm_shuffle_epi8(distance, _mm_add_epi8(high, slash)));
}

// Twelve bytes, then four zero ones, from sixteen six-bit values.
PARLEY_SSSE3 inline __m128i join(__m128i values) noexcept {
  const __m128i pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x01400140));  // first * 64 + second
  const __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));     // first pair * 4096 + second pair
  return _mm_shuffle_epi8(groups, _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
}

}  // namespace

PARLEY_SSSE3 std::size_t encode_blocks_ssse3(const std::uint8_t* in, std::size_t size, char* out) noexcept {
  std::size_t done = 0;
  for (; size - done >= 16; done += 12, out += 16) {  // 16 are read, 12 of them used
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + done));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), to_characters(split(bytes)));
  }
  return done;
}

PARLEY_SSSE3 std::size_t decode_blocks_ssse3(const char* text, std::size_t size, std::uint8_t* out) noexcept {
  const __m128i nibble = _mm_set1_epi8(0x0f);
  std::size_t done = 0;
  for (; size - done >= 24; done += 16, out += 12) {  // 16 bytes are written, the room of 24 characters is 18
    const __m128i characters = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + done));
    const __m128i high = _mm_and_si128(_mm_srli_epi16(characters, 4), nibble);
    if (!all_valid(high, _mm_and_si128(characters, nibble))) break;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), join(to_values(characters, high)));
  }
  return done;
}

}  // namespace parley::protocol
#endif
