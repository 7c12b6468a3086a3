// Where the program's log goes: a bounded number of lines a second, each of a bounded length, through a line_pump.
// Nobody who makes the server log can fill a disk, and nobody who does not read the log can stop the server. Warnings
// and errors have a budget of their own: a flood of other lines does not hide them. What was left out is said in the
// next line that is not. The clock is the time of the messages.
#pragma once

#include "server/line_budget.hpp"
#include "server/line_pump.hpp"

#include <spdlog/sinks/base_sink.h>

#include <mutex>

namespace parley::server {

class log_sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // Lines a second, and at once: ten times what a server of a thousand sessions says.
  static constexpr int lines_per_second = 200, lines_at_once = 1000;
  static constexpr int warnings_per_second = 20, warnings_at_once = 100;
  // A longer line is cut.
  static constexpr std::size_t longest_line_bytes = 2048;

  explicit log_sink(int descriptor) : pump_(descriptor) {}

 private:
  using budget = line_budget<spdlog::log_clock::time_point>;

  void sink_it_(const spdlog::details::log_msg& message) override;
  // Waiting for a reader would stop the thread that logs.
  void flush_() override {}
  void write(const spdlog::details::log_msg& message);

  // Guarded by the base's mutex.
  budget lines_{lines_at_once, lines_per_second};
  budget warnings_{warnings_at_once, warnings_per_second};
  line_pump pump_;
  // Thread safety: all members from any thread.
};

}  // namespace parley::server
