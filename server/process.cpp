#include "server/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace parley::server {

namespace {

#ifdef __GLIBC__
// From this size on a block is a mapping of its own: above an audio delta (13 KiB) and the buffers that a socket keeps
// (64 KiB), below what a large message takes.
constexpr int mmap_threshold_bytes = 256 * 1024;
// Free memory at the end of a heap that is kept: what some dozens of sessions take and give back all the time.
constexpr int trim_threshold_bytes = 1024 * 1024;

bool operator_decides() {
  constexpr std::array names{"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"};
  return std::any_of(names.begin(), names.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}
#endif

}  // namespace

void prepare_process() {
  ignore_broken_pipes();
  keep_standard_streams();
  tame_allocator();
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one: those below are open by now.
    static_cast<void>(::open("/dev/null", O_RDWR));
  }
}

void tame_allocator() {
#ifdef __GLIBC__
  if (operator_decides()) return;
  mallopt(M_MMAP_THRESHOLD, mmap_threshold_bytes);
  mallopt(M_TRIM_THRESHOLD, trim_threshold_bytes);
#endif
}

}  // namespace parley::server
