#include "tests/adapters/raw_server.hpp"

#include <boost/asio.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace parley::adapters {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

std::size_t body_length(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == head.npos ? 0 : static_cast<std::size_t>(std::atoll(head.c_str() + at + 16));
}

asio::awaitable<std::string> read_request(tcp::socket& socket) {
  std::string request;
  auto [ec, head] = co_await asio::async_read_until(socket, asio::dynamic_buffer(request), "\r\n\r\n", as_result);
  if (ec) co_return request;
  const auto whole = head + body_length(request);
  if (request.size() < whole) {
    auto buffer = asio::dynamic_buffer(request);
    co_await asio::async_read(socket, buffer, asio::transfer_exactly(whole - request.size()), as_result);
  }
  co_return request;
}

}  // namespace

class raw_server::impl {
 public:
  explicit impl(std::vector<raw_script> scripts)
      : scripts_(std::move(scripts)), acceptor_(io_, {asio::ip::make_address("127.0.0.1"), 0}) {
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(io_, accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~impl() {
    io_.stop();
    thread_.join();
  }

  asio::awaitable<void> accept() {
    for (std::size_t number = 0;; ++number) {
      auto [ec, socket] = co_await acceptor_.async_accept(as_result);
      if (ec) co_return;
      const auto& script = scripts_[std::min(number, scripts_.size() - 1)];
      asio::co_spawn(io_, serve(std::move(socket), script), asio::detached);
    }
  }

  asio::awaitable<void> serve(tcp::socket socket, const raw_script& script) {
    socket.set_option(tcp::no_delay(true));
    auto request = co_await read_request(socket);
    note([&] { requests_.push_back(std::move(request)); });
    for (const auto& piece : script.pieces) {
      auto [ec, written] = co_await asio::async_write(socket, asio::buffer(piece), as_result);
      if (ec) break;
    }
    if (script.ending == raw_ending::wait_for_peer) {
      char byte = 0;
      co_await socket.async_read_some(asio::buffer(&byte, 1), as_result);
    }
    boost::system::error_code ignored;
    if (script.ending == raw_ending::reset) socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
    note([&] { ++closed_; });
  }

  template <class Change>
  void note(Change change) {
    {
      const std::lock_guard lock(m_);
      change();
    }
    changed_.notify_all();
  }
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(m_);
    return changed_.wait_for(lock, std::chrono::seconds(30), condition);
  }

  const std::vector<raw_script> scripts_;
  unsigned short port_ = 0;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  std::mutex m_;
  std::condition_variable changed_;
  // Guarded by m_
  std::vector<std::string> requests_;
  std::size_t closed_ = 0;
  std::thread thread_;
};

raw_server::raw_server(std::vector<raw_script> scripts) : impl_(std::make_unique<impl>(std::move(scripts))) {}
raw_server::~raw_server() = default;

std::string raw_server::url(const std::string& target) const {
  return "http://127.0.0.1:" + std::to_string(impl_->port_) + target;
}
bool raw_server::wait_for_requests(std::size_t count) {
  return impl_->wait([&] { return impl_->requests_.size() >= count; });
}
bool raw_server::wait_for_closed(std::size_t count) {
  return impl_->wait([&] { return impl_->closed_ >= count; });
}
std::vector<std::string> raw_server::requests() const {
  const std::lock_guard lock(impl_->m_);
  return impl_->requests_;
}

std::string chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

}  // namespace parley::adapters
