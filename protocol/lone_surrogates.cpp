#include "protocol/lone_surrogates.hpp"

#include "protocol/decode.hpp"

#include <charconv>

namespace parley::protocol {
namespace {

constexpr std::size_t escape_size = 6;  // \uXXXX
constexpr std::string_view replacement = "\\ufffd";

// The code unit of the escape that begins at `at`, if it is one of that form.
std::optional<unsigned> unit_at(std::string_view json, std::size_t at) {
  if (json.size() < at + escape_size || json[at] != '\\' || json[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  const char* const end = json.data() + at + escape_size;
  if (std::from_chars(json.data() + at + 2, end, unit, 16).ptr != end) return std::nullopt;
  return unit;
}

bool is_high(std::optional<unsigned> unit) { return unit && *unit >= 0xd800 && *unit < 0xdc00; }
bool is_low(std::optional<unsigned> unit) { return unit && *unit >= 0xdc00 && *unit < 0xe000; }

// Bytes of the escape at `at`, a pair being one; `lone` when it is half of one.
std::size_t escape_at(std::string_view json, std::size_t at, bool& lone) {
  const auto unit = unit_at(json, at);
  if (!unit) return 2;
  if (is_high(unit) && is_low(unit_at(json, at + escape_size))) return 2 * escape_size;
  lone = is_high(unit) || is_low(unit);
  return escape_size;
}

}  // namespace

// A backslash outside of a string is no JSON: what is made of it then does not parse either.
std::optional<mended_json> mend_lone_surrogates(std::string_view json) {
  std::optional<mended_json> mended;
  bool in_string = false;
  std::size_t begun = 0;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\') {
      if (json[at] == '"') begun += (in_string = !in_string) ? 1 : 0;
      ++at;
      continue;
    }
    bool lone = false;
    const std::size_t size = escape_at(json, at, lone);
    if (lone) {
      if (!mended) {
        mended = mended_json{std::string{json} + std::string(frame_padding_bytes, ' '), json.size(), begun - 1};
      }
      mended->text.replace(at, escape_size, replacement);
    }
    at += size;
  }
  return mended;
}

}  // namespace parley::protocol
