// Wrong keys and resume tokens, counted by the address they come from, so that guessing takes its time. Everybody from
// that address who shows a key or token waits, before it is looked at: were only wrong ones slow, a guesser would take
// silence for a no. Who guesses nothing there loses at most `longest_delay`, and forgiveness brings the delay to none
// in half a minute:
//
//   wrong ones remembered   1 .. 20   21     22      23  ..  26
//   delay                   none      50 ms  100 ms  200 ..  1 s          one is forgiven every 5 s
//
// An IPv6 address stands for its /64, which is one customer's. Bounded: beyond `max_addresses` the address that has
// been quiet for longest is forgotten.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace parley::server {

class guess_table {
 public:
  using duration = std::chrono::steady_clock::duration;
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::size_t max_addresses = 4096;
  // People mistype, and programs with an old key try again: this many cost nothing.
  static constexpr int free_guesses = 20;
  static constexpr std::chrono::milliseconds first_delay{50};
  static constexpr std::chrono::milliseconds longest_delay{1000};
  static constexpr std::chrono::seconds forgiven_after{5};

  // How long whoever comes from there waits.
  [[nodiscard]] duration delay(const boost::asio::ip::address& from, time_point now) const;
  void note(const boost::asio::ip::address& from, time_point now);

  // All of them, since the start.
  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::size_t addresses() const;

 private:
  using name = boost::asio::ip::address_v6::bytes_type;
  struct entry {
    int wrong = 0;  // at `last`
    time_point last{};
  };
  static name name_of(const boost::asio::ip::address& from);
  static int remembered(const entry& one, time_point now);
  void make_room();

  mutable std::mutex m_;
  // Guarded by m_.
  std::map<name, entry> entries_;
  std::uint64_t total_ = 0;
  // Thread safety: all members from any thread.
};

}  // namespace parley::server
