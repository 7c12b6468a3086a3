#include "protocol/quote.hpp"

#include <algorithm>

namespace parley::protocol {
namespace {

constexpr bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string shortened(std::string_view text, std::size_t longest_bytes) {
  if (text.size() <= longest_bytes) return std::string{text};
  std::size_t end = longest_bytes;
  while (end > 0 && is_continuation(text[end])) --end;
  return std::string{text.substr(0, end)} + "...";
}

std::string quoted(std::string_view text) { return "'" + shortened(text) + "'"; }

std::size_t character_count(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

}  // namespace parley::protocol
