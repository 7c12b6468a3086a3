// One caller of the soak: session after session until its time is over, each with something random every fifth of a
// second. All its randomness comes from its seed.
#pragma once

#include "bench/duplex_client.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>

namespace parley::bench {

struct soak_counts {
  duplex_counts events{};
  std::uint64_t opened = 0;
  std::uint64_t closed = 0;
  std::uint64_t expired = 0;
  std::uint64_t lost_by_rst = 0;
  std::uint64_t lost_by_fin = 0;
  std::uint64_t resumed = 0;
  std::uint64_t taken_over = 0;
  std::uint64_t appends = 0;
};

class soak_caller {
 public:
  // `expires_after`: when a session that was left is surely gone. `counts` and what `violated` uses outlive this.
  soak_caller(const executor& on, server_url to, std::uint64_t seed, std::chrono::milliseconds expires_after,
              soak_counts& counts, std::function<void(const std::string&)> violated);

  // Sessions until then; the last is brought to its end.
  [[nodiscard]] task<void> run(clock::time_point until);

 private:
  [[nodiscard]] task<bool> hold_session(clock::time_point until);
  [[nodiscard]] task<bool> do_something(duplex_client& with);
  [[nodiscard]] task<void> speak(duplex_client& with, const std::string& audio);
  [[nodiscard]] task<bool> come_back(duplex_client& with);
  [[nodiscard]] task<bool> take_over(duplex_client& with);
  [[nodiscard]] task<bool> leave(duplex_client& with);
  [[nodiscard]] task<void> pause(std::chrono::milliseconds time);
  [[nodiscard]] int pick(int from, int to);
  void lose_socket(duplex_client& with);

  const executor executor_;
  const server_url to_;
  const std::chrono::milliseconds expires_after_;
  soak_counts& counts_;
  const std::function<void(const std::string&)> violated_;
  std::mt19937_64 random_;
  std::deque<duplex_client> sessions_{};  // also those that are over: their readers refer to them
  // Thread safety: none; used on its executor.
};

}  // namespace parley::bench
