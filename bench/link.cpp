#include "bench/link.hpp"

#include "bench/process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace parley::bench {
namespace {

constexpr const char* client_address = "10.77.0.2";
constexpr const char* device = "veth0";  // at both ends
// Larger than a frame of the MTU, small against what is measured; a longer queue would be the link's delay, not the
// server's.
constexpr const char* burst = "8kb";
constexpr const char* queue = "100ms";

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

int own_namespace() {
  const int fd = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_errno("/proc/thread-self/ns/net");
  return fd;
}

int new_namespace() {
  if (::unshare(CLONE_NEWNET) != 0) throw_errno("a network namespace (needs root)");
  return own_namespace();
}

void enter(int name_space) {
  if (::setns(name_space, CLONE_NEWNET) != 0) throw_errno("setns");
}

void bring_up(const char* address) {
  run_command({"ip", "addr", "add", std::string(address) + "/24", "dev", device});
  run_command({"ip", "link", "set", "dev", device, "mtu", "1500", "up"});
}

void limit(const std::string& rate) {
  run_command({"tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", rate, "burst", burst, "latency", queue});
}

}  // namespace

slow_link::slow_link() {
  try {
    home_ = own_namespace();
    server_end_ = new_namespace();
    client_end_ = new_namespace();
    connect_ends();
  } catch (...) {
    leave();
    throw;
  }
}

slow_link::~slow_link() { leave(); }

void slow_link::connect_ends() {
  const auto there = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(server_end_);
  run_command({"ip", "link", "add", device, "type", "veth", "peer", "name", device, "netns", there});
  bring_up(client_address);
  at_server([] { bring_up(server_address); });
}

void slow_link::set_rate(double megabits_per_second) {
  const auto rate = std::to_string(static_cast<int>(megabits_per_second * 1000)) + "kbit";
  limit(rate);
  at_server([&] { limit(rate); });
}

void slow_link::at_server(const std::function<void()>& work) {
  enter(server_end_);
  try {
    work();
  } catch (...) {
    enter(client_end_);
    throw;
  }
  enter(client_end_);
}

void slow_link::leave() noexcept {
  if (home_ >= 0) ::setns(home_, CLONE_NEWNET);
  for (const int fd : {home_, server_end_, client_end_}) {
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace parley::bench
