#include "runtime/id_source.hpp"

#include <array>

namespace parley::runtime {

namespace {

void append_hex(std::string& out, std::uint64_t value, int digits) {
  constexpr std::string_view hex = "0123456789abcdef";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += hex[(value >> shift) & 0xF];
}

}  // namespace

std::string id_source::next(std::string_view prefix) {
  constexpr int seed_digits = 12, counter_digits = 8;
  std::string text;
  text.reserve(prefix.size() + seed_digits + counter_digits);
  text += prefix;
  append_hex(text, seed_, seed_digits);
  append_hex(text, ++counter_, counter_digits);
  return text;
}

}  // namespace parley::runtime
