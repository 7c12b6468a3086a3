#include "server/session_registry.hpp"

#include <utility>

namespace parley::server {

void local_registry::put(const protocol::session_id& id, std::shared_ptr<live_session> session) {
  const std::lock_guard lock(m_);
  sessions_.insert_or_assign(id, std::move(session));
}

void local_registry::erase(const protocol::session_id& id) {
  std::shared_ptr<live_session> gone;  // destroyed after the lock is released
  const std::lock_guard lock(m_);
  const auto at = sessions_.find(id);
  if (at == sessions_.end()) return;
  gone = std::move(at->second);
  sessions_.erase(at);
}

std::shared_ptr<live_session> local_registry::find(const protocol::session_id& id) const {
  const std::lock_guard lock(m_);
  const auto at = sessions_.find(id);
  return at == sessions_.end() ? nullptr : at->second;
}

std::unique_ptr<runtime::journal> local_registry::open_journal(const protocol::session_id&,
                                                               const runtime::journal_limits& limits) {
  return std::make_unique<runtime::memory_journal>(limits);
}

}  // namespace parley::server
