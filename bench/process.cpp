#include "bench/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace parley::bench {
namespace {

constexpr int start_timeout_ms = 10'000;
constexpr int stop_timeout_ms = 15'000;  // longer than a drain

std::string read_proc(pid_t pid, const char* name) {
  const std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  if (!file) throw std::runtime_error("no process " + std::to_string(pid));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

bool readable(int fd, int timeout_ms) noexcept {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, timeout_ms) == 1;
}

// In the child: only calls that are safe after fork, then exec.
[[noreturn]] void become(char* const* arguments, int output, const placement& where) {
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  try {
    place(where);
    ::execv(arguments[0], arguments);
  } catch (...) {
  }
  ::_exit(127);
}

std::string read_url(int fd) {
  constexpr std::string_view before = "listening on ";
  std::string text;
  while (text.find('\n') == std::string::npos) {
    std::array<char, 256> part;
    const auto got = readable(fd, start_timeout_ms) ? ::read(fd, part.data(), part.size()) : 0;
    if (got <= 0) throw std::runtime_error("the server did not say where it listens; start it by hand to see why");
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  text.resize(text.find('\n'));
  if (!text.starts_with(before)) throw std::runtime_error("unexpected first line of the server: " + text);
  return text.substr(before.size());
}

}  // namespace

double cpu_seconds(pid_t pid) {
  const auto text = read_proc(pid, "stat");
  std::istringstream fields(text.substr(text.rfind(')') + 2));  // the name may hold blanks
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::size_t resident_bytes(pid_t pid) {
  std::istringstream fields(read_proc(pid, "statm"));
  std::size_t size_pages = 0;
  std::size_t resident_pages = 0;
  fields >> size_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) throw_errno("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) throw_errno("setrlimit");
}

void place(const placement& where) {
  if (where.core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(*where.core), &cores);
    if (::sched_setaffinity(0, sizeof cores, &cores) != 0) throw_errno("sched_setaffinity");
  }
  if (where.fifo) {
    sched_param priority{};
    priority.sched_priority = 1;
    if (::sched_setscheduler(0, SCHED_FIFO, &priority) != 0) throw_errno("sched_setscheduler");
  }
}

server_process::server_process(const std::vector<std::string>& command, const placement& where) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw_errno("pipe2");
  pid_ = ::fork();
  if (pid_ == 0) become(arguments.data(), pipe[1], where);
  ::close(pipe[1]);
  output_ = pipe[0];
  try {
    if (pid_ < 0) throw_errno("fork");
    url_ = read_url(output_);
  } catch (...) {
    stop();
    throw;
  }
}

server_process::~server_process() { stop(); }

void server_process::stop() noexcept {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    // Its end closes the pipe.
    std::array<char, 256> rest;
    bool ended = false;
    while (!ended && readable(output_, stop_timeout_ms)) ended = ::read(output_, rest.data(), rest.size()) <= 0;
    if (!ended) ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(output_);
}

}  // namespace parley::bench
