#include "bench/baseline/relay.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
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

// Reads until the first message, or the end of the peer.
asio::awaitable<void, executor> await_message(stream& websocket, bool& came) {
  beast::flat_buffer message;
  co_await websocket.async_read(message, awaited);
  came = true;
}

asio::awaitable<void, executor> send_until(stream& websocket, const relay_texts& texts, const bool& interrupted) {
  while (!interrupted) co_await websocket.async_write(asio::buffer(texts.answer), awaited);
  co_await websocket.async_write(asio::buffer(texts.end), awaited);
}

// The socket stays as the kernel made it.
asio::awaitable<void, executor> serve_stream(tcp_socket socket, const relay_texts& texts) {
  using namespace asio::experimental::awaitable_operators;
  stream websocket(std::move(socket));
  websocket.auto_fragment(false);
  co_await websocket.async_accept(awaited);
  websocket.text(true);
  bool interrupted = false;
  co_await (await_message(websocket, interrupted) && send_until(websocket, texts, interrupted));
}

}  // namespace

asio::awaitable<void, executor> accept_all(tcp_acceptor& acceptor, const std::vector<asio::io_context*>& contexts,
                                           const relay_texts& texts, relay_mode mode) {
  for (std::size_t next = 0;; next = (next + 1) % contexts.size()) {
    auto& context = *contexts[next];
    auto socket = co_await acceptor.async_accept(context, awaited);
    // A lost peer ends its own coroutine and nothing else.
    auto work =
        mode == relay_mode::stream ? serve_stream(std::move(socket), texts) : serve(std::move(socket), texts.answer);
    asio::co_spawn(context.get_executor(), std::move(work), [](const std::exception_ptr&) {});
  }
}

}  // namespace parley::bench
