#include "bench/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

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

std::size_t entries_of(pid_t pid, const char* name) {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/" + name);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

bool readable(int fd, int timeout_ms) noexcept {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, timeout_ms) == 1;
}

// For exec; it points into `words`.
std::vector<char*> as_arguments(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
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

std::size_t open_descriptors(pid_t pid) { return entries_of(pid, "fd"); }

std::size_t thread_count(pid_t pid) { return entries_of(pid, "task"); }

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

void run_command(const std::vector<std::string>& words) {
  const auto arguments = as_arguments(words);
  const pid_t child = ::fork();
  if (child < 0) throw_errno("fork");
  if (child == 0) {
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw_errno("waitpid");
  if (status == 0) return;
  std::string text;
  for (const auto& word : words) text += word + " ";
  throw std::runtime_error("failed: " + text);
}

std::string beside_this_program(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

server_process::server_process(const std::vector<std::string>& command, const placement& where) {
  const auto arguments = as_arguments(command);
  if (::access(arguments[0], X_OK) != 0) throw_errno(arguments[0]);
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
    end();
    throw;
  }
}

server_process::~server_process() { end(); }

int server_process::end() noexcept {
  int status = 0;
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    // Its end closes the pipe.
    std::array<char, 256> rest;
    bool ended = false;
    while (!ended && readable(output_, stop_timeout_ms)) ended = ::read(output_, rest.data(), rest.size()) <= 0;
    if (!ended) ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), &status, 0);
  }
  if (output_ >= 0) ::close(std::exchange(output_, -1));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace parley::bench
