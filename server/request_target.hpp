// The path and the query of a request target, percent-decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::server {

struct request_target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;

  // The first value of that name.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
};

// Empty when a percent escape is broken or decodes to a control character.
[[nodiscard]] std::optional<request_target> parse_target(std::string_view target);

}  // namespace parley::server
