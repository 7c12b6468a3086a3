// config/default.yaml as it was when the program was built, and the program's version. Made by CMake from
// builtin.cpp.in.
#pragma once

#include <string_view>

namespace parley::config {

[[nodiscard]] std::string_view builtin_yaml();
[[nodiscard]] std::string_view program_version();

}  // namespace parley::config
