// Lines on their way to a file descriptor that somebody else may have stopped reading: standard error, standard output.
//
//   put() from any thread --> [ bounded text ] --> a thread of its own --poll, write--> descriptor
//
// put() never waits, whatever becomes of the reader: lines beyond the bound are dropped and counted, and the count is
// told when there is room again; once the reader has gone everything is dropped. Writes are whole lines of PIPE_BUF
// bytes at most where lines allow it, so that programs that share a pipe do not mix theirs. Lifecycle: the destructor
// writes what waits, for a second at most, and leaves a thread that hangs in a write to the end of the process.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace parley::server {

class line_pump {
 public:
  // Text that waits at most, in bytes: 10,000 lines.
  static constexpr std::size_t default_bound_bytes = 1024 * 1024;

  explicit line_pump(int descriptor, std::size_t bound_bytes = default_bound_bytes);
  ~line_pump();
  line_pump(const line_pump&) = delete;
  line_pump& operator=(const line_pump&) = delete;

  // REQUIRES: `line` ends with its newline.
  void put(std::string_view line);
  // False when the reader does not read, or not fast enough.
  bool wait_written(std::chrono::steady_clock::duration limit);

 private:
  struct state;
  static void run(const std::shared_ptr<state>& shared);

  const std::shared_ptr<state> state_;
  // Thread safety: all members from any thread.
};

}  // namespace parley::server
