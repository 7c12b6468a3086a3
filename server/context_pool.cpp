#include "server/context_pool.hpp"

#include <algorithm>

namespace parley::server {

context_pool::context_pool(int threads) {
  const auto count = threads > 0 ? static_cast<unsigned>(threads) : std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) {
    // The hint 1: one thread runs it, so the scheduler may skip wakeups between its own threads.
    contexts_.push_back(std::make_unique<asio::io_context>(1));
    work_.emplace_back(asio::make_work_guard(*contexts_.back()));
  }
}

context_pool::~context_pool() {
  release();
  join();
}

void context_pool::run() {
  for (auto& context : contexts_) threads_.emplace_back([&io = *context] { io.run(); });
}

void context_pool::release() { work_.clear(); }

void context_pool::join() {
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

asio::io_context& context_pool::next() { return *contexts_[next_++ % contexts_.size()]; }

}  // namespace parley::server
