// Runs a child of a `||` group so that it always gives a reason: an exception that left a child would be swallowed by
// the group while the siblings run on. Whatever ended a child of a socket has ended the socket: cutting it here lets go
// of the operations of the siblings that wait inside the WebSocket library, where cancellation does not reach them.
#pragma once

#include "protocol/ids.hpp"
#include "runtime/close_reason.hpp"
#include "server/executor.hpp"
#include "server/log_text.hpp"
#include "server/websocket.hpp"

#include <spdlog/logger.h>

#include <exception>

namespace parley::server {

// A child that was cancelled ends with operation_aborted, which is no fault.
inline task<runtime::close_reason> guard(task<runtime::close_reason> child, spdlog::logger& log,
                                         const protocol::session_id& id) {
  try {
    co_return co_await std::move(child);
  } catch (const boost::system::system_error& failure) {
    if (failure.code() == asio::error::operation_aborted) co_return runtime::close_reason::disconnect;
    log.error("session {}: {}", id.value, for_log(failure.what()));
  } catch (const std::exception& failure) {
    log.error("session {}: {}", id.value, for_log(failure.what()));
  }
  co_return runtime::close_reason::internal_error;
}

inline task<runtime::close_reason> guard(task<runtime::close_reason> child, websocket& socket, spdlog::logger& log,
                                         const protocol::session_id& id) {
  const auto reason = co_await guard(std::move(child), log, id);
  socket.abort();
  co_return reason;
}

}  // namespace parley::server
