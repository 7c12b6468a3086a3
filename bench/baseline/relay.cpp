#include "bench/baseline/relay.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <exception>
#include <utility>

namespace parley::bench {
namespace {

namespace beast = boost::beast;

constexpr asio::use_awaitable_t<executor> awaited{};
constexpr bool with_deflate = false;

using stream = beast::websocket::stream<tcp_socket, with_deflate>;

asio::awaitable<void, executor> serve(tcp_socket socket, const std::string& answer) {
  socket.set_option(asio::ip::tcp::no_delay(true));
  stream websocket(std::move(socket));
  websocket.auto_fragment(false);
  co_await websocket.async_accept(awaited);
  websocket.text(true);
  beast::flat_buffer message;
  for (;;) {
    co_await websocket.async_read(message, awaited);
    message.consume(message.size());
    co_await websocket.async_write(asio::buffer(answer), awaited);
  }
}

}  // namespace

asio::awaitable<void, executor> accept_all(tcp_acceptor& acceptor, const std::vector<asio::io_context*>& contexts,
                                           const std::string& answer) {
  for (std::size_t next = 0;; next = (next + 1) % contexts.size()) {
    auto& context = *contexts[next];
    auto socket = co_await acceptor.async_accept(context, awaited);
    // A lost peer ends its own coroutine and nothing else.
    asio::co_spawn(context.get_executor(), serve(std::move(socket), answer), [](const std::exception_ptr&) {});
  }
}

}  // namespace parley::bench
