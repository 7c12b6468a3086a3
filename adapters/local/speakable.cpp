#include "adapters/local/speakable.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

namespace parley::adapters::local {
namespace {

struct character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

// REQUIRES: text is not empty. Wrong UTF-8 gives code 0 and one byte.
character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (next & 0x3FU);
  }
  return {code, bytes};
}

char spoken(std::uint32_t code) {
  constexpr std::string_view markup = "*_#`~|<>[]{}\\^=";
  if (code < 0x80) {
    const auto c = static_cast<char>(code);
    return markup.find(c) == std::string_view::npos && !std::iscntrl(static_cast<unsigned char>(c)) ? c : ' ';
  }
  constexpr std::string_view latin =
      "AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuyty";  // U+00C0..00FF
  if (code >= 0xC0 && code < 0x100) return latin[code - 0xC0];
  if (code == 0x2018 || code == 0x2019) return '\'';
  if (code >= 0x2013 && code <= 0x2015) return ',';  // a dash is a short pause
  if (code == 0x2026) return '.';
  return ' ';
}

}  // namespace

std::string speakable(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const auto next = first_character(utf8.substr(at));
    out += spoken(next.code);
    at += next.bytes;
  }
  const bool has_word = std::any_of(out.begin(), out.end(), [](unsigned char c) { return std::isalnum(c); });
  return has_word ? out : std::string();
}

}  // namespace parley::adapters::local
