#include "adapters/step_timer.hpp"

#include <utility>

namespace parley::adapters {

step_timer::step_timer() : thread_([this] { run(); }) {}

step_timer::~step_timer() {
  {
    const std::lock_guard lock(m_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void step_timer::schedule(time_point due, std::function<void()> step) {
  {
    const std::lock_guard lock(m_);
    steps_.push({due, next_number_++, std::move(step)});
  }
  changed_.notify_all();
}

void step_timer::run() {
  std::unique_lock lock(m_);
  while (!stopping_) {
    if (steps_.empty()) {
      changed_.wait(lock);
    } else if (const auto due = steps_.top().due; due > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, due);
    } else {
      std::function<void()> step = steps_.top().step;  // top() is const: a copy
      steps_.pop();
      lock.unlock();
      step();
      step = nullptr;  // what it holds is released outside the lock
      lock.lock();
    }
  }
}

}  // namespace parley::adapters
