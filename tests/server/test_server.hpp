// A server in the test's process, on a free port, with one fake model named `fake`.
#pragma once

#include "config/config.hpp"
#include "server/server.hpp"
#include "tests/server/fake_model.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace parley::server::test {

[[nodiscard]] inline config::config test_config() {
  config::config out;
  out.server.listen = "127.0.0.1:0";
  out.server.threads = 2;
  out.models = {{"fake", config::model_config{.aliases = {"gpt-realtime*", "other"}, .local = {}, .scripted = {}}}};
  out.default_model = "fake";
  return out;
}

class test_server {
 public:
  explicit test_server(const config::config& configuration = test_config(),
                       fake_model::manner how = fake_model::manner::text,
                       std::shared_ptr<spdlog::logger> log = std::make_shared<spdlog::logger>("test"))
      : model(std::make_shared<fake_model>(how)), running_(configuration, {{"fake", model}}, {}, std::move(log)) {
    running_.start([this] {
      const std::lock_guard lock(m_);
      stopped_ = true;
      changed_.notify_all();
    });
    port = running_.endpoint().port();
  }

  // True when the way down was complete in time.
  [[nodiscard]] bool wait_stopped() {
    std::unique_lock lock(m_);
    const bool stopped = changed_.wait_for(lock, std::chrono::seconds(20), [this] { return stopped_; });
    lock.unlock();
    if (stopped) running_.wait();
    return stopped;
  }
  // Looks again until it holds or the time is up.
  [[nodiscard]] bool eventually(const std::function<bool(const server&)>& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition(running_)) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }
  [[nodiscard]] bool is_empty() {
    return eventually([](const server& one) { return one.sessions() == 0 && one.connections() == 0; });
  }
  server& operator*() { return running_; }
  server* operator->() { return &running_; }

  std::shared_ptr<fake_model> model;
  std::uint16_t port = 0;

 private:
  std::mutex m_;
  std::condition_variable changed_;
  bool stopped_ = false;
  server running_;
};

}  // namespace parley::server::test
