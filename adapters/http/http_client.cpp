// The one translation unit with Beast's HTTP.
#include "adapters/http/http_client.hpp"

#include "adapters/http/call_control.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <thread>

namespace parley::adapters::http {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr std::uint32_t max_header_bytes = 16 * 1024;
constexpr std::uint64_t max_body_bytes = 64 * 1024 * 1024;  // an answer of hours; ends a stream that never does
constexpr std::size_t chunk_bytes = 16 * 1024;
constexpr std::chrono::milliseconds retry_pause{200};
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

using outgoing = beast_http::request<beast_http::string_body>;
using response_parser = beast_http::response_parser<beast_http::buffer_body>;

outgoing to_beast(http_request& request) {
  outgoing message{beast_http::verb::post, request.url.target, 11};
  message.set(beast_http::field::host, request.url.authority);
  message.set(beast_http::field::user_agent, "parley");
  message.set(beast_http::field::connection, "close");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = std::move(request.body);
  message.prepare_payload();
  return message;
}

http_error classify(error_code ec) {
  using beast_http::error;
  if (ec == error::body_limit || ec == error::header_limit || ec == error::buffer_overflow) {
    return http_error::too_large;
  }
  const bool lost = ec == error::end_of_stream || ec == error::partial_message ||
                    ec.category() != make_error_code(error::end_of_stream).category();
  return lost ? http_error::cut : http_error::malformed;
}

// The I/O objects of one call. Owned by the call's coroutine; what waits elsewhere holds it weakly, so a call that is
// over leaves nothing behind. Thread safety: I/O thread only.
struct connection {
  connection(const asio::any_io_executor& executor, std::shared_ptr<call_control> call)
      : control(std::move(call)), resolver(executor), socket(executor), deadline(executor), pause(executor) {}

  void close() {
    closed = true;
    error_code ignored;
    resolver.cancel();
    socket.close(ignored);
    deadline.cancel();
    pause.cancel();
  }
  void fail(http_error error) {
    control->give_failure(error);
    close();
  }

