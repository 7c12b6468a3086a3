#include "server/http_channel.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <string>
#include <utility>

namespace parley::server {

namespace http = boost::beast::http;
using namespace boost::asio::experimental::awaitable_operators;
using boost::beast::flat_buffer;

namespace {

// Longest request head: real clients stay below 4 KiB, and an unauthenticated peer must not cost more.
constexpr std::uint32_t max_head_bytes = 8 * 1024;
// What finish() takes in at most, and for how long: enough for a refused request to be read to its end.
constexpr std::size_t max_linger_bytes = 256 * 1024;
constexpr std::chrono::seconds linger_time{2};

http_request converted(const http::request<http::empty_body>& from) {
  http_request out{.method = std::string(from.method_string()), .target = std::string(from.target()), .headers = {}};
  out.http_1_1 = from.version() == 11;
  out.keep_alive = from.keep_alive();
  out.has_body = from.chunked() || (from.has_content_length() && from[http::field::content_length] != "0");
  for (const auto& field : from) out.headers.emplace_back(field.name_string(), field.value());
  return out;
}

http::response<http::string_body> converted(http_response from, bool keep_alive) {
  http::response<http::string_body> out{static_cast<http::status>(from.status), 11};
  out.set(http::field::server, "parley");
  out.set(http::field::content_type, from.content_type);
  for (const auto& [name, value] : from.headers) out.set(name, value);
  out.body() = std::move(from.body);
  out.keep_alive(keep_alive);
  out.prepare_payload();
  return out;
}

task<void> expired(std::chrono::steady_clock::duration after) {
  steady_timer timer(co_await asio::this_coro::executor, after);
  co_await timer.async_wait(awaited_tuple);
}

request_failure failure_of(const error_code& ec) {
  if (ec == http::error::header_limit || ec == http::error::buffer_overflow) return request_failure::too_large;
  const bool transport = ec.category() != make_error_code(http::error::bad_method).category();
  if (transport || ec == http::error::end_of_stream || ec == http::error::partial_message) return request_failure::gone;
  return request_failure::malformed;
}

}  // namespace

struct http_channel::impl {
  explicit impl(tcp_socket s) : socket(std::move(s)) {}

  task<error_code> read_head(http::request_parser<http::empty_body>& parser) {
    const auto [ec, bytes] = co_await http::async_read_header(socket, buffer, parser, awaited_tuple);
    co_return ec;
  }
  task<error_code> write_all(http::response<http::string_body>& response) {
    const auto [ec, bytes] = co_await http::async_write(socket, response, awaited_tuple);
    co_return ec;
  }
  task<void> take_in() {
    std::array<char, 4096> scratch{};
    for (std::size_t total = 0; total < max_linger_bytes;) {
      const auto [ec, bytes] = co_await socket.async_read_some(asio::buffer(scratch), awaited_tuple);
      if (ec) co_return;
      total += bytes;
    }
  }

  tcp_socket socket;
  flat_buffer buffer{max_head_bytes + 4096};
};

http_channel::http_channel(tcp_socket socket) : impl_(std::make_unique<impl>(std::move(socket))) {}
http_channel::~http_channel() = default;

task<std::variant<http_request, request_failure>> http_channel::read(std::chrono::steady_clock::duration timeout) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(max_head_bytes);
  const auto outcome = co_await (impl_->read_head(parser) || expired(timeout));
  if (outcome.index() == 1) co_return request_failure::too_slow;
  if (const auto& ec = std::get<0>(outcome)) co_return failure_of(ec);
  co_return converted(parser.get());
}

task<bool> http_channel::write(http_response response, bool keep_alive, std::chrono::steady_clock::duration timeout) {
  auto message = converted(std::move(response), keep_alive);
  const auto outcome = co_await (impl_->write_all(message) || expired(timeout));
  co_return outcome.index() == 0 && !std::get<0>(outcome);
}

task<void> http_channel::finish() {
  error_code ignored;
  impl_->socket.shutdown(asio::socket_base::shutdown_send, ignored);
  if (!ignored) co_await (impl_->take_in() || expired(linger_time));
  abort();
}

bool http_channel::has_surplus() const noexcept { return impl_->buffer.size() > 0; }

void http_channel::abort() noexcept {
  error_code ignored;
  impl_->socket.close(ignored);
}

tcp_socket http_channel::release() { return std::move(impl_->socket); }

}  // namespace parley::server
