// The one executor type of the server: that of an io_context which one thread runs. Streams, timers and coroutines are
// bound to it as a type, because the type-erased executor costs 4-12 % per message and a shared io_context 57 %.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace parley::server {

namespace asio = boost::asio;
using error_code = boost::system::error_code;

using executor = asio::io_context::executor_type;
template <class T>
using task = asio::awaitable<T, executor>;
using steady_timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, executor>;
using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, executor>;
using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, executor>;

// Tokens for co_await: the first throws, the second gives (error_code, results...).
inline constexpr asio::use_awaitable_t<executor> awaited{};
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<executor>> awaited_tuple{};

}  // namespace parley::server
