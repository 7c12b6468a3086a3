#include "server/request_target.hpp"

#include "protocol/utf8.hpp"
#include "server/authority.hpp"
#include "server/http_message.hpp"

#include <algorithm>
#include <array>

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
    out.push_back(c);
  }
  // It is shown, logged and sent back.
  if (!protocol::is_utf8(out) || protocol::has_controls(out)) return std::nullopt;
  return out;
}

// Takes `SCHEME://HOST` off an absolute target and leaves its path. False when it is neither that nor a path.
bool take_authority(std::string_view& target, std::string& into) {
  if (target.starts_with('/')) return true;
  const auto mark = target.find("://");
  if (mark == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 4> schemes{"http", "https", "ws", "wss"};
  const auto is_scheme = [&](std::string_view one) { return equal_no_case(one, target.substr(0, mark)); };
  if (std::none_of(schemes.begin(), schemes.end(), is_scheme)) return false;
  target.remove_prefix(mark + 3);
  const auto end = std::min(target.find_first_of("/?"), target.size());
  into = target.substr(0, end);
  target.remove_prefix(end);
  return parse_authority(into).has_value();
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

bool request_target::contradicts_itself(std::string_view name) const {
  const auto first = find(name);
  return std::any_of(query.begin(), query.end(),
                     [&](const auto& member) { return member.first == name && member.second != first; });
}

std::optional<request_target> parse_target(std::string_view target) {
  target = target.substr(0, target.find('#'));
  request_target out{.path = {}, .query = {}};
  if (!take_authority(target, out.authority)) return std::nullopt;
  const auto mark = std::min(target.find('?'), target.size());
  auto path = mark == 0 ? std::optional<std::string>("/") : decoded(target.substr(0, mark), false);
  if (!path) return std::nullopt;
  out.path = *std::move(path);
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    if (end > 0 && !add_member(rest.substr(0, end), out)) return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace parley::server
