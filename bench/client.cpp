#include "bench/client.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <stdexcept>
#include <utility>

namespace parley::bench {

namespace {

namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using tcp_socket = asio::basic_stream_socket<tcp, executor>;
constexpr bool with_deflate = false;

}  // namespace

server_url parse_url(std::string_view text) {
  constexpr std::string_view scheme = "ws://";
  if (!text.starts_with(scheme)) throw std::invalid_argument("the URL must begin with ws://");
  text.remove_prefix(scheme.size());
  const auto slash = text.find('/');
  const auto colon = text.substr(0, slash).rfind(':');
  if (slash == std::string_view::npos || colon == std::string_view::npos) {
    throw std::invalid_argument("the URL must be ws://HOST:PORT/PATH");
  }
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1, slash - colon - 1)),
          std::string(text.substr(slash))};
}

struct client::impl {
  explicit impl(const executor& on) : websocket(on) {}

  beast::websocket::stream<tcp_socket, with_deflate> websocket;
  beast::flat_buffer message;
};

client::client(const executor& on) : impl_(std::make_unique<impl>(on)) {}
client::~client() = default;
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;

task<void> client::open(const server_url& to) {
  auto& websocket = impl_->websocket;
  asio::ip::basic_resolver<tcp, executor> resolver(websocket.get_executor());
  const auto found = co_await resolver.async_resolve(to.host, to.port, awaited);
  co_await asio::async_connect(websocket.next_layer(), found, awaited);
  websocket.next_layer().set_option(tcp::no_delay(true));
  websocket.auto_fragment(false);
  websocket.secure_prng(false);  // the mask is no secret here, and its cost is the generator's
  co_await websocket.async_handshake(to.host + ":" + to.port, to.target, awaited);
  websocket.text(true);
}

task<void> client::send(std::string_view text) { co_await impl_->websocket.async_write(asio::buffer(text), awaited); }

task<std::string_view> client::read() {
  auto& message = impl_->message;
  message.consume(message.size());
  co_await impl_->websocket.async_read(message, awaited);
  const auto bytes = message.cdata();
  co_return std::string_view(static_cast<const char*>(bytes.data()), bytes.size());
}

void client::lose(bool at_once) noexcept {
  auto& socket = impl_->websocket.next_layer();
  boost::system::error_code ignored;
  if (!at_once) {
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    return;
  }
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace parley::bench
