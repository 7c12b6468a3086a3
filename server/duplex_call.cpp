#include "server/duplex_call.hpp"

#include "protocol/encode.hpp"
#include "server/duplex_socket.hpp"
#include "server/guard.hpp"
#include "server/live_session.hpp"
#include "server/log_text.hpp"
#include "server/peer.hpp"
#include "server/pinger.hpp"
#include "server/random_ids.hpp"
#include "server/run_on.hpp"
#include "server/session_opening.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

namespace parley::server {

using namespace boost::asio::experimental::awaitable_operators;
using protocol::errc;
using runtime::close_reason;

namespace {

// How long a peer may take to answer the upgrade's end or a close frame.
constexpr std::chrono::seconds close_timeout{5};
// A longer message is answered and dropped; one that is announced longer than a frame may be ends the socket (1009).
constexpr std::size_t max_text_bytes = 15 * 1024 * 1024;
constexpr std::size_t max_frame_bytes = 16 * 1024 * 1024;

// How much later than due a session may be woken to look at its lease.
constexpr std::chrono::seconds lease_slack{1};

using message = live_session::message;

ping_limits limits_of(const config::config& from) {
  return {from.server.ping_interval, from.server.ping_timeout, from.delivery.write_timeout};
}

// The lease is looked at first: a socket is lost by its silence only where running work has kept the lease alive.
std::optional<std::chrono::seconds> longest_silence(std::optional<int> lease_s, const config::resume_config& from) {
  return lease_s ? std::optional(std::chrono::seconds(*lease_s) + from.reaper + lease_slack) : std::nullopt;
}

bool is_object(protocol::frame_view text) {
  const std::string_view all(text.data, text.size);
  const auto first = all.find_first_not_of(" \t\r\n");
  return first != all.npos && all[first] == '{';
}

// What a socket is told that takes no part in a session.
std::shared_ptr<const std::string> rendered(protocol::event_body told) {
  return std::make_shared<const std::string>(
      protocol::render(protocol::dialect::duplex, {new_event_id(), std::move(told)}));
}

class duplex_call {
 public:
  duplex_call(duplex_socket::pointer socket, asio::ip::address from, session_wish wish, services& shared, executor home)
      : home_(home),
        from_(std::move(from)),
        shared_(shared),
        wish_(std::move(wish)),
        socket_(std::move(socket)),
        pings_(home, socket_->stream(), limits_of(shared.configuration)),
        never_(home),
        decoder_(protocol::dialect::duplex) {
    socket_->stream().on_stalled([this] { give_up_message(); });
  }

  // Until the socket has ended.
  task<void> run();

 private:
  task<close_reason> read();
  task<close_reason> say_goodbye();
  [[nodiscard]] message decode(protocol::frame_view text);
  task<void> take(const message& got);
  task<void> take_first(const message& got, bool object);
  void open(const protocol::session_patch& patch);
  void give_up_message();
  task<void> resume(const protocol::session_resume& wish, const std::optional<std::string>& client_event_id);
  void refuse(protocol::event_body told, std::uint16_t code, std::string_view text);
  void refuse(protocol::wire_error error);

