// Counted permission: how many sockets or sessions may exist at once. A permit is given back when it is destroyed, so a
// slot can not leak on any way out of a coroutine. Lifecycle: the pool outlives its permits.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace parley::server {

class permit_pool {
 public:
  class permit {
   public:
    permit(permit&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
    permit& operator=(permit&&) = delete;
    ~permit() {
      if (pool_ != nullptr) pool_->give_back();
    }

   private:
    friend class permit_pool;
    explicit permit(permit_pool& pool) noexcept : pool_(&pool) {}
    permit_pool* pool_;
  };

  explicit permit_pool(std::size_t limit) : limit_(limit) {}
  permit_pool(const permit_pool&) = delete;
  permit_pool& operator=(const permit_pool&) = delete;

  // Empty when all are taken.
  [[nodiscard]] std::optional<permit> try_take();
  [[nodiscard]] std::size_t in_use() const;
  // Calls `idle` once, when no permit is out: at once, or from the thread that gives the last one back.
  void when_idle(std::function<void()> idle);

 private:
  void give_back();

  const std::size_t limit_;
  // Guarded by m_.
  mutable std::mutex m_;
  std::size_t in_use_ = 0;
  std::function<void()> idle_;
  // Thread safety: all members from any thread.
};

}  // namespace parley::server
