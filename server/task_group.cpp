#include "server/task_group.hpp"

#include "server/log_text.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <utility>

namespace parley::server {

void task_group::spawn(executor home, task<void> work, const char* name) {
  const auto signal = std::make_shared<asio::cancellation_signal>();
  position at;
  {
    const std::lock_guard lock(m_);
    if (closed_) return;
    at = entries_.insert(entries_.end(), entry{home, signal});
  }
  // The handler keeps the signal: its slot is used until the handler has run.
  auto done = [this, at, name, signal](std::exception_ptr failure) { finished(at, name, std::move(failure)); };
  asio::co_spawn(home, std::move(work),
                 asio::bind_cancellation_slot(signal->slot(), asio::bind_executor(home, std::move(done))));
}

void task_group::close() {
  const std::lock_guard lock(m_);
  closed_ = true;
}

void task_group::cancel() {
  const std::lock_guard lock(m_);
  for (const auto& one : entries_) {
    asio::post(one.home, [signal = one.signal] { signal->emit(asio::cancellation_type::terminal); });
  }
}

void task_group::finished(position at, const char* name, std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    if (error.code() != asio::error::operation_aborted) {
      ++failures_;
      log_->error("{}: {}", name, for_log(error.what()));
    }
  } catch (const std::exception& error) {
    ++failures_;
    log_->error("{}: {}", name, for_log(error.what()));
  }
  std::function<void()> empty;
  {
    const std::lock_guard lock(m_);
    entries_.erase(at);
    if (entries_.empty()) empty = std::exchange(empty_, nullptr);
  }
  if (empty) empty();
}

void task_group::when_empty(std::function<void()> empty) {
  {
    const std::lock_guard lock(m_);
    if (!entries_.empty()) {
      empty_ = std::move(empty);
      return;
    }
  }
  empty();
}

}  // namespace parley::server
