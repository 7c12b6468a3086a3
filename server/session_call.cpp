#include "server/session_call.hpp"

#include "server/guard.hpp"
#include "server/log_text.hpp"
#include "server/pinger.hpp"
#include "server/session_host.hpp"
#include "server/session_setup.hpp"
#include "server/socket_reader.hpp"
#include "server/socket_watch.hpp"
#include "server/socket_writer.hpp"
#include "server/websocket.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <optional>
#include <utility>
#include <variant>

namespace parley::server {

using namespace boost::asio::experimental::awaitable_operators;
using runtime::close_reason;

namespace {

// How long a peer may take to answer the upgrade's end or a close frame.
constexpr std::chrono::seconds close_timeout{5};

// What lives as long as the session's socket; the order is the order of dependence.
struct session_parts {
  session_parts(executor home, const session_wish& wish, services& shared, tcp_socket socket)
      : ws(std::move(socket),
           {shared.configuration.limits.frame_bytes, close_timeout, shared.configuration.server.message_timeout}),
        deadline_alarm(home),
        host(home, deadline_alarm,
             make_session_options(shared.configuration, wish.dialect, wish.settings, wish.model->capabilities(),
                                  shared.tools),
             make_delivery_limits(shared.configuration.delivery), shared.peers),
        writer(home, host, ws),
        reader(home, wish.dialect, host, ws, writer),
        watch(deadline_alarm, host, ws, writer, shared.configuration.delivery.write_timeout),
        pings(home, ws,
              {shared.configuration.server.ping_interval, shared.configuration.server.ping_timeout,
               shared.configuration.delivery.write_timeout}) {
    ws.on_stalled([this] { host.close(close_reason::message_timeout); });
  }

  websocket ws;
  alarm deadline_alarm;
  session_host host;
  socket_writer writer;
  socket_reader reader;
  socket_watch watch;
  pinger pings;
};

task<close_reason> run_children(session_parts& parts, spdlog::logger& log) {
  const auto guarded = [&](task<close_reason> child) {
    return guard(std::move(child), parts.ws, log, parts.host.id());
  };
  const auto first = co_await (guarded(parts.reader.run()) || guarded(parts.writer.run()) ||
                               guarded(parts.watch.deadlines()) || guarded(parts.pings.run()));
  co_return std::visit([](close_reason reason) { return reason; }, first);
}

// False when the model could not be opened; the text of the exception is for the log alone.
bool start(session_parts& parts, runtime::model& model, spdlog::logger& log) {
  try {
    parts.host.start(model);
    return true;
  } catch (const std::exception& failure) {
    log.error("session {}: model not opened: {}", parts.host.id().value, for_log(failure.what()));
    return false;
  }
}

void on_stage(session_host& host, stage reached) {
  if (reached == stage::draining) host.drain();
  if (reached == stage::closing) host.close(close_reason::shutdown);
}

}  // namespace

task<void> serve_session(tcp_socket socket, http_request request, session_wish wish, permit_pool::permit place,
                         services& shared) {
  const executor home = co_await asio::this_coro::executor;
  session_parts parts(home, wish, shared, std::move(socket));
  auto& log = *shared.log;
  const auto refused = co_await parts.ws.accept(request, std::move(wish.subprotocol));
  if (refused) co_return;
  const auto call = shared.calls.try_take();
  // The place is the session's, not the socket's: a peer that is slow to close takes none.
  std::optional<permit_pool::permit> slot(std::move(place));
  parts.host.when_ended([&slot] { slot.reset(); });
  parts.host.log().opened(shared.models.name_of(*wish.model));
  if (!start(parts, *wish.model, log)) {
    const auto reason = close_reason::model_lost;
    slot.reset();
    static_cast<void>(co_await parts.ws.close(runtime::close_code(reason), runtime::close_text(reason)));
    co_return;
  }
  const auto told = shared.notice.subscribe(home, [&host = parts.host](stage reached) { on_stage(host, reached); });
  const auto reason = co_await run_children(parts, log);
  parts.host.close(reason);
  parts.host.log().ended(parts.host.reason_text());
}

}  // namespace parley::server
