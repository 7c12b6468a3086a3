#include "server/listener.hpp"

#include "config/listen_address.hpp"
#include "server/connection.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <netinet/tcp.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace parley::server {

using asio::ip::tcp;

namespace {

// Bytes of unsent data that the kernel may hold of one socket: 16 KiB is one audio delta, so an interruption is heard
// at once, while the send buffer goes on tuning itself.
constexpr int unsent_low_bytes = 16 * 1024;
constexpr std::chrono::milliseconds back_off_time{100};

using not_sent_low = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;

tcp::endpoint resolved(const std::string& address, asio::io_context& io) {
  const auto parsed = config::parse_listen_address(address);
  if (!parsed) throw std::runtime_error("server.listen: HOST:PORT expected, not " + address);
  tcp::resolver resolver(io);
  error_code ec;
  const auto found = resolver.resolve(parsed->host, std::to_string(parsed->port), tcp::resolver::passive, ec);
  if (ec || found.empty()) throw std::runtime_error("server.listen: " + address + ": " + ec.message());
  return found.begin()->endpoint();
}

}  // namespace

listener::listener(context_pool& pool, task_group& group, services& shared)
    : pool_(pool),
      group_(group),
      shared_(shared),
      acceptor_(pool.first().get_executor()),
      back_off_(pool.first().get_executor()) {}

void listener::open(const std::string& address) {
  const auto endpoint = resolved(address, pool_.first());
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(4096);
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("server.listen: " + address + ": " + failure.code().message());
  }
}

task<void> listener::run() {
  while (acceptor_.is_open()) {
    auto [ec, socket] = co_await acceptor_.async_accept(pool_.next(), awaited_tuple);
    if (ec == asio::error::operation_aborted || ec == asio::error::bad_descriptor) co_return;
    if (ec) {
      co_await pause(ec);
      continue;
    }
    failing_ = false;
    take(std::move(socket));
  }
}

void listener::take(tcp_socket socket) {
  auto permit = shared_.connections.try_take();
  if (!permit) return shared_.peers->refused("connection beyond limits.max_connections");  // which closes the socket
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(not_sent_low(unsent_low_bytes), ignored);
  const auto home = socket.get_executor();
  group_.spawn(home, serve_connection(std::move(socket), std::move(*permit), shared_), "connection");
}

task<void> listener::pause(const error_code& cause) {
  ++failures_;
  if (!std::exchange(failing_, true)) shared_.log->warn("accept: {}", cause.message());
  back_off_.expires_after(back_off_time);
  co_await back_off_.async_wait(awaited_tuple);
}

void listener::close() {
  error_code ignored;
  acceptor_.close(ignored);
  back_off_.cancel();
}

}  // namespace parley::server
