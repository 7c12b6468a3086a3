#include "server/permits.hpp"

namespace parley::server {

std::optional<permit_pool::permit> permit_pool::try_take() {
  const std::lock_guard lock(m_);
  if (in_use_ >= limit_) return std::nullopt;
  ++in_use_;
  return permit(*this);
}

std::size_t permit_pool::in_use() const {
  const std::lock_guard lock(m_);
  return in_use_;
}

void permit_pool::when_idle(std::function<void()> idle) {
  {
    const std::lock_guard lock(m_);
    if (in_use_ > 0) {
      idle_ = std::move(idle);
      return;
    }
  }
  idle();
}

void permit_pool::give_back() {
  std::function<void()> idle;
  {
    const std::lock_guard lock(m_);
    if (--in_use_ == 0) idle = std::exchange(idle_, nullptr);
  }
  if (idle) idle();
}

}  // namespace parley::server
