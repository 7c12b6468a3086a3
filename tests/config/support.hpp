// Loads a configuration from text as if it were a file, with flags and environment of the test's own.
#pragma once

#include "config/load.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parley::config::test {

// A file that is gone with the object.
class temporary_file {
 public:
  explicit temporary_file(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "parley_config_XXXXXX").string();
    const int handle = ::mkstemp(pattern.data());
    if (handle >= 0) ::close(handle);
    path_ = pattern;
    std::ofstream{path_} << text;
  }
  ~temporary_file() { std::filesystem::remove(path_); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

using variables = std::map<std::string, std::string>;

inline loaded load_flags(std::vector<std::string> flags, const variables& env = {}) {
  flags.insert(flags.begin(), "parley");
  std::vector<const char*> argv;
  for (const auto& flag : flags) argv.push_back(flag.c_str());
  return load(static_cast<int>(argv.size()), argv.data(), [&env](const std::string& name) {
    const auto found = env.find(name);
    return found == env.end() ? std::nullopt : std::optional{found->second};
  });
}

inline loaded load_text(const std::string& yaml, std::vector<std::string> flags = {}, const variables& env = {}) {
  const temporary_file file{yaml};
  flags.insert(flags.begin(), {"--config", file.path()});
  auto result = load_flags(flags, env);
  for (auto& one : result.mistakes) {
    if (one.file == file.path()) one.file = "FILE";
  }
  return result;
}

// "line key" of every mistake, or "file key" where there is no line.
inline std::vector<std::string> places(const loaded& of) {
  std::vector<std::string> all;
  for (const auto& one : of.mistakes) {
    all.push_back((one.line > 0 ? std::to_string(one.line) : one.file) + " " + one.key);
  }
  return all;
}

using text_list = std::vector<std::string>;

}  // namespace parley::config::test
