#include "protocol/quote.hpp"

#include "protocol/utf8.hpp"

#include <algorithm>

namespace parley::protocol {
namespace {

constexpr bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string shortened(std::string_view text, std::size_t longest_bytes) {
  if (text.size() <= longest_bytes) return std::string{text};
  return std::string{whole_characters(text, longest_bytes)} + "...";
}

std::string quoted(std::string_view text) { return "'" + shortened(text) + "'"; }

std::size_t character_count(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

}  // namespace parley::protocol
