// What a session holds in the server's memory: while idle, and after one append and its answer.
#pragma once

#include "bench/client.hpp"

#include <sys/types.h>

#include <cstddef>

namespace parley::bench {

struct idle_options {
  server_url to;
  std::size_t connections = 1000;
  pid_t server = 0;
  bool converses = true;
};

// Resident memory above that of the server without sessions, per session.
struct idle_result {
  double idle_kib = 0;
  double after_append_kib = 0;
};

// Throws as run_load().
[[nodiscard]] idle_result run_idle(const idle_options& options);

}  // namespace parley::bench
