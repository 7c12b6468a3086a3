#include "server/peer_log.hpp"

#include <utility>

namespace parley::server {

void peer_log::refused(std::string_view cause) {
  const std::lock_guard lock(m_);
  if (const auto known = refused_.find(cause); known != refused_.end()) {
    ++known->second;
  } else {
    refused_.emplace(cause, 1);
  }
}

void peer_log::tell(time_point now) {
  std::string line;
  for (const auto& [cause, count] : take(now)) {
    line += (line.empty() ? "" : ", ") + cause + " x" + std::to_string(count);
  }
  if (!line.empty()) log_->warn("refused: {}", line);
}

peer_log::counts peer_log::take(time_point now) {
  const std::lock_guard lock(m_);
  if (refused_.empty() || (told_ != time_point::min() && now < told_ + period)) return {};
  told_ = now;
  return std::exchange(refused_, {});
}

}  // namespace parley::server
