// A model_sink for tests: keeps what is posted, and lets the test wait for it.
#pragma once

#include "runtime/model.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace parley::adapters {

class collecting_sink final : public runtime::model_sink {
 public:
  using outputs = std::vector<runtime::model_output>;

  void post(runtime::model_output output) override {
    {
      const std::lock_guard lock(m_);
      outputs_.push_back(std::move(output));
    }
    changed_.notify_all();
  }

  [[nodiscard]] outputs all() const {
    const std::lock_guard lock(m_);
    return outputs_;
  }

  // False when the condition does not come true within three minutes: the test hangs no longer than that.
  [[nodiscard]] bool wait(const std::function<bool(const outputs&)>& condition) {
    std::unique_lock lock(m_);
    return changed_.wait_for(lock, std::chrono::minutes(3), [&] { return condition(outputs_); });
  }

  template <class Output>
  [[nodiscard]] std::vector<Output> of() const {
    return of<Output>(all());
  }
  template <class Output>
  [[nodiscard]] static std::vector<Output> of(const outputs& from) {
    std::vector<Output> found;
    for (const auto& output : from) {
      if (const auto* one = std::get_if<Output>(&output)) found.push_back(*one);
    }
    return found;
  }
  template <class Output>
  [[nodiscard]] bool wait_for(std::size_t count = 1) {
    return wait([count](const outputs& now) { return of<Output>(now).size() >= count; });
  }

 private:
  mutable std::mutex m_;
  std::condition_variable changed_;
  outputs outputs_;  // guarded by m_
};

}  // namespace parley::adapters
