// The running server: threads, listener, connections, and the way down.
//
//   start --> serving --begin_shutdown--> draining --idle, or drain_timeout--> closing --1 s--> cancelled --> wait()
//   returns
//
// A second begin_shutdown() goes on to the next arrow at once. Lifecycle: start() once; wait() (or the destructor,
// which shuts down first) joins every thread.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"
#include "server/alarm.hpp"
#include "server/context_pool.hpp"
#include "server/listener.hpp"
#include "server/services.hpp"
#include "server/session_setup.hpp"
#include "server/task_group.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <spdlog/logger.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace parley::server {

class server {
 public:
  using model_map = std::map<std::string, std::shared_ptr<runtime::model>>;

  // Throws std::runtime_error that names the key when the configuration can not be served.
  server(const config::config& configuration, model_map models, audio_factories audio,
         std::shared_ptr<spdlog::logger> log);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // Throws std::runtime_error that names server.listen. `stopped` is called once, from an I/O thread, when the way
  // down is complete but for joining the threads.
  void start(std::function<void()> stopped = {});
  [[nodiscard]] asio::ip::tcp::endpoint endpoint() const { return listener_.endpoint(); }
  [[nodiscard]] std::size_t sessions() const { return services_.sessions.in_use(); }
  [[nodiscard]] std::size_t connections() const { return services_.connections.in_use(); }
  [[nodiscard]] std::uint64_t failures() const noexcept { return services_.tasks.failures(); }
  // Wrong keys and resume tokens.
  [[nodiscard]] std::uint64_t guesses() const { return services_.guesses.total(); }

  void begin_shutdown();
  void wait();

 private:
  task<void> go_down();
  // Tells once a period what was refused in it.
  task<void> tell_refusals();
  // Until none is in use, it is that time, or begin_shutdown() is called again.
  task<void> wait_for(permit_pool& pool, std::chrono::steady_clock::time_point until);
  task<void> wait_for_tasks();

  services services_;
  context_pool pool_;
  task_group last_;  // the way down itself
  listener listener_;
  std::function<void()> stopped_;
  // Owned by the first context.
  alarm way_down_;
  bool going_down_ = false;
  bool hurry_ = false;
  // Thread safety: begin_shutdown() and the counters from any thread, the rest from the owner's.
};

}  // namespace parley::server
