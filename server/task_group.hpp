// Every coroutine of the server that no other coroutine awaits. Nothing is detached: a task is registered with its
// executor and a cancellation slot, and its exception is logged and counted. A task keeps its io_context running, so
// joining the threads waits for the tasks. Lifecycle: outlives its tasks; close(), cancel(), join the threads.
#pragma once

#include "server/executor.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <spdlog/logger.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace parley::server {

class task_group {
 public:
  explicit task_group(std::shared_ptr<spdlog::logger> log) : log_(std::move(log)) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // Runs the task on `home`; destroys it unstarted when the group is closed. `name` is for the log, a literal.
  void spawn(executor home, task<void> work, const char* name);
  void close();
  // Terminal cancellation of every task, each on its executor.
  void cancel();
  // Calls `empty` once, when no task is left: at once, or from the thread of the last one. REQUIRES: closed.
  void when_empty(std::function<void()> empty);
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

 private:
  struct entry {
    executor home;
    std::shared_ptr<asio::cancellation_signal> signal;
  };
  using position = std::list<entry>::iterator;
  void finished(position at, const char* name, std::exception_ptr failure);

  // Thread-safe by itself.
  const std::shared_ptr<spdlog::logger> log_;
  std::atomic<std::uint64_t> failures_ = 0;
  // Guarded by m_.
  std::mutex m_;
  std::list<entry> entries_;
  bool closed_ = false;
  std::function<void()> empty_;
  // Thread safety: all members from any thread.
};

}  // namespace parley::server
