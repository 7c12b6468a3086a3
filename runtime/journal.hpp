// What a resumed socket may still need: the numbered events of one session, as they were rendered, oldest first.
//
//   numbers  1 ... [trimmed] | first ... last |   next
//
// Trimmed by session.event_ack, by age, and never by size: over its byte limit it stops for good, and from then on
// nothing can be resumed without a gap. The bytes are shared with the write. The clock is passed in.
// Thread safety: none; owned by the session's writer.
#pragma once

#include "runtime/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace parley::runtime {

struct journal_limits {
  std::size_t max_bytes = 8 * 1024 * 1024;  // compact JSON with the number
  duration max_age = std::chrono::seconds{60};
};

// An interface, so that a store that several servers share can take the place of one session's memory.
class journal {
 public:
  using event_bytes = std::shared_ptr<const std::string>;

  virtual ~journal() = default;

  // Whether an event that was rendered in so many bytes, without its number, fits. Stops when it does not.
  [[nodiscard]] virtual bool admits(std::size_t rendered_bytes, time_point now) = 0;
  // REQUIRES: admits() said yes to it; the bytes carry the number last() + 1.
  virtual void append(event_bytes event, time_point now) = 0;
  // False when that number was never given.
  [[nodiscard]] virtual bool acknowledge(std::uint64_t number) = 0;
  virtual void trim(time_point now) = 0;

  // The events above the number, in order; empty: some are gone, or the journal has stopped.
  // REQUIRES: number <= last().
  [[nodiscard]] virtual std::optional<std::deque<event_bytes>> after(std::uint64_t number) const = 0;
  // The number given last; 0 = none yet.
  [[nodiscard]] virtual std::uint64_t last() const noexcept = 0;
  [[nodiscard]] virtual bool stopped() const noexcept = 0;
};

class memory_journal final : public journal {
 public:
  explicit memory_journal(const journal_limits& limits) : limits_(limits) {}

  [[nodiscard]] bool admits(std::size_t rendered_bytes, time_point now) override;
  void append(event_bytes event, time_point now) override;
  [[nodiscard]] bool acknowledge(std::uint64_t number) override;
  void trim(time_point now) override;
  [[nodiscard]] std::optional<std::deque<event_bytes>> after(std::uint64_t number) const override;
  [[nodiscard]] std::uint64_t last() const noexcept override { return last_; }
  [[nodiscard]] bool stopped() const noexcept override { return stopped_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct entry {
    event_bytes event;
    time_point at;
  };
  void drop_oldest();

  const journal_limits limits_;
  std::deque<entry> entries_;  // numbers last_ - size + 1 ... last_
  std::uint64_t last_ = 0;
  std::size_t bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace parley::runtime
