// A sink that keeps what a model posts and lets a test wait for a condition on it.
#pragma once

#include "runtime/model.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace parley::adapters {

// Thread safety: all members may be called from any thread.
class recording_sink final : public runtime::model_sink {
 public:
  void post(runtime::model_output output) override {
    {
      const std::lock_guard lock(m_);
      outputs_.push_back(std::move(output));
    }
    changed_.notify_all();
  }

  // False when the condition did not come true; long, because it only ends a test that failed.
  template <class Condition>
  [[nodiscard]] bool wait_until(Condition condition) {
    std::unique_lock lock(m_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return condition(std::as_const(outputs_)); });
  }

  [[nodiscard]] bool wait_until_done(const protocol::response_id& response) {
    return wait_until([&](const auto& outputs) {
      return std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
        const auto* done = std::get_if<runtime::model_done>(&output);
        return done && done->response == response;
      });
    });
  }

  // Those of one kind, in order.
  template <class Output>
  [[nodiscard]] std::vector<Output> all() const {
    const std::lock_guard lock(m_);
    std::vector<Output> found;
    for (const auto& output : outputs_) {
      if (const auto* match = std::get_if<Output>(&output)) found.push_back(*match);
    }
    return found;
  }

  template <class Output>
  [[nodiscard]] std::vector<Output> all_of(const protocol::response_id& response) const {
    auto found = all<Output>();
    std::erase_if(found, [&](const auto& output) { return output.response != response; });
    return found;
  }

  [[nodiscard]] std::vector<runtime::model_output> outputs() const {
    const std::lock_guard lock(m_);
    return outputs_;
  }

 private:
  mutable std::mutex m_;
  std::condition_variable changed_;
  std::vector<runtime::model_output> outputs_;  // guarded by m_
};

}  // namespace parley::adapters
