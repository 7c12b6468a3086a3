#include "protocol/utf8.hpp"

#include <simdjson.h>

namespace parley::protocol {

namespace {

bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

bool is_utf8(std::string_view text) noexcept { return simdjson::validate_utf8(text.data(), text.size()); }

std::string_view whole_characters(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  auto end = max_bytes;
  while (end > 0 && is_continuation(text[end])) --end;
  return text.substr(0, end);
}

bool has_controls(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7f) return true;
    // U+0080 to U+009F are C2 80 to C2 9F.
    if (byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0) return true;
  }
  return false;
}

}  // namespace parley::protocol
