// A socket while it still speaks HTTP: one request head in, its body if somebody wants it, one response out, until it
// is closed or becomes a WebSocket. Hides the HTTP library. Lifecycle: a local of the connection coroutine; gives its
// socket away for the upgrade.
#pragma once

#include "server/executor.hpp"
#include "server/http_message.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>

namespace parley::server {

// How reading a request head or body ended when it gave none.
enum class request_failure : std::uint8_t { gone, too_slow, too_large, malformed };

class http_channel {
 public:
  explicit http_channel(tcp_socket socket);
  ~http_channel();
  http_channel(const http_channel&) = delete;
  http_channel& operator=(const http_channel&) = delete;

  // Cancellation: terminal; the channel is then only fit to be destroyed. Lifetime: the channel outlives the task.
  [[nodiscard]] task<std::variant<http_request, request_failure>> read(std::chrono::steady_clock::duration timeout);
  // The body of the request whose head was read last. REQUIRES: called at most once a head.
  [[nodiscard]] task<std::variant<std::string, request_failure>> read_body(std::size_t max_bytes,
                                                                           std::chrono::steady_clock::duration timeout);
  // False when it was not written in time. Without keep_alive the channel must be finished next.
  [[nodiscard]] task<bool> write(http_response response, bool keep_alive, std::chrono::steady_clock::duration timeout);
  // Closes so that the peer can still read the last response: takes in what it is sending, for a bounded time.
  [[nodiscard]] task<void> finish();

  // The peer sent bytes beyond the request head.
  [[nodiscard]] bool has_surplus() const noexcept;
  void abort() noexcept;
  [[nodiscard]] tcp_socket release();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
  // Thread safety: none; used on the socket's executor.
};

}  // namespace parley::server
