#include "runtime/journal.hpp"

#include <string_view>
#include <utility>

namespace parley::runtime {

namespace {

// What protocol::append_sequence adds.
std::size_t bytes_of_number(std::uint64_t number) noexcept {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return std::string_view(R"(,"server_event_seq":)").size() + digits;
}

}  // namespace

bool memory_journal::admits(std::size_t rendered_bytes, time_point now) {
  if (stopped_) return false;
  trim(now);
  if (bytes_ + rendered_bytes + bytes_of_number(last_ + 1) <= limits_.max_bytes) return true;
  stopped_ = true;
  entries_.clear();
  bytes_ = 0;
  return false;
}

void memory_journal::append(event_bytes event, time_point now) {
  ++last_;
  bytes_ += event->size();
  entries_.push_back({std::move(event), now});
}

bool memory_journal::acknowledge(std::uint64_t number) {
  if (number > last_) return false;
  while (entries_.size() > last_ - number) drop_oldest();
  return true;
}

void memory_journal::trim(time_point now) {
  while (!entries_.empty() && entries_.front().at + limits_.max_age <= now) drop_oldest();
}

void memory_journal::drop_oldest() {
  bytes_ -= entries_.front().event->size();
  entries_.pop_front();
}

std::optional<std::deque<journal::event_bytes>> memory_journal::after(std::uint64_t number) const {
  const auto wanted = last_ - number;
  if (stopped_ || wanted > entries_.size()) return std::nullopt;
  std::deque<event_bytes> events;
  for (auto at = entries_.size() - wanted; at < entries_.size(); ++at) events.push_back(entries_[at].event);
  return events;
}

}  // namespace parley::runtime
