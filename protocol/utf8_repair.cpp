#include "protocol/utf8_repair.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace parley::protocol {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// What a text begins with.
struct sequence {
  enum class kind : std::uint8_t { character, half, broken, cut };
  kind what = kind::broken;
  std::size_t bytes = 1;   // to go on behind it
  std::uint32_t code = 0;  // of a half
};

constexpr unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

constexpr std::size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;  // goes on, too long a spelling, or beyond U+10FFFF
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
}

// The second byte is the one that tells spellings too long and codes beyond U+10FFFF; halves (ED A0..BF) may pass.
constexpr bool may_be_second(unsigned char lead, unsigned char second) {
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xF4 ? 0x8F : 0xBF;
  return second >= least && second <= most;
}

constexpr bool goes_on(std::string_view text, std::size_t at) {
  return at == 1 ? may_be_second(byte_at(text, 0), byte_at(text, 1)) : (byte_at(text, at) & 0xC0U) == 0x80U;
}

// REQUIRES: text is not empty.
sequence first_of(std::string_view text) {
  using enum sequence::kind;
  const std::size_t length = length_by_lead(byte_at(text, 0));
  if (length == 0) return {};
  std::size_t good = 1;
  while (good < std::min(length, text.size()) && goes_on(text, good)) ++good;
  if (good < length) return {good == text.size() ? cut : broken, good};
  const bool is_half = length == 3 && byte_at(text, 0) == 0xED && byte_at(text, 1) >= 0xA0;
  if (!is_half) return {character, length};
  return {half, length, 0xD000U | ((byte_at(text, 1) & 0x3FU) << 6U) | (byte_at(text, 2) & 0x3FU)};
}

void append_joined(std::string& out, std::uint32_t high, std::uint32_t low) {
  const std::uint32_t code = 0x10000U + ((high & 0x3FFU) << 10U) + (low & 0x3FFU);
  out += static_cast<char>(0xF0U | (code >> 18U));
  out += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
  out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
  out += static_cast<char>(0x80U | (code & 0x3FU));
}

// Whether a high half with this behind it may yet become a pair. REQUIRES: no low half is complete.
constexpr bool may_begin_low_half(std::string_view text) {
  if (text.empty()) return true;
  if (byte_at(text, 0) != 0xED || text.size() > 2) return false;
  return text.size() == 1 || (byte_at(text, 1) >= 0xB0 && byte_at(text, 1) <= 0xBF);
}

// How much of `text` was written to `out`; less than all only where the end is cut and more may come.
std::size_t repair(std::string_view text, bool more_may_come, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto rest = text.substr(at);
    const auto one = first_of(rest);
    const auto behind = rest.substr(one.bytes);
    const bool high = one.what == sequence::kind::half && is_high_half(one.code);
    const auto next = high && !behind.empty() ? first_of(behind) : sequence{};
    if (high && next.what == sequence::kind::half && is_low_half(next.code)) {
      append_joined(out, one.code, next.code);
      at += one.bytes + next.bytes;
      continue;
    }
    const bool unfinished = one.what == sequence::kind::cut || (high && may_begin_low_half(behind));
    if (unfinished && more_may_come) return at;
    out += one.what == sequence::kind::character ? rest.substr(0, one.bytes) : replacement;
    at += one.bytes;
  }
  return at;
}

}  // namespace

std::string utf8_repair::take(std::string_view piece) {
  held_ += piece;
  std::string out;
  out.reserve(held_.size());
  held_.erase(0, repair(held_, true, out));
  return out;
}

std::string utf8_repair::rest() {
  std::string out;
  repair(std::exchange(held_, {}), false, out);
  return out;
}

std::string repaired_utf8(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto one = first_of(std::string_view(text).substr(at));
    at += one.bytes;
    if (one.what == sequence::kind::character) continue;
    std::string out;
    repair(text, false, out);
    return out;
  }
  return text;
}

void append_half(std::string& out, std::uint32_t half) {
  out += static_cast<char>(0xED);
  out += static_cast<char>(0x80U | ((half >> 6U) & 0x3FU));
  out += static_cast<char>(0x80U | (half & 0x3FU));
}

}  // namespace parley::protocol
