// What peers make the server refuse, by cause: counted, and told in one line a second at most, because a stranger can
// cause as much of it as his link carries. Causes are the server's own words, never a peer's. Lifecycle: part of the
// services; the server calls tell() about once a second and once more at its end.
#pragma once

#include <spdlog/logger.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace parley::server {

class peer_log {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds period{1};

  explicit peer_log(std::shared_ptr<spdlog::logger> log) : log_(std::move(log)) {}
  peer_log(const peer_log&) = delete;
  peer_log& operator=(const peer_log&) = delete;

  [[nodiscard]] spdlog::logger& lines() const noexcept { return *log_; }
  // `cause` is one of a bounded set: a status and a code.
  void refused(std::string_view cause);
  // Writes what was refused since the last time, unless that was less than a period ago.
  void tell(time_point now);

 private:
  using counts = std::map<std::string, std::uint64_t, std::less<>>;
  [[nodiscard]] counts take(time_point now);

  const std::shared_ptr<spdlog::logger> log_;
  // Guarded by m_.
  std::mutex m_;
  counts refused_;
  time_point told_ = time_point::min();
  // Thread safety: all members from any thread.
};

}  // namespace parley::server
