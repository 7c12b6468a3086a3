// A logger that keeps its lines, for tests of what must not be in them.
#pragma once

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace parley::server::test {

class captured_log {
 public:
  [[nodiscard]] std::shared_ptr<spdlog::logger> logger() const {
    return std::make_shared<spdlog::logger>("test", sink_);
  }
  [[nodiscard]] std::vector<std::string> lines() const { return sink_->lines(); }

 private:
  class sink final : public spdlog::sinks::base_sink<std::mutex> {
   public:
    std::vector<std::string> lines() {
      const std::lock_guard lock(mutex_);
      return lines_;
    }

   private:
    void sink_it_(const spdlog::details::log_msg& message) override {
      lines_.emplace_back(message.payload.data(), message.payload.size());
    }
    void flush_() override {}
    std::vector<std::string> lines_;  // guarded by mutex_
  };

  const std::shared_ptr<sink> sink_ = std::make_shared<sink>();
};

}  // namespace parley::server::test
