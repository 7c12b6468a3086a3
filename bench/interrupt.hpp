// What still arrives after a cancel, over a slow link: a server sends an answer as fast as it is let, the client reads
// as fast as the link allows and interrupts it after some seconds. Audio that arrives after the cancel was sent is
// stale: a listener who does not throw it away himself hears it. Three servers: parley that paces (sends no more than
// delivery.pace_ahead_ms ahead of what is played), parley that does not, and a raw Beast sender with sockets as the
// kernel makes them, which answers the cancel at once but can not take back what the kernel has.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace parley::bench {

struct interrupt_options {
  std::string parley;
  std::string baseline;
  std::vector<double> megabits_per_second{10, 2, 0.7};
  std::size_t rounds = 3;
  std::chrono::milliseconds before_cancel{3000};
};

// Prints every round, then the medians. Needs root. Throws when a server can not be started or fails.
void run_interrupt(const interrupt_options& options, std::ostream& out);

}  // namespace parley::bench
