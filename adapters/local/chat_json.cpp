#include "adapters/local/chat_json.hpp"

#include "protocol/utf8_repair.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace parley::adapters::local {
namespace {

constexpr std::size_t escape_length = 6;  // \uXXXX

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The code of the escape \uXXXX that `text` begins with; 0 for anything else.
std::uint32_t escaped_code(std::string_view text) {
  if (text.size() < escape_length || !text.starts_with("\\u")) return 0;
  std::uint32_t code = 0;
  const char* const end = text.data() + escape_length;
  return std::from_chars(text.data() + 2, end, code, 16).ptr == end ? code : 0;
}

// Escapes of halves that stand alone become the halves themselves; pairs and all else stay as they are.
std::string with_bare_halves(std::string_view json) {
  using namespace protocol;
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const auto plain = json.substr(0, json.find('\\'));
    out += plain;
    json.remove_prefix(plain.size());
    const auto code = escaped_code(json);
    const bool pair = is_high_half(code) && is_low_half(escaped_code(json.substr(escape_length)));
    const bool alone = !pair && (is_high_half(code) || is_low_half(code));
    const std::size_t length = pair ? 2 * escape_length : code != 0 ? escape_length : 2;
    if (alone) append_half(out, code);
    if (!alone) out += json.substr(0, length);
    json.remove_prefix(std::min(length, json.size()));
  }
  return out;
}

}  // namespace

std::optional<boost::json::value> read_chat_json(std::string_view text) {
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;
  boost::json::error_code failure;
  auto document = boost::json::parse(with_bare_halves(trimmed(text)), failure, {}, options);
  return failure ? std::nullopt : std::optional(std::move(document));
}

}  // namespace parley::adapters::local
