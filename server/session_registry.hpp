// Where a session that outlives its socket is found again, and where what it said is kept. An interface, so that a
// store that several servers share can take the place of one process's memory.
#pragma once

#include "protocol/ids.hpp"
#include "runtime/journal.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace parley::server {

class live_session;

class session_registry {
 public:
  virtual ~session_registry() = default;
  virtual void put(const protocol::session_id& id, std::shared_ptr<live_session> session) = 0;
  virtual void erase(const protocol::session_id& id) = 0;
  // Null when there is none, or none any more.
  [[nodiscard]] virtual std::shared_ptr<live_session> find(const protocol::session_id& id) const = 0;
  // For one session, which alone uses it.
  [[nodiscard]] virtual std::unique_ptr<runtime::journal> open_journal(const protocol::session_id& id,
                                                                       const runtime::journal_limits& limits) = 0;
  // Thread safety: all members from any thread.
};

class local_registry final : public session_registry {
 public:
  void put(const protocol::session_id& id, std::shared_ptr<live_session> session) override;
  void erase(const protocol::session_id& id) override;
  [[nodiscard]] std::shared_ptr<live_session> find(const protocol::session_id& id) const override;
  [[nodiscard]] std::unique_ptr<runtime::journal> open_journal(const protocol::session_id& id,
                                                               const runtime::journal_limits& limits) override;

 private:
  // Guarded by m_.
  mutable std::mutex m_;
  std::unordered_map<protocol::session_id, std::shared_ptr<live_session>> sessions_;
};

}  // namespace parley::server
