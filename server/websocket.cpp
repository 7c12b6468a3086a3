#include "server/websocket.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace parley::server {

namespace beast = boost::beast;
namespace http = beast::http;
namespace ws = beast::websocket;

namespace {

// A read buffer above this is freed after its message: 10,000 quiet sessions must not keep their largest frames.
constexpr std::size_t keep_buffer_bytes = 64 * 1024;
// A close frame's payload is at most 125 bytes, 2 of them the code.
constexpr std::size_t max_reason_bytes = 123;

// What a close frame takes of it, cut between two characters: a peer refuses a frame that is no UTF-8.
std::string_view whole_characters(std::string_view text) {
  if (text.size() <= max_reason_bytes) return text;
  auto end = max_reason_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

http::request<http::empty_body> converted(const http_request& from) {
  http::request<http::empty_body> out{http::verb::get, from.target, 11};
  for (const auto& [name, value] : from.headers) out.insert(name, value);
  return out;
}

}  // namespace

struct websocket::impl {
  explicit impl(tcp_socket socket) : stream(std::move(socket)) {}

  ws::stream<tcp_socket, false> stream;  // false: compression compiled out
  beast::flat_buffer buffer;
  std::function<void()> pong;
  std::function<void()> closed;
  bool peer_closed = false;
};

websocket::websocket(tcp_socket socket, std::size_t max_message_bytes,
                     std::chrono::steady_clock::duration close_timeout)
    : impl_(std::make_unique<impl>(std::move(socket))) {
  auto& stream = impl_->stream;
  stream.read_message_max(max_message_bytes);
  stream.auto_fragment(false);
  stream.text(true);
  stream.set_option(ws::stream_base::timeout{close_timeout, ws::stream_base::none(), false});
  stream.control_callback([state = impl_.get()](ws::frame_type kind, beast::string_view) {
    if (kind == ws::frame_type::pong && state->pong) state->pong();
    if (kind != ws::frame_type::close) return;
    state->peer_closed = true;
    if (state->closed) state->closed();
  });
}

websocket::~websocket() = default;

task<error_code> websocket::accept(const http_request& request, std::string subprotocol) {
  const auto head = converted(request);
  impl_->stream.set_option(ws::stream_base::decorator([protocol = std::move(subprotocol)](ws::response_type& response) {
    response.set(http::field::server, "parley");
    if (!protocol.empty()) response.set(http::field::sec_websocket_protocol, protocol);
  }));
  const auto [ec] = co_await impl_->stream.async_accept(head, awaited_tuple);
  // Frees what the decorator holds.
  impl_->stream.set_option(ws::stream_base::decorator([](ws::response_type&) {}));
  co_return ec;
}

task<std::tuple<error_code, std::size_t>> websocket::read() {
  return impl_->stream.async_read(impl_->buffer, awaited_tuple);
}

task<std::tuple<error_code, std::size_t>> websocket::write(const std::string& text) {
  return impl_->stream.async_write(asio::buffer(text), awaited_tuple);
}

task<std::tuple<error_code>> websocket::ping() { return impl_->stream.async_ping({}, awaited_tuple); }

task<error_code> websocket::close(std::uint16_t code, std::string_view reason) {
  const ws::close_reason frame{static_cast<ws::close_code>(code), whole_characters(reason)};
  const auto [ec] = co_await impl_->stream.async_close(frame, awaited_tuple);
  co_return ec;
}

protocol::frame_view websocket::message() {
  static_cast<void>(impl_->buffer.prepare(protocol::frame_padding_bytes));
  const auto data = impl_->buffer.cdata();
  return {.data = static_cast<const char*>(data.data()), .size = data.size()};
}

bool websocket::message_is_text() const { return impl_->stream.got_text(); }

void websocket::drop_message() {
  impl_->buffer.clear();
  if (impl_->buffer.capacity() > keep_buffer_bytes) impl_->buffer.shrink_to_fit();
}

void websocket::on_pong(std::function<void()> call) { impl_->pong = std::move(call); }

void websocket::on_close(std::function<void()> call) { impl_->closed = std::move(call); }

bool websocket::peer_closed() const noexcept { return impl_->peer_closed; }

bool websocket::peer_is_gone() const noexcept {
  char next = 0;
  const auto got = ::recv(impl_->stream.next_layer().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void websocket::abort() noexcept {
  error_code ignored;
  impl_->stream.next_layer().close(ignored);
}

bool is_orderly_close(const error_code& ec) noexcept { return ec == ws::error::closed; }

}  // namespace parley::server
