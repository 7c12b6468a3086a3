// The path and the query of a request target, percent-decoded. The target may be in absolute form
// (`GET http://HOST/PATH`, RFC 9112, 3.2.2): then its host is the one that counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::server {

struct request_target {
  std::string authority{};  // of the absolute form, else empty
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;

  // The first value of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  // Two of that name say different things.
  [[nodiscard]] bool contradicts_itself(std::string_view name) const;
};

// Empty when it is neither a path nor absolute, when a percent escape is broken, or when what it stands for is no UTF-8
// or holds a control character.
[[nodiscard]] std::optional<request_target> parse_target(std::string_view target);

}  // namespace parley::server
