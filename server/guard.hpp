// Runs a child of a `||` group so that it always gives a reason: an exception that left a child would be swallowed by
// the group while the siblings run on. Whatever ended the child has ended the socket: cutting it here lets go of the
// operations of the siblings that wait inside the WebSocket library, where cancellation does not reach them.
#pragma once

#include "protocol/ids.hpp"
#include "runtime/close_reason.hpp"
#include "server/executor.hpp"
#include "server/websocket.hpp"

#include <spdlog/logger.h>

#include <exception>

namespace parley::server {

// A child that was cancelled ends with operation_aborted, which is no fault.
inline task<runtime::close_reason> guard(task<runtime::close_reason> child, websocket& socket, spdlog::logger& log,
                                         const protocol::session_id& id) {
  auto reason = runtime::close_reason::internal_error;
  try {
    reason = co_await std::move(child);
  } catch (const boost::system::system_error& failure) {
    if (failure.code() == asio::error::operation_aborted) {
      reason = runtime::close_reason::disconnect;
    } else {
      log.error("session {}: {}", id.value, failure.what());
    }
  } catch (const std::exception& failure) {
    log.error("session {}: {}", id.value, failure.what());
  }
  socket.abort();
  co_return reason;
}

}  // namespace parley::server
