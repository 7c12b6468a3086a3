// 24 bytes <-> 32 characters a step: the method of base64_ssse3.cpp, twice side by side in a 256-bit register. Shuffles
// work within each half, so bytes are loaded as two times 12 and the decoded halves are moved together at the end.
#include "protocol/base64_blocks.hpp"

#if PARLEY_BASE64_X86
#include <immintrin.h>

#define PARLEY_AVX2 __attribute__((target("avx2")))

namespace parley::protocol {
namespace {

PARLEY_AVX2 inline __m256i both_halves(__m128i half) noexcept { return _mm256_broadcastsi128_si256(half); }

PARLEY_AVX2 inline __m256i load_two_times_12(const std::uint8_t* in) noexcept {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 12));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

PARLEY_AVX2 inline __m256i split(__m256i bytes) noexcept {
  const __m256i order = both_halves(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  const __m256i spread = _mm256_shuffle_epi8(bytes, order);
  const __m256i first_third =
      _mm256_mulhi_epu16(_mm256_and_si256(spread, _mm256_set1_epi32(0x0fc0fc00)), _mm256_set1_epi32(0x04000040));
  const __m256i second_fourth =
      _mm256_mullo_epi16(_mm256_and_si256(spread, _mm256_set1_epi32(0x003f03f0)), _mm256_set1_epi32(0x01000010));
  return _mm256_or_si256(first_third, second_fourth);
}

PARLEY_AVX2 inline __m256i to_characters(__m256i values) noexcept {
  const __m256i distance =
      both_halves(_mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
  const __m256i upper_case = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
  const __m256i row = _mm256_or_si256(_mm256_subs_epu8(values, _mm256_set1_epi8(51)),
                                      _mm256_and_si256(upper_case, _mm256_set1_epi8(13)));
  return _mm256_add_epi8(values, _mm256_shuffle_epi8(distance, row));
}

PARLEY_AVX2 inline bool all_valid(__m256i high, __m256i low) noexcept {
  const __m256i class_of = both_halves(
      _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
  const __m256i absent_from = both_halves(
      _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a));
  return _mm256_testz_si256(_mm256_shuffle_epi8(class_of, high), _mm256_shuffle_epi8(absent_from, low)) != 0;
}

PARLEY_AVX2 inline __m256i to_values(__m256i characters, __m256i high) noexcept {
  const __m256i distance = both_halves(
      _mm_setr_epi8(0, 63 - '/', 62 - '+', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i slash = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8('/'));
  return _mm256_add_epi8(characters, _mm256_shuffle_epi8(distance, _mm256_add_epi8(high, slash)));
}

// 24 bytes, then eight zero ones.
PARLEY_AVX2 inline __m256i join(__m256i values) noexcept {
  const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
  const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
  const __m256i order = both_halves(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
  const __m256i halves = _mm256_shuffle_epi8(groups, order);
  return _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
}

}  // namespace

PARLEY_AVX2 std::size_t encode_blocks_avx2(const std::uint8_t* in, std::size_t size, char* out) noexcept {
  std::size_t done = 0;
  for (; size - done >= 28; done += 24, out += 32) {  // 28 are read, 24 of them used
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), to_characters(split(load_two_times_12(in + done))));
  }
  return done;
}

PARLEY_AVX2 std::size_t decode_blocks_avx2(const char* text, std::size_t size, std::uint8_t* out) noexcept {
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  std::size_t done = 0;
  for (; size - done >= 44; done += 32, out += 24) {  // 32 bytes are written, the room of 44 characters is 33
    const __m256i characters = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + done));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(characters, 4), nibble);
    if (!all_valid(high, _mm256_and_si256(characters, nibble))) break;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), join(to_values(characters, high)));
  }
  return done;
}

}  // namespace parley::protocol
#endif
