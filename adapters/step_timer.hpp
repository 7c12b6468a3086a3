// Runs small steps at their time on one thread: what lets an answer that is made up here come at the speed of a real
// one, without an event loop. One per model, shared by its sessions; steps of equal time run in the order they were
// scheduled. The destructor drops what is not due yet, waits for the step that runs, and joins the thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace parley::adapters {

// Thread safety: schedule() may be called from any thread, also from a running step. The destructor must not run on
// the timer's own thread.
class step_timer {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  step_timer();
  ~step_timer();
  step_timer(const step_timer&) = delete;
  step_timer& operator=(const step_timer&) = delete;

  // A step must be short and must not throw.
  void schedule(time_point due, std::function<void()> step);

 private:
  struct entry {
    time_point due;
    std::uint64_t number;
    std::function<void()> step;
  };
  struct later {
    bool operator()(const entry& a, const entry& b) const noexcept {
      return a.due != b.due ? a.due > b.due : a.number > b.number;
    }
  };

  void run();

  std::mutex m_;
  std::condition_variable changed_;
  // Guarded by m_
  std::priority_queue<entry, std::vector<entry>, later> steps_;
  std::uint64_t next_number_ = 0;
  bool stopping_ = false;
  // Constant after construction; last, so that the thread starts when everything above exists.
  std::thread thread_;
};

}  // namespace parley::adapters
