#include "server/duplex_socket.hpp"

#include "server/run_on.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace parley::server {

using namespace boost::asio::experimental::awaitable_operators;

duplex_socket::duplex_socket(tcp_socket socket, const websocket_limits& limits,
                             std::chrono::steady_clock::duration write_timeout)
    : home_(socket.get_executor()),
      write_timeout_(write_timeout),
      stream_(std::move(socket), limits),
      goodbye_(home_),
      patience_(home_) {}

task<error_code> duplex_socket::write(std::shared_ptr<const std::string> bytes) {
  if (home_.running_in_this_thread()) return write_here(std::move(bytes));
  return run_on(home_, write_here(std::move(bytes)));
}

task<error_code> duplex_socket::write_here(std::shared_ptr<const std::string> bytes) {
  const auto [ec, written] = co_await stream_.write(*bytes);
  co_return ec;
}

void duplex_socket::say_goodbye(const pointer& to, farewell last) {
  asio::post(to->home_, [to, last = std::move(last)]() mutable {
    if (to->farewell_) return;
    to->farewell_ = std::move(last);
    to->goodbye_.ring();
  });
}

void duplex_socket::abort(const pointer& socket) {
  asio::post(socket->home_, [socket] { socket->stream_.abort(); });
}

task<bool> duplex_socket::is_gone() { return run_on(home_, look_for_peer()); }

task<bool> duplex_socket::look_for_peer() { co_return stream_.peer_is_gone(); }

task<std::uint64_t> duplex_socket::bytes_acked() { return run_on(home_, look_for_acks()); }

task<std::uint64_t> duplex_socket::look_for_acks() { co_return stream_.progress().acked; }

task<void> duplex_socket::wait_for_goodbye(std::chrono::steady_clock::time_point until) {
  while (!farewell_ && std::chrono::steady_clock::now() < until) co_await goodbye_.wait(until);
}

task<void> duplex_socket::leave() { co_await (close() || expire()); }

task<void> duplex_socket::close() {
  if (farewell_->last_words) static_cast<void>(co_await stream_.write(*farewell_->last_words));
  if (farewell_->code != 0) static_cast<void>(co_await stream_.close(farewell_->code, farewell_->text));
}

task<void> duplex_socket::expire() {
  patience_.expires_after(write_timeout_);
  co_await patience_.async_wait(awaited_tuple);
}

}  // namespace parley::server
