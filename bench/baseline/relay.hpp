// The least that a Beast server does for one answer per message: the yardstick for what parley's own work costs. It
// reads a text message, looks at nothing, and writes a fixed one. Set up as parley is: concrete executor, one
// io_context a thread, one coroutine a connection, unfragmented, no compression, TCP_NODELAY.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace parley::bench {

namespace asio = boost::asio;

using executor = asio::io_context::executor_type;
using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, executor>;
using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, executor>;

enum class relay_mode : std::uint8_t {
  answer,  // one answer for every message
  stream   // answers without end from the start, on a socket with the kernel's defaults, and `end` once a message came
};

struct relay_texts {
  std::string answer;
  std::string end;
};

// Accepts for ever and hands the sockets out round robin. REQUIRES: the references outlive the contexts' handlers.
asio::awaitable<void, executor> accept_all(tcp_acceptor& acceptor, const std::vector<asio::io_context*>& contexts,
                                           const relay_texts& texts, relay_mode mode);

}  // namespace parley::bench
