#include "tests/seen_events.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace parley::tests {

bool notes_events() { return std::getenv("PARLEY_EVENTS_DIR") != nullptr; }

void note_event(std::string_view dialect, std::string_view json) {
  const char* folder = std::getenv("PARLEY_EVENTS_DIR");
  if (!folder) return;
  const std::string file =
      std::string(folder) + "/" + std::to_string(::getpid()) + "-" + std::string(dialect) + ".jsonl";
  std::ofstream(file, std::ios::app) << std::string(json) + "\n";
}

}  // namespace parley::tests
