// Tells every connection, on its own executor, that the server is going: first that it drains, then that the time is
// up. Lifecycle: outlives its subscriptions.
#pragma once

#include "server/executor.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace parley::server {

enum class stage : std::uint8_t {
  serving,
  draining,  // no new sessions; running answers may end
  closing,   // what is left ends now
};

class drain_notice {
  struct entry;

 public:
  // Ends with its destruction, on its executor.
  class subscription {
   public:
    subscription(drain_notice& notice, std::list<std::shared_ptr<entry>>::iterator at) : notice_(notice), at_(at) {}
    subscription(const subscription&) = delete;
    subscription& operator=(const subscription&) = delete;
    ~subscription() { notice_.remove(at_); }

   private:
    drain_notice& notice_;
    std::list<std::shared_ptr<entry>>::iterator at_;
  };

  drain_notice() = default;
  drain_notice(const drain_notice&) = delete;
  drain_notice& operator=(const drain_notice&) = delete;

  // `call` runs on `home`, once a stage after serving, also for one that was reached before.
  [[nodiscard]] subscription subscribe(executor home, std::function<void(stage)> call);
  void advance(stage to);
  [[nodiscard]] stage current() const;

 private:
  struct entry {
    executor home;
    std::function<void(stage)> call;  // owned by the executor; empty once the subscription ended
  };
  static void tell(const std::shared_ptr<entry>& one, stage reached);
  void remove(std::list<std::shared_ptr<entry>>::iterator at);

  // Guarded by m_.
  mutable std::mutex m_;
  std::list<std::shared_ptr<entry>> entries_;
  stage current_ = stage::serving;
  // Thread safety: advance() and current() from any thread; a subscription belongs to its executor.
};

}  // namespace parley::server
