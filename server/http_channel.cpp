#include "server/http_channel.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace parley::server {

namespace http = boost::beast::http;
using namespace boost::asio::experimental::awaitable_operators;
using boost::beast::flat_buffer;

namespace {

// Longest request head: a client secret with the largest session it may hold is 22 KiB, everything else stays below
// 4 KiB, and an unauthenticated peer must not cost more.
constexpr std::uint32_t max_head_bytes = 32 * 1024;
// What finish() takes in at most, and for how long: enough for a refused request to be read to its end.
constexpr std::size_t max_linger_bytes = 256 * 1024;
constexpr std::chrono::seconds linger_time{2};

http_request converted(const http::request<http::empty_body>& from, std::uint64_t announced_bytes) {
  http_request out{.method = std::string(from.method_string()), .target = std::string(from.target()), .headers = {}};
  out.http_1_1 = from.version() == 11;
  out.keep_alive = from.keep_alive();
  const bool is_coded = from.find(http::field::transfer_encoding) != from.end();
  out.has_body = is_coded || announced_bytes > 0;
  out.has_strange_body =
      is_coded && !boost::beast::iequals(from[http::field::transfer_encoding], "chunked");  // gzip, or two lines
  for (const auto& field : from) out.headers.emplace_back(field.name_string(), field.value());
  return out;
}

http::response<http::string_body> converted(http_response from, bool keep_alive) {
  http::response<http::string_body> out{static_cast<http::status>(from.status), 11};
  out.set(http::field::server, "parley");
  if (!from.content_type.empty()) out.set(http::field::content_type, from.content_type);
  for (const auto& [name, value] : from.headers) out.set(name, value);
  out.body() = std::move(from.body);
  out.keep_alive(keep_alive);
  out.prepare_payload();
  if (out.result() == http::status::no_content) out.erase(http::field::content_length);  // RFC 9110, 8.6
  if (from.head_only) out.body().clear();
  return out;
}

bool expects_continue(const http::fields& head) {
  return boost::beast::iequals(head[http::field::expect], "100-continue");
}

task<void> expired(std::chrono::steady_clock::duration after) {
  steady_timer timer(co_await asio::this_coro::executor, after);
  co_await timer.async_wait(awaited_tuple);
}

request_failure failure_of(const error_code& ec) {
  if (ec == http::error::header_limit || ec == http::error::body_limit) return request_failure::too_large;
  if (ec == http::error::buffer_overflow) return request_failure::too_large;
  const bool transport = ec.category() != make_error_code(http::error::bad_method).category();
  if (transport || ec == http::error::end_of_stream || ec == http::error::partial_message) return request_failure::gone;
  return request_failure::malformed;
}

}  // namespace

struct http_channel::impl {
  explicit impl(tcp_socket s) : socket(std::move(s)) {}

  task<error_code> read_head() {
    const auto [ec, bytes] = co_await http::async_read_header(socket, buffer, *parser, awaited_tuple);
    co_return ec;
  }
  task<error_code> read_rest(http::request_parser<http::string_body>& whole) {
    if (expects_continue(whole.get())) {
      static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      const auto [ec, bytes] = co_await asio::async_write(socket, asio::buffer(go_on), awaited_tuple);
      if (ec) co_return ec;
    }
    const auto [ec, bytes] = co_await http::async_read(socket, buffer, whole, awaited_tuple);
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
  std::optional<http::request_parser<http::empty_body>> parser;  // of the head read last
};

http_channel::http_channel(tcp_socket socket) : impl_(std::make_unique<impl>(std::move(socket))) {}
http_channel::~http_channel() = default;

task<std::variant<http_request, request_failure>> http_channel::read(std::chrono::steady_clock::duration timeout) {
  auto& parser = impl_->parser.emplace();
  parser.header_limit(max_head_bytes);
  parser.body_limit(boost::none);  // whoever wants the body bounds it
  const auto outcome = co_await (impl_->read_head() || expired(timeout));
  if (outcome.index() == 1) co_return request_failure::too_slow;
  if (const auto& ec = std::get<0>(outcome)) co_return failure_of(ec);
  co_return converted(parser.get(), parser.content_length().value_or(0));
}

task<std::variant<std::string, request_failure>> http_channel::read_body(std::size_t max_bytes,
                                                                         std::chrono::steady_clock::duration timeout) {
  http::request_parser<http::string_body> whole(std::move(*impl_->parser));
  impl_->parser.reset();
  const auto announced = whole.content_length();
  if (announced && *announced > max_bytes) co_return request_failure::too_large;
  whole.body_limit(max_bytes);
  const auto outcome = co_await (impl_->read_rest(whole) || expired(timeout));
  if (outcome.index() == 1) co_return request_failure::too_slow;
  if (const auto& ec = std::get<0>(outcome)) co_return failure_of(ec);
  co_return std::move(whole.get().body());
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

tcp_socket http_channel::release() {
  // The channel outlives the upgrade: what it read must not.
  impl_->parser.reset();
  impl_->buffer.shrink_to_fit();
  return std::move(impl_->socket);
}

}  // namespace parley::server
