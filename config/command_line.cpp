#include "config/command_line.hpp"

#include <CLI/CLI.hpp>

namespace parley::config {
namespace {

const char* const description =
    "parley: realtime WebSocket server for voice conversations.\n"
    "Order: built-in defaults, --config FILE, PARLEY_API_KEYS, --set, then --listen and --model.";

}  // namespace

command_line parse_command_line(int argc, const char* const* argv) {
  command_line read;
  CLI::App app{description, "parley"};
  app.allow_extras();  // so that every unknown word is reported, not the first only
  app.add_option("--config", read.file, "YAML file; config/default.yaml documents every key")->type_name("FILE");
  app.add_option("--listen", read.listen, "server.listen; port 0 takes any free one")->type_name("HOST:PORT");
  app.add_option("--model", read.model, "default_model")->type_name("NAME");
  app.add_option("--set", read.settings, "one key, as often as you like: --set limits.max_sessions=10")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("--check", read.check, "check the configuration and exit");
  app.add_flag("--version", read.version, "print the version and exit");
  try {
    app.parse(argc, argv);
    for (const auto& word : app.remaining()) read.mistakes.push_back({"command line", 0, word, "unknown flag"});
  } catch (const CLI::CallForHelp&) {
    read.help = app.help();
  } catch (const CLI::ParseError& error) {
    read.mistakes.push_back({"command line", 0, "", error.what()});
  }
  return read;
}

}  // namespace parley::config
