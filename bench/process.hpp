// The server under test as a process: started, asked for its CPU time and memory, stopped by its own pid.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parley::bench {

// Where a process runs, so that two runs can be compared.
struct placement {
  std::optional<int> core{};  // the only core it may use
  bool fifo = false;          // SCHED_FIFO: other work of the machine does not interrupt it (needs root)
};

// Of a process: user and system time of all its threads / resident memory. Throws when there is no such process.
[[nodiscard]] double cpu_seconds(pid_t pid);
[[nodiscard]] std::size_t resident_bytes(pid_t pid);
[[nodiscard]] std::size_t open_descriptors(pid_t pid);
[[nodiscard]] std::size_t thread_count(pid_t pid);

// For the calling process and the children it starts later.
void raise_file_limit();
void place(const placement& where);

// Runs a program of the PATH to its end; throws when it can not be started or fails.
void run_command(const std::vector<std::string>& words);
// A program in the folder of this one.
[[nodiscard]] std::string beside_this_program(const std::string& name);

// Lifecycle: the constructor waits for the line `listening on URL` on the program's standard output and throws without
// it; the destructor sends SIGTERM, waits, and kills what does not end.
class server_process {
 public:
  server_process(const std::vector<std::string>& command, const placement& where);
  ~server_process();
  server_process(const server_process&) = delete;
  server_process& operator=(const server_process&) = delete;

  // Stops it now. Its exit code; that of a signal is negative.
  int end() noexcept;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] const std::string& url() const noexcept { return url_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;  // read end of its standard output
  std::string url_;
  // Thread safety: none.
};

}  // namespace parley::bench
