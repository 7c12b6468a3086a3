#include "server/request_target.hpp"

#include <algorithm>

namespace parley::server {

namespace {

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// `plus_is_space`: the rule of query strings, not of paths.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    out.push_back(c);
  }
  return out;
}

bool add_member(std::string_view member, request_target& to) {
  const auto equals = std::min(member.find('='), member.size());
  auto name = decoded(member.substr(0, equals), true);
  auto value = decoded(member.substr(std::min(equals + 1, member.size())), true);
  if (!name || !value) return false;
  to.query.emplace_back(std::move(*name), std::move(*value));
  return true;
}

}  // namespace

std::optional<std::string_view> request_target::find(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(), [&](const auto& member) { return member.first == name; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

std::optional<request_target> parse_target(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const auto mark = std::min(target.find('?'), target.size());
  auto path = decoded(target.substr(0, mark), false);
  if (!path) return std::nullopt;
  request_target out{.path = std::move(*path), .query = {}};
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    if (end > 0 && !add_member(rest.substr(0, end), out)) return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace parley::server
