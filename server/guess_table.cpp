#include "server/guess_table.hpp"

#include <algorithm>

namespace parley::server {

namespace {

// Beyond this the delay is the longest one, and forgiveness must not take longer than said.
constexpr int most_remembered = guess_table::free_guesses + 6;
constexpr std::size_t network_bytes = 8;

}  // namespace

guess_table::name guess_table::name_of(const boost::asio::ip::address& from) {
  using namespace boost::asio::ip;
  if (from.is_v4()) return make_address_v6(v4_mapped, from.to_v4()).to_bytes();
  auto bytes = from.to_v6().to_bytes();
  if (!from.to_v6().is_v4_mapped()) std::fill(bytes.begin() + network_bytes, bytes.end(), std::uint8_t{0});
  return bytes;
}

int guess_table::remembered(const entry& one, time_point now) {
  const auto forgiven = (now - one.last) / forgiven_after;
  return forgiven >= one.wrong ? 0 : one.wrong - static_cast<int>(forgiven);
}

guess_table::duration guess_table::delay(const boost::asio::ip::address& from, time_point now) const {
  const std::lock_guard lock(m_);
  const auto found = entries_.find(name_of(from));
  if (found == entries_.end()) return {};
  const int beyond = remembered(found->second, now) - free_guesses;
  if (beyond <= 0) return {};
  return std::min(first_delay * (1 << (beyond - 1)), longest_delay);
}

void guess_table::note(const boost::asio::ip::address& from, time_point now) {
  const std::lock_guard lock(m_);
  ++total_;
  const auto who = name_of(from);
  if (!entries_.contains(who)) make_room();
  auto& one = entries_[who];
  one = {std::min(remembered(one, now) + 1, most_remembered), now};
}

void guess_table::make_room() {
  if (entries_.size() < max_addresses) return;
  entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& left, const auto& right) {
    return left.second.last < right.second.last;
  }));
}

std::uint64_t guess_table::total() const {
  const std::lock_guard lock(m_);
  return total_;
}

std::size_t guess_table::addresses() const {
  const std::lock_guard lock(m_);
  return entries_.size();
}

}  // namespace parley::server
