// What every connection uses, made once by the server and outliving all connections.
#pragma once

#include "config/config.hpp"
#include "server/auth.hpp"
#include "server/client_secrets.hpp"
#include "server/drain_notice.hpp"
#include "server/guess_table.hpp"
#include "server/model_catalog.hpp"
#include "server/page_rules.hpp"
#include "server/peer_log.hpp"
#include "server/permits.hpp"
#include "server/session_registry.hpp"
#include "server/session_setup.hpp"
#include "server/task_group.hpp"

#include <spdlog/logger.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace parley::server {

struct services {
  // Constant after construction.
  const config::config configuration;
  const key_ring keys;
  const client_secrets secrets;
  const model_catalog models;
  const session_tools tools;
  const std::shared_ptr<spdlog::logger> log;
  const page_rules pages{configuration.server};
  // Thread-safe by themselves.
  const std::shared_ptr<peer_log> peers = std::make_shared<peer_log>(log);
  drain_notice notice{};
  guess_table guesses{};
  permit_pool connections{static_cast<std::size_t>(configuration.limits.max_connections)};
  permit_pool sessions{static_cast<std::size_t>(configuration.limits.max_sessions)};
  // Sockets of sessions: a session that has ended may still be saying so.
  permit_pool calls{std::numeric_limits<std::size_t>::max()};
  task_group tasks{log};  // connections, the accept loop, and sessions that outlive their sockets
  const std::unique_ptr<session_registry> live = std::make_unique<local_registry>();
};

}  // namespace parley::server