  std::shared_ptr<call_control> control;
  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer deadline;
  asio::steady_timer pause;
  bool closed = false;
};
using connection_ptr = std::shared_ptr<connection>;

// Past this time the call fails, whatever it waits for. The system's name look-up can not be interrupted, so the
// failure does not wait for the coroutine.
void set_deadline(const connection_ptr& link, steady_clock::time_point until) {
  link->deadline.expires_at(until);
  link->deadline.async_wait([weak = std::weak_ptr(link)](error_code ec) {
    const auto alive = weak.lock();
    const bool moved = !alive || alive->deadline.expiry() > steady_clock::now();
    if (!ec && !moved) alive->fail(http_error::timed_out);
  });
}

// False when the call is over: closed meanwhile, or failed now.
bool went_well(const connection_ptr& link, error_code ec, http_error error) {
  if (!link->closed && ec) link->fail(error);
  return !link->closed;
}

asio::awaitable<bool> connect(connection_ptr link, const http_url& url, steady_clock::time_point until) {
  set_deadline(link, until);
  auto [resolve_error, endpoints] = co_await link->resolver.async_resolve(url.host, url.port, as_result);
  if (!went_well(link, resolve_error, http_error::unresolved)) co_return false;
  auto [connect_error, endpoint] = co_await asio::async_connect(link->socket, endpoints, as_result);
  if (!went_well(link, connect_error, http_error::unreachable)) co_return false;
  error_code ignored;
  link->socket.set_option(tcp::no_delay(true), ignored);
  co_return true;
}

// One answer being read.
struct incoming {
  incoming() {
    parser.header_limit(max_header_bytes);
    parser.body_limit(max_body_bytes);
  }
  boost::beast::flat_buffer buffer{max_header_bytes + chunk_bytes};
  response_parser parser;
};

asio::awaitable<bool> ask(connection_ptr link, const outgoing& message, incoming& answer) {
  auto [write_error, written] = co_await beast_http::async_write(link->socket, message, as_result);
  if (!went_well(link, write_error, http_error::cut)) co_return false;
  auto [ec, read] = co_await beast_http::async_read_header(link->socket, answer.buffer, answer.parser, as_result);
  co_return went_well(link, ec, classify(ec));
}

// The parser stays lazy (not eager): an eager one waits for the next chunk's size before it gives out this chunk.
asio::awaitable<void> read_body(connection_ptr link, incoming& answer, std::chrono::milliseconds between_bytes) {
  std::array<char, chunk_bytes> chunk;
  auto& body = answer.parser.get().body();
  while (!answer.parser.is_done()) {
    body.data = chunk.data();
    body.size = chunk.size();
    auto [ec, read] = co_await beast_http::async_read_some(link->socket, answer.buffer, answer.parser, as_result);
    if (ec == beast_http::error::need_buffer) ec = {};
    const std::string_view bytes(chunk.data(), chunk.size() - body.size);
    if (link->closed) co_return;
    if (!bytes.empty()) set_deadline(link, steady_clock::now() + between_bytes);
    if (!bytes.empty() && !link->control->give_body(bytes)) co_return link->close();
    if (!went_well(link, ec, classify(ec))) co_return;
  }
  link->control->give_end();
  link->close();
}

bool is_busy(int status) { return status == 429 || status >= 500; }

asio::awaitable<void> converse(connection_ptr link, http_request request) {
  const auto timeouts = request.timeouts;
  const auto message = to_beast(request);
  std::optional<incoming> answer;
  std::optional<steady_clock::time_point> first_byte_until;
  for (bool retry = request.retry_when_busy;; retry = false) {
    const auto connect_until = steady_clock::now() + timeouts.connect;
    const bool connected =
        co_await connect(link, request.url, std::min(connect_until, first_byte_until.value_or(connect_until)));
    if (!connected) co_return;
    if (!first_byte_until) first_byte_until = steady_clock::now() + timeouts.first_byte;
    set_deadline(link, *first_byte_until);
    answer.emplace();
    const bool answered = co_await ask(link, message, *answer);
    if (!answered) co_return;
    const int status = answer->parser.get().result_int();
    if (!retry || !is_busy(status) || steady_clock::now() + retry_pause >= *first_byte_until) break;
    error_code ignored;
    link->socket.close(ignored);
    link->pause.expires_after(retry_pause);
    co_await link->pause.async_wait(as_result);
    if (link->closed) co_return;
  }
  const auto& fields = answer->parser.get();
  const http_head head{static_cast<int>(fields.result_int()), std::string(fields[beast_http::field::content_type])};
  if (!link->control->give_head(head)) co_return link->close();
  co_await read_body(link, *answer, timeouts.between_bytes);
}

// The coroutine of one call; it ends when nothing of the connection is left.
asio::awaitable<void> run(std::shared_ptr<call_control> control, http_request request) {
  const auto executor = co_await asio::this_coro::executor;
  const auto link = std::make_shared<connection>(executor, control);
  const bool begun = control->begin([executor, weak = std::weak_ptr(link)] {
    asio::post(executor, [weak] {
      if (const auto alive = weak.lock()) alive->close();
    });
  });
  if (begun) co_await converse(link, std::move(request));
  link->close();
}

}  // namespace

// Thread safety: start() and the destructor as those of http_client.
class http_client::io_thread {
 public:
  io_thread() : work_(asio::make_work_guard(io_)), thread_([this] { io_.run(); }) {}
  ~io_thread() {
    for (const auto& weak : close_entry()) {
      if (const auto control = weak.lock()) control->cancel();
    }
    work_.reset();
    thread_.join();
  }
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;

  void start(const std::shared_ptr<call_control>& control, http_request request) {
    {
      const std::lock_guard lock(m_);
      if (closing_) return;  // as if cancelled at once
      std::erase_if(calls_, [](const auto& call) { return call.expired(); });
      calls_.push_back(control);
    }
    asio::co_spawn(io_, run(control, std::move(request)), [control](const std::exception_ptr& thrown) {
      if (thrown) control->give_failure(http_error::malformed);
      control->finish();
    });
  }

 private:
  std::vector<std::weak_ptr<call_control>> close_entry() {
    const std::lock_guard lock(m_);
    closing_ = true;
    return std::move(calls_);
  }

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::mutex m_;
  // Guarded by m_
  std::vector<std::weak_ptr<call_control>> calls_;
  bool closing_ = false;
  // Last: starts when everything above exists.
  std::thread thread_;
};

http_call::http_call(std::shared_ptr<call_control> control) : control_(std::move(control)) {}
http_call::~http_call() { control_->cancel(); }

http_client::http_client() : io_(std::make_unique<io_thread>()) {}
http_client::~http_client() = default;

std::unique_ptr<http_call> http_client::start(http_request request, http_callbacks callbacks) {
  const auto control = std::make_shared<call_control>(std::move(callbacks));
  auto call = std::make_unique<http_call>(control);
  io_->start(control, std::move(request));
  return call;
}

}  // namespace parley::adapters::http
