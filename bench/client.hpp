// One simulated caller's WebSocket: text messages out and in, nothing parsed. The WebSocket library is instantiated in
// client.cpp alone. Lifecycle: open() first, then one send and one read may be pending at once; destroying it closes
// the socket. Errors: exceptions, which end the run.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace parley::bench {

namespace asio = boost::asio;

using executor = asio::io_context::executor_type;
template <class T>
using task = asio::awaitable<T, executor>;
using clock = std::chrono::steady_clock;
using steady_timer = asio::basic_waitable_timer<clock, asio::wait_traits<clock>, executor>;
inline constexpr asio::use_awaitable_t<executor> awaited{};

struct server_url {
  std::string host;
  std::string port;
  std::string target;  // path and query
};

// ws://HOST:PORT/PATH, or std::invalid_argument.
[[nodiscard]] server_url parse_url(std::string_view text);

class client {
 public:
  explicit client(const executor& on);
  ~client();
  client(client&&) noexcept;
  client& operator=(client&&) noexcept;

  [[nodiscard]] task<void> open(const server_url& to);
  // Lifetime: the text lives until the task ends.
  [[nodiscard]] task<void> send(std::string_view text);
  // The next message; the view is valid until the next read().
  [[nodiscard]] task<std::string_view> read();
  // Without a closing handshake. At once (RST), or as a program that ends does (FIN): then read() goes on until the
  // server has closed its side.
  void lose(bool at_once) noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
  // Thread safety: none; used on its executor.
};

}  // namespace parley::bench
