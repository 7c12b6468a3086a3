// parley against the raw relay, in interleaved rounds: the machine drifts by 20-40 %, so only the ratio of two runs
// that follow each other counts. Each run starts its own server and stops it.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace parley::bench {

struct compare_options {
  std::string baseline;  // programs
  std::string parley;
  std::string config = "bench/echo.yaml";  // of parley: defines `model` in mode echo
  std::string model = "scripted-echo";
  std::size_t rounds = 5;
  std::size_t closed_connections = 64;
  std::vector<std::size_t> paced_sessions{2000};  // 5 appends a second each
  std::chrono::milliseconds warmup{1000};
  std::chrono::milliseconds measured{5000};
  bool pinned = true;  // server on core 0, callers on core 1
  bool fifo = false;
};

// Writes a row per run as it is done, then a summary per regime. Throws when a server or a run fails.
void run_compare(const compare_options& options, std::ostream& out);

}  // namespace parley::bench
