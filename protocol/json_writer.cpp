#include "protocol/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace parley::protocol {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// What stands behind the backslash: 0 = the byte needs none, 'u' = it is written as \u00XX.
constexpr std::array<char, 256> escape_table = [] {
  std::array<char, 256> escapes{};
  for (std::size_t control = 0; control < 0x20; ++control) escapes[control] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

void append_escaped(std::string& out, unsigned char byte, char escape) {
  out += '\\';
  out += escape;
  if (escape != 'u') return;
  out += "00";
  out += hex_digits[byte >> 4];
  out += hex_digits[byte & 0x0f];
}

}  // namespace

void json_writer::comma() {
  if (out_.empty()) return;
  const char last = out_.back();
  if (last != '{' && last != '[' && last != ':') out_ += ',';
}

void json_writer::open(char bracket) {
  comma();
  out_ += bracket;
}

void json_writer::word(std::string_view text) {
  comma();
  out_ += text;
}

void json_writer::key(std::string_view name) {
  comma();
  out_ += '"';
  out_ += name;
  out_ += "\":";
}

// Runs that need no escape are appended whole.
void json_writer::value(std::string_view text) {
  comma();
  out_ += '"';
  std::size_t run = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const char escape = escape_table[byte];
    if (escape == 0) continue;
    out_ += text.substr(run, at - run);
    append_escaped(out_, byte, escape);
    run = at + 1;
  }
  out_ += text.substr(run);
  out_ += '"';
}

void json_writer::value(double number) {
  if (!std::isfinite(number)) return value(nullptr);
  std::array<char, 32> digits;  // the longest double has 24 characters
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  word({digits.data(), end});
}

void json_writer::integer(std::int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  word({digits.data(), end});
}

}  // namespace parley::protocol
