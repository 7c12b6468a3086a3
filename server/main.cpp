// The parley program: configuration, models, server. The only file of the server that names adapters.
#include "adapters/factory.hpp"
#include "config/load.hpp"
#include "server/process.hpp"
#include "server/program.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int run(int argc, char** argv) {
  const auto loaded = parley::config::load(argc, argv, variable);
  if (loaded.print_and_exit) {
    std::cout << *loaded.print_and_exit << '\n';
    return 0;
  }
  for (const auto& one : loaded.mistakes) std::cerr << parley::config::to_string(one) << '\n';
  if (!loaded.mistakes.empty()) return 1;
  if (loaded.check_only) return 0;
  return parley::server::serve(loaded.value, parley::adapters::make_models(loaded.value),
                               {.make_detector = parley::adapters::make_detector_factory(),
                                .make_reducer = parley::adapters::make_reducer_factory(),
                                .make_converter = parley::adapters::make_sample_converter_factory()});
}

}  // namespace

int main(int argc, char** argv) {
  parley::server::prepare_process();
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << "parley: " << failure.what() << '\n';
    return 1;
  }
}