  const executor home_;
  const asio::ip::address from_;
  services& shared_;
  const session_wish wish_;
  const duplex_socket::pointer socket_;
  pinger pings_;
  alarm never_;
  protocol::decoder decoder_;
  std::shared_ptr<live_session> session_;  // null: neither opened nor resumed yet
  bool first_taken_ = false;
  // Thread safety: none; used on the socket's executor.
};

task<void> duplex_call::run() {
  const auto told = shared_.notice.subscribe(home_, [this](stage) {
    // The sessions that are open are told by themselves.
    if (!session_) refuse({.code = errc::server_shutdown, .message = "The server is shutting down."});
  });
  if (wish_.autostart) open({});
  const protocol::session_id unnamed{"(of a socket)"};
  const auto guarded = [&](task<close_reason> child) {
    return guard(std::move(child), socket_->stream(), *shared_.log, unnamed);
  };
  static_cast<void>(co_await (guarded(read()) || guarded(say_goodbye()) || guarded(pings_.run())));
  if (!session_) co_return;
  asio::post(session_->home(), [session = session_, socket = socket_] { session->lost(*socket); });
}

// ---- the children -------------------------------------------------------------------------------------------------

task<close_reason> duplex_call::read() {
  auto& stream = socket_->stream();
  while (true) {
    const auto [ec, bytes] = co_await stream.read();
    if (is_orderly_close(ec)) co_return close_reason::client_close;
    if (ec) break;
    pings_.heard();
    if (!socket_->is_leaving()) {
      const auto text = stream.message();
      const auto got = decode(text);
      if (session_) socket_->note_heard();
      if (session_ && session_->home() == home_ && !session_->is_being_taken()) {
        session_->hear(*socket_, got);
      } else if (session_) {
        co_await take(got);
      } else {
        co_await take_first(got, stream.message_is_text() && is_object(text));
      }
    }
    stream.drop_message();
    if (session_ && session_->home() == home_ && session_->is_full()) co_await session_->wait_for_room(*socket_);
  }
  // The closing handshake has taken over the reading: it decides the end, within its own deadline.
  if (socket_->is_leaving()) co_await never_.wait();
  co_return close_reason::disconnect;
}

task<close_reason> duplex_call::say_goodbye() {
  using clock = std::chrono::steady_clock;
  const auto timeout = shared_.configuration.session.config_timeout;
  if (!session_) co_await socket_->wait_for_goodbye(clock::now() + timeout);
  if (!session_ && !first_taken_) refuse({.code = errc::config_timeout, .message = "No message came in time."});
  co_await socket_->wait_for_goodbye(clock::time_point::max());
  co_await socket_->leave();
  co_return close_reason::client_close;
}

// ---- messages -----------------------------------------------------------------------------------------------------

message duplex_call::decode(protocol::frame_view text) {
  if (!socket_->stream().message_is_text()) {
    return protocol::wire_error{.code = errc::bad_event,
                                .message = "Binary messages are not accepted: send JSON events as text messages."};
  }
  if (text.size > max_text_bytes) {
    return protocol::wire_error{.code = errc::event_too_large, .message = "The event is larger than 15 MiB."};
  }
  return decoder_.decode(text);
}

// A message is not complete in its time. The session lives on; it writes nothing any more before the close frame goes.
void duplex_call::give_up_message() {
  const auto reason = close_reason::message_timeout;
  farewell last{{}, runtime::close_code(reason), std::string(runtime::close_text(reason))};
  shared_.peers->refused("socket " + last.text);
  if (!session_) return duplex_socket::say_goodbye(socket_, std::move(last));
  asio::post(session_->home(), [session = session_, socket = socket_, last = std::move(last)] {
    session->lost(*socket);
    duplex_socket::say_goodbye(socket, last);
  });
}

task<void> duplex_call::take(const message& got) {
  return run_on(session_->home(), session_->hear_when_decided(*socket_, got));
}

task<void> duplex_call::take_first(const message& got, bool object) {
  first_taken_ = true;
  if (!got && refuses_open(got.error(), object)) co_return refuse(got.error());
  if (got) {
    if (const auto* wish = std::get_if<protocol::session_resume>(&got->body)) {
      co_return co_await resume(*wish, got->client_event_id);
    }
    if (const auto* update = std::get_if<protocol::session_update>(&got->body)) co_return open(update->patch);
  }
  open({});
  if (session_) co_await take(got);
}

// ---- the session --------------------------------------------------------------------------------------------------

void duplex_call::open(const protocol::session_patch& patch) {
  auto opening = choose_opening(wish_, patch, shared_.models);
  if (auto* error = std::get_if<protocol::wire_error>(&opening)) return refuse(std::move(*error));
  auto& chosen = std::get<session_opening>(opening);
  auto slot = shared_.sessions.try_take();
  if (!slot) return refuse(no_room(shared_.configuration.limits.max_sessions));
  pings_.allow_silence(longest_silence(chosen.settings.duplex.idle_timeout_s, shared_.configuration.resume));
  auto options = make_session_options(shared_.configuration, protocol::dialect::duplex, std::move(chosen.settings),
                                      chosen.model->capabilities(), shared_.tools);
  if (options.capabilities.resumes) options.resume = protocol::attachment{1, resume_tokens::fresh()};
  auto session =
      std::make_shared<live_session>(home_, std::move(options), shared_, socket_, *std::move(slot), wish_.opener);
  try {
    session->start(*chosen.model);
  } catch (const std::exception& failure) {
    shared_.log->error("model {} not opened: {}", shared_.models.name_of(*chosen.model), for_log(failure.what()));
    return refuse({.code = errc::internal_error, .message = "The model could not be opened."});
  }
  session_ = session;
  shared_.tasks.spawn(home_, live_session::run(std::move(session)), "session");
}

task<void> duplex_call::resume(const protocol::session_resume& wish,
                               const std::optional<std::string>& client_event_id) {
  co_await wait_for_turn(from_, shared_.guesses);
  if (socket_->is_leaving()) co_return;         // the server began to shut down meanwhile
  session_ = shared_.live->find(wish.session);  // from now on the end of this socket is told to it
  live_session::refusal told = protocol::error_event{
      {.code = errc::session_resume_expired, .message = "There is no such session, or none any more."}, true};
  if (session_) told = co_await run_on(session_->home(), session_->resume(socket_, wish, wish_.opener));
  if (!told) {
    const auto lease_s = co_await run_on(session_->home(), session_->lease_s());
    co_return pings_.allow_silence(longest_silence(lease_s, shared_.configuration.resume));
  }
  session_.reset();
  if (auto* failed = std::get_if<protocol::error_event>(&*told)) {
    if (failed->error.code == errc::invalid_resume_token) {
      shared_.guesses.note(from_, std::chrono::steady_clock::now());
    }
    failed->error.client_event_id = client_event_id;
    co_return refuse(std::move(failed->error));
  }
  refuse(*std::move(told), runtime::close_code(close_reason::session_replaced), "journal_gap");
}

void duplex_call::refuse(protocol::event_body told, std::uint16_t code, std::string_view text) {
  shared_.peers->refused("socket " + std::string(text));
  duplex_socket::say_goodbye(socket_, {rendered(std::move(told)), code, std::string(text)});
}

void duplex_call::refuse(protocol::wire_error error) {
  const auto code = error.code;
  refuse(protocol::error_event{std::move(error), true}, refusal_close_code(code), protocol::duplex_name(code));
}

}  // namespace

task<void> serve_duplex(tcp_socket socket, http_request request, session_wish wish, services& shared) {
  const executor home = co_await asio::this_coro::executor;
  auto subprotocol = std::move(wish.subprotocol);
  auto from = address_of(socket);
  const auto call_permit = shared.calls.try_take();
  const websocket_limits limits{max_frame_bytes, close_timeout, shared.configuration.server.message_timeout};
  const auto link =
      std::make_shared<duplex_socket>(std::move(socket), limits, shared.configuration.delivery.write_timeout);
  const auto failure = co_await link->stream().accept(request, std::move(subprotocol));
  if (failure) co_return;
  duplex_call call(link, std::move(from), std::move(wish), shared, home);
  co_await call.run();
}

}  // namespace parley::server
