#include "config/load.hpp"

#include "config/builtin.hpp"
#include "config/command_line.hpp"
#include "config/read.hpp"
#include "config/validate.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace parley::config {
namespace {

void read_file(const std::string& path, reading& into) {
  std::error_code none;
  std::ifstream file{path, std::ios::binary};
  if (!file || std::filesystem::is_directory(path, none)) {
    into.mistakes.push_back({"--config", 0, path, "can not be read"});
    return;
  }
  std::ostringstream text;
  text << file.rdbuf();
  read_yaml(text.str(), path, into);
}

// "a, b" -> {"a", "b"}; blanks around a key are no part of it.
std::vector<std::string> split_keys(const std::string& text) {
  std::vector<std::string> keys;
  std::istringstream in{text};
  for (std::string one; std::getline(in, one, ',');) {
    const auto first = one.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) continue;
    keys.push_back(one.substr(first, one.find_last_not_of(" \t\r\n") - first + 1));
  }
  return keys;
}

// A variable that was meant to close the door must not leave it open.
void read_keys(const environment& env, reading& into) {
  const auto text = env("PARLEY_API_KEYS");
  if (!text) return;
  into.value.auth.env_keys = split_keys(*text);
  if (!into.value.auth.env_keys.empty()) return;
  into.mistakes.push_back(
      {"PARLEY_API_KEYS", 0, "", "is set and holds no key (comma separated): give one or unset it"});
}

void apply_flags(const command_line& flags, reading& into) {
  for (const auto& setting : flags.settings) read_setting(setting, into);
  if (flags.listen) {
    into.value.server.listen = *flags.listen;
    into.origins["server.listen"] = {"--listen"};
  }
  if (flags.model) {
    into.value.default_model = *flags.model;
    into.origins["default_model"] = {"--model"};
  }
}

std::optional<std::string> text_to_print(const command_line& flags) {
  if (flags.help) return flags.help;
  if (flags.version) return "parley " + std::string{program_version()};
  return std::nullopt;
}

}  // namespace

std::string to_string(const mistake& one) {
  std::string text = one.file;
  if (one.line > 0) text += ":" + std::to_string(one.line);
  for (const auto& part : {one.key, one.text}) {
    if (!part.empty()) text += (text.empty() ? "" : ": ") + part;
  }
  return text;
}

loaded load(int argc, const char* const* argv, const environment& env) {
  const auto flags = parse_command_line(argc, argv);
  loaded result;
  result.print_and_exit = text_to_print(flags);
  if (result.print_and_exit) return result;
  reading all;
  all.mistakes = flags.mistakes;
  read_yaml(std::string{builtin_yaml()}, "built-in default.yaml", all);
  if (flags.file) read_file(*flags.file, all);
  read_keys(env, all);
  apply_flags(flags, all);
  validate(all, env);
  result.value = std::move(all.value);
  result.mistakes = std::move(all.mistakes);
  result.check_only = flags.check;
  return result;
}

}  // namespace parley::config
