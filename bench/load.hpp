// Many simulated callers on one thread, and what their answers cost the server: CPU from its process clock, latency
// from the time at which the append was due. Two regimes, never mixed: `closed` keeps one append in flight per caller
// (the server is saturated), `paced` sends every 200 ms per caller, evenly spread (every append wakes the server).
#pragma once

#include "bench/client.hpp"
#include "bench/histogram.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace parley::bench {

enum class regime : std::uint8_t { closed, paced };

struct load_options {
  server_url to;
  bench::regime regime = bench::regime::closed;
  std::size_t connections = 64;
  std::chrono::milliseconds warmup{1000};  // not measured: caches, allocator, the first release of the playing clock
  std::chrono::milliseconds measured{5000};
  pid_t server = 0;
  bool converses = true;  // session.update and response.create first; not for the raw relay
};

struct load_result {
  std::uint64_t answers = 0;
  double seconds = 0;
  double cpu_us_per_answer = 0;
  double cores = 0;  // of the server
  latency_histogram latency;
};

// Throws when a caller's connection fails or the server answers with an error.
[[nodiscard]] load_result run_load(const load_options& options);

}  // namespace parley::bench
