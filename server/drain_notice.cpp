#include "server/drain_notice.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace parley::server {

drain_notice::subscription drain_notice::subscribe(executor home, std::function<void(stage)> call) {
  const std::lock_guard lock(m_);
  entries_.push_front(std::make_shared<entry>(entry{home, std::move(call)}));
  if (current_ != stage::serving) tell(entries_.front(), current_);
  return {*this, entries_.begin()};
}

void drain_notice::advance(stage to) {
  const std::lock_guard lock(m_);
  current_ = to;
  for (const auto& one : entries_) tell(one, to);
}

stage drain_notice::current() const {
  const std::lock_guard lock(m_);
  return current_;
}

void drain_notice::tell(const std::shared_ptr<entry>& one, stage reached) {
  asio::post(one->home, [one, reached] {
    if (one->call) one->call(reached);
  });
}

void drain_notice::remove(std::list<std::shared_ptr<entry>>::iterator at) {
  (*at)->call = nullptr;
  const std::lock_guard lock(m_);
  entries_.erase(at);
}

}  // namespace parley::server
