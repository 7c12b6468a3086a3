// What the owner of a running HTTP call and the I/O thread share: the callbacks, and the fence between "cancelled" and
// "a callback runs". It holds no I/O object, so it may outlive the client.
#pragma once

#include "adapters/http/http_client.hpp"

#include <functional>
#include <mutex>
#include <utility>

namespace parley::adapters::http {

// Thread safety: all members may be called from any thread.
class call_control {
 public:
  explicit call_control(http_callbacks callbacks) : callbacks_(std::move(callbacks)) {}

  // Sets what closes the connection; called under the lock, so it must not wait. False: already cancelled.
  [[nodiscard]] bool begin(std::function<void()> abort) {
    const std::lock_guard lock(m_);
    if (over_) return false;
    abort_ = std::move(abort);
    return true;
  }
  // The connection is gone: there is nothing to close any more.
  void finish() {
    const std::lock_guard lock(m_);
    abort_ = nullptr;
  }
  // After it returned no callback runs (within a callback: no further one).
  void cancel() {
    const std::lock_guard lock(m_);
    over_ = true;
    if (abort_) abort_();
  }
  // The next callback, unless the call is over. False: stop.
  [[nodiscard]] bool give_head(const http_head& head) {
    const std::lock_guard lock(m_);
    return go_on(!over_ && callbacks_.head(head));
  }
  [[nodiscard]] bool give_body(std::string_view bytes) {
    const std::lock_guard lock(m_);
    return go_on(!over_ && callbacks_.body(bytes));
  }
  void give_end() {
    const std::lock_guard lock(m_);
    if (!std::exchange(over_, true)) callbacks_.end();
  }
  void give_failure(http_error error) {
    const std::lock_guard lock(m_);
    if (!std::exchange(over_, true)) callbacks_.failed(error);
  }

 private:
  bool go_on(bool wanted) {
    if (!wanted) over_ = true;
    return !over_;
  }

  // Recursive: a callback may destroy its own call.
  std::recursive_mutex m_;
  // Guarded by m_
  http_callbacks callbacks_;
  std::function<void()> abort_;
  bool over_ = false;
};

}  // namespace parley::adapters::http
