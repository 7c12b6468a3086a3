#include "server/log_text.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace parley::server {

namespace {

using code_point = std::uint32_t;
constexpr code_point replacement = 0xfffd;

struct character {
  std::optional<code_point> code{};  // empty: no UTF-8
  std::size_t bytes = 1;
};

struct lead {
  std::size_t bytes;
  code_point bits;
  code_point smallest;  // anything below has a shorter form
};

std::optional<lead> lead_of(unsigned char first) {
  if (first < 0x80) return lead{1, first, 0};
  if ((first & 0xe0) == 0xc0) return lead{2, first & 0x1fU, 0x80};
  if ((first & 0xf0) == 0xe0) return lead{3, first & 0x0fU, 0x800};
  if ((first & 0xf8) == 0xf0) return lead{4, first & 0x07U, 0x10000};
  return std::nullopt;
}

// The character that `text` begins with; a broken one is one byte long. REQUIRES: text is not empty.
character first_of(std::string_view text) {
  const auto begin = lead_of(static_cast<unsigned char>(text.front()));
  if (!begin || begin->bytes > text.size()) return {};
  auto code = begin->bits;
  for (std::size_t i = 1; i < begin->bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    code = code << 6 | (byte & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < begin->smallest || code > 0x10ffff || surrogate) return {};
  return {code, begin->bytes};
}

struct range {
  code_point first, last;
};

// What shows nothing of itself, or changes how its neighbours are shown.
constexpr std::array<range, 13> unshown{{
    {0x00, 0x1f},        // C0
    {0x7f, 0x9f},        // delete, C1
    {0xad, 0xad},        // soft hyphen
    {0x61c, 0x61c},      // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200f},    // zero width, marks of direction
    {0x2028, 0x202e},    // separators, embeddings and overrides
    {0x2060, 0x206f},    // joiners, isolates
    {0xfe00, 0xfe0f},    // variation selectors
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xfffe, 0xffff},    // no characters
    {0xe0000, 0xe0fff},  // tags, more variation selectors
}};

bool is_shown(code_point code) {
  for (const auto& one : unshown) {
    if (code >= one.first && code <= one.last) return false;
  }
  return (code & 0xfffe) != 0xfffe;
}

void put_unit(std::string& out, code_point unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[unit >> shift & 0xf];
}

void put_escaped(std::string& out, code_point code) {
  if (code < 0x10000) return put_unit(out, code);
  const auto rest = code - 0x10000;
  put_unit(out, 0xd800 + (rest >> 10));
  put_unit(out, 0xdc00 + (rest & 0x3ff));
}

void put(std::string& out, const character& one, std::string_view as_said) {
  const auto code = one.code.value_or(replacement);
  if (!one.code || !is_shown(code)) return put_escaped(out, code);
  if (code == '"' || code == '\\') out += '\\';
  out += as_said;
}

}  // namespace

std::string for_log(std::string_view said, std::size_t longest_bytes) {
  std::string out;
  for (std::size_t at = 0; at < said.size();) {
    const auto one = first_of(said.substr(at));
    if (at + one.bytes > longest_bytes) break;
    put(out, one, said.substr(at, one.bytes));
    at += one.bytes;
  }
  return out;
}

}  // namespace parley::server
