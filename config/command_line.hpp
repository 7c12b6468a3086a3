// The flags, read but not yet applied. CLI11 stays behind it.
#pragma once

#include "config/load.hpp"

#include <optional>
#include <string>
#include <vector>

namespace parley::config {

struct command_line {
  std::optional<std::string> file;    // --config
  std::optional<std::string> listen;  // --listen
  std::optional<std::string> model;   // --model
  std::vector<std::string> settings;  // --set, in order
  bool check = false;                 // --check
  bool version = false;               // --version
  std::optional<std::string> help;    // --help: its text
  std::vector<mistake> mistakes;
};

[[nodiscard]] command_line parse_command_line(int argc, const char* const* argv);

}  // namespace parley::config
