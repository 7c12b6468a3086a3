// Command line, YAML file and environment -> configuration. Order: defaults, file, PARLEY_* environment, flags,
// validation. Every mistake is found in one pass and reported with file, line and key path.
#pragma once

#include "config/config.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parley::config {

// One mistake, ready to print: `file:line: key.path: what is wrong`, without the line where there is none (flags).
struct mistake {
  std::string file;  // or "--set", "--listen" ...
  int line = 0;
  std::string key;
  std::string text;
};
[[nodiscard]] std::string to_string(const mistake& one);

struct loaded {
  config value;
  std::vector<mistake> mistakes;              // not empty: do not start
  bool check_only = false;                    // --check
  std::optional<std::string> print_and_exit;  // --help or --version: this text, exit code 0
};

// `environment` looks a variable up; passed in so that tests need no process environment.
using environment = std::function<std::optional<std::string>(const std::string& name)>;

[[nodiscard]] loaded load(int argc, const char* const* argv, const environment& env);

}  // namespace parley::config
