#include "server/websocket.hpp"

#include "protocol/utf8.hpp"
#include "server/message_pace.hpp"

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
// Room in the read buffer beyond the largest message: what the parser reads past its end, and what the library asks
// for to see that the message is over.
constexpr std::size_t spare_bytes = protocol::frame_padding_bytes + 4096;
// The highest close code there is (RFC 6455, 7.4.2); those below that nobody may send are refused by the library.
constexpr std::uint16_t max_close_code = 4999;
// A close frame's payload is at most 125 bytes, 2 of them the code.
constexpr std::size_t max_reason_bytes = 123;

bool may_be_sent(std::uint16_t code) { return code <= max_close_code; }

http::request<http::empty_body> converted(const http_request& from) {
  http::request<http::empty_body> out{http::verb::get, from.target, 11};
  for (const auto& [name, value] : from.headers) out.insert(name, value);
  return out;
}

}  // namespace

struct websocket::impl : std::enable_shared_from_this<impl> {
  impl(tcp_socket socket, const websocket_limits& limits)
      : stream(std::move(socket)),
        buffer(limits.max_message_bytes + spare_bytes),
        pace(limits.message_timeout),
        message_timer(stream.get_executor()) {}

  // The peer's close frame has come, and its answer has not been written.
  void on_close_frame() {
    peer_closed = true;
    if (!may_be_sent(stream.reason().code)) refuse_close();
    if (closed) closed();
  }
  // The library would send the code back. Its answer waits for this one, and is not written then.
  void refuse_close() {
    if (std::exchange(closing, true)) return;
    stream.async_close(ws::close_reason(ws::close_code::protocol_error), [](const error_code&) {});
  }

  void note_piece(std::size_t bytes) {
    in_message_at = std::chrono::steady_clock::now();
    pace.advance(bytes, in_message_at);
    if (!watched) watch_message();
  }
  void note_end() {
    if (pace.due()) in_message_at = std::chrono::steady_clock::now();
    pace.complete();
  }
  // Looks when it may be due, whatever message it is by then. REQUIRES: pace.due().
  void watch_message() {
    watched = true;
    message_timer.expires_at(*pace.due());
    message_timer.async_wait([state = weak_from_this()](const error_code& ec) {
      const auto self = state.lock();
      if (self && !ec) self->look_at_message();
    });
  }
  void look_at_message() {
    watched = false;
    const auto due = pace.due();
    if (!due) return;
    if (*due > std::chrono::steady_clock::now()) return watch_message();
    if (stalled) return stalled();
    error_code ignored;
    stream.next_layer().close(ignored);
  }

  ws::stream<tcp_socket, false> stream;  // false: compression compiled out
  beast::flat_buffer buffer;
  message_pace pace;
  steady_timer message_timer;
  time_point in_message_at = time_point::min();
  std::function<void()> pong;
  std::function<void()> closed;
  std::function<void()> stalled;
  bool peer_closed = false;
  bool closing = false;  // our close frame is on its way
  bool watched = false;
};

websocket::websocket(tcp_socket socket, const websocket_limits& limits)
    : impl_(std::make_shared<impl>(std::move(socket), limits)) {
  auto& stream = impl_->stream;
  stream.read_message_max(limits.max_message_bytes);
  stream.auto_fragment(false);
  stream.text(true);
  stream.set_option(ws::stream_base::timeout{limits.close_timeout, ws::stream_base::none(), false});
  stream.control_callback([state = impl_.get()](ws::frame_type kind, beast::string_view) {
    if (kind == ws::frame_type::pong && state->pong) state->pong();
    if (kind == ws::frame_type::close) state->on_close_frame();
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

// Piece by piece, as they come: the library would tell of the whole message only.
task<std::tuple<error_code, std::size_t>> websocket::read() {
  while (true) {
    const auto [ec, bytes] = co_await impl_->stream.async_read_some(impl_->buffer, 0, awaited_tuple);
    const bool done = ec || impl_->stream.is_message_done();
    if (done) {
      impl_->note_end();
      co_return std::tuple(ec, impl_->buffer.size());
    }
    impl_->note_piece(bytes);
  }
}

task<std::tuple<error_code, std::size_t>> websocket::write(const std::string& text) {
  return impl_->stream.async_write(asio::buffer(text), awaited_tuple);
}

task<std::tuple<error_code>> websocket::ping() { return impl_->stream.async_ping({}, awaited_tuple); }

task<error_code> websocket::close(std::uint16_t code, std::string_view reason) {
  if (std::exchange(impl_->closing, true)) co_return asio::error::operation_aborted;
  const ws::close_reason frame{static_cast<ws::close_code>(code), protocol::whole_characters(reason, max_reason_bytes)};
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

void websocket::on_stalled(std::function<void()> call) { impl_->stalled = std::move(call); }

websocket::time_point websocket::heard_in_message() const noexcept { return impl_->in_message_at; }

tcp_progress websocket::progress() const noexcept { return progress_of(impl_->stream.next_layer().native_handle()); }

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
