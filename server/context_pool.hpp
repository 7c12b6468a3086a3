// The I/O threads: one io_context each, run by exactly one thread. Lifecycle: run() starts the threads; release() lets
// each end once its work has ended; join() waits for that. Contexts are never stopped, so no handler is lost.
#pragma once

#include "server/executor.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace parley::server {

class context_pool {
 public:
  // 0 = one thread a core.
  explicit context_pool(int threads);
  ~context_pool();
  context_pool(const context_pool&) = delete;
  context_pool& operator=(const context_pool&) = delete;

  void run();
  void release();
  void join();

  // Round robin.
  [[nodiscard]] asio::io_context& next();
  // Where the listener and the shutdown live.
  [[nodiscard]] asio::io_context& first() { return *contexts_.front(); }
  [[nodiscard]] std::size_t size() const noexcept { return contexts_.size(); }

 private:
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<asio::executor_work_guard<executor>> work_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> next_ = 0;
  // Thread safety: next() from any thread; the rest from the thread that owns the pool.
};

}  // namespace parley::server
