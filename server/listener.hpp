// Accepts sockets on one io_context and hands each to the next one of the pool. The loop outlives every transient error
// (no descriptors, a peer that went while it waited): count, log once, pause, go on; it ends only when it is closed.
// Lifecycle: open() binds; run() is a task of the group; close() ends it.
#pragma once

#include "server/context_pool.hpp"
#include "server/executor.hpp"
#include "server/services.hpp"
#include "server/task_group.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace parley::server {

class listener {
 public:
  listener(context_pool& pool, task_group& group, services& shared);
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  // HOST:PORT. Throws std::runtime_error that names server.listen when it can not be bound.
  void open(const std::string& address);
  [[nodiscard]] asio::ip::tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }
  // Lifetime: the listener outlives the task.
  [[nodiscard]] task<void> run();
  // On the acceptor's executor.
  void close();
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

 private:
  void take(tcp_socket socket);
  task<void> pause(const error_code& cause);

  context_pool& pool_;
  task_group& group_;
  services& shared_;
  tcp_acceptor acceptor_;
  steady_timer back_off_;
  std::atomic<std::uint64_t> failures_ = 0;
  bool failing_ = false;  // logged already
  // Thread safety: failures() from any thread, open() before run(), the rest on the acceptor's executor.
};

}  // namespace parley::server
