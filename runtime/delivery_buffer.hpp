// The bounded buffer between a session and its socket writer: the contract below, a test for each sentence.
//
//   producers --put--> [ FIFO of rendered events | reserve | terminal slot ] --get--> one consumer --guard--> wire
//                            ^ invalidate(response, through)            held event: revocable until sequenced
//
// Two bounds. What waits: max_bytes and max_events. One event: whatever the limits of what it tells let in (a picture,
// the instructions, the sound of a turn); one that is larger than max_bytes is let in when nothing else waits, and
// until it is taken nothing but the reserve's events is let in behind it. An event is rendered once, at put; its bytes
// are what is counted, journaled and written. Nothing here blocks, waits or performs I/O. One FIFO; the reserve and the
// terminal slot only decide what is still let in, never the order. The lock is held for pointer moves: events are
// rendered, list nodes made and removed events destroyed outside it. Errors: make() and get() return them; a refusal of
// put() is its result. One per session; it outlives its producers, and a consumer that still waits when it goes is not
// called. Thread safety: put, invalidate and close from any thread; get, guard from the one consumer.
#pragma once

#include "protocol/dialect.hpp"
#include "protocol/event.hpp"

#include <boost/system/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace parley::runtime {

struct delivery_limits {
  std::size_t max_bytes = 2 * 1024 * 1024;  // rendered JSON that waits, audio as base64; one larger event waits alone
  std::size_t max_events = 512;
  std::size_t reserve_bytes = 64 * 1024;  // for `error` and `response.done` only
  std::size_t reserve_events = 8;
  std::size_t max_terminal_bytes = 4096;  // a larger terminal is replaced by a compact one
};

enum class put_result : std::uint8_t { accepted, closed, overflow };

// What was sequenced for the wire: how "sent" is told from "generated".
struct receipt {
  protocol::event_id event;
  std::uint64_t sequence = 0;  // 0: not numbered
  std::optional<protocol::response_id> response;
  std::optional<protocol::item_id> item;  // of an audio delta
  std::int64_t first_sample = 0;          // of an audio delta: its place in the item's audio
  std::int64_t samples = 0;               // 0 for everything else
};

class delivery_buffer {
 public:
  enum class get_status : std::uint8_t { ready, waiting, drained };

  // std::errc::invalid_argument when a limit is not positive.
  [[nodiscard]] static boost::system::result<std::unique_ptr<delivery_buffer>> make(const delivery_limits& limits,
                                                                                    protocol::dialect spoken);
  delivery_buffer(const delivery_buffer&) = delete;
  delivery_buffer& operator=(const delivery_buffer&) = delete;

  // Overflow leaves the queue exactly as it was: the caller waits for room (spill_queue) or fails the response. After
  // close: closed, dropped quietly. An event that the dialect does not have is accepted and goes nowhere.
  [[nodiscard]] put_result put(const protocol::server_event& event);

  // An event that was rendered and is not in yet, for a producer that tries again when there is room.
  class rendered;
  [[nodiscard]] rendered render(const protocol::server_event& event) const;
  // The same; after an overflow `event` is as it was, else it is used up.
  [[nodiscard]] put_result put(rendered& event);

  // Removes queued audio deltas of the response up to and including the epoch; one that the consumer holds but has not
  // sequenced becomes invalid. Every other event keeps its place. Remembers nothing afterwards.
  void invalidate(const protocol::response_id& response, protocol::epoch through);

  // Once; what is queued still goes out, then the terminal event, then drained. Harmless when closed already. A dialect
  // without terminal events gets none from its caller.
  void close(std::optional<protocol::terminal_event> terminal = std::nullopt,
             protocol::event_id id = protocol::event_id{});

  // Releases the held event and holds the next. waiting: `wake` is called once, from the thread that ends the wait and
  // outside the lock, when get() is worth calling again; an empty `wake` asks without waiting. drained: closed and
  // nothing is left.
  // A second consumer that waits: std::errc::operation_in_progress; nothing changes.
  [[nodiscard]] boost::system::result<get_status> get(std::function<void()> wake);

  // Validity of the held event, held stable while it lives. REQUIRES: get() said ready. Nothing may wait, allocate on a
  // socket or call out while a guard lives.
  class guard {
   public:
    explicit guard(delivery_buffer& buffer);
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

    // False: the event was invalidated and must be neither sequenced nor written.
    [[nodiscard]] bool valid() const noexcept;
    // Whether the dialect numbers and journals it.
    [[nodiscard]] bool journaled() const noexcept;
    // As it was rendered, without a number.
    [[nodiscard]] std::size_t size_bytes() const noexcept { return buffer_.held_.front().size_bytes; }
    // Marks the held event as sequenced: it can no longer be invalidated. With `splice`, the number becomes part of
    // the bytes. REQUIRES: valid(), called once per event.
    receipt sequence(std::uint64_t number, bool splice);
    // The bytes to write and journal, shared, immutable from now on. REQUIRES: sequence() was called.
    [[nodiscard]] std::shared_ptr<const std::string> bytes() const;

   private:
    delivery_buffer& buffer_;
    std::unique_lock<std::mutex> lock_;
  };

  // What waits, the held event not counted.
  [[nodiscard]] std::size_t pending_bytes() const;
  [[nodiscard]] std::size_t pending_events() const;

 private:
  // Where an event was let in; its bytes are counted there until it is taken.
  enum class room : std::uint8_t { ordinary, reserve, terminal };
  static constexpr std::size_t rooms = 3;

  struct usage {
    std::size_t bytes = 0;
    std::size_t events = 0;
  };

  // One rendered event and what must be known of it until it is sequenced.
  struct entry {
    std::shared_ptr<std::string> bytes;
    std::size_t size_bytes = 0;
    receipt facts;  // its sequence comes last
    bool audio = false;
    bool journaled = true;
    protocol::epoch epoch{};  // of an audio delta
    room counted_in = room::ordinary;
    bool valid = true;       // of the held event: not invalidated
    bool sequenced = false;  // of the held event: beyond invalidation
  };
  // Nodes move between lists by splicing: nothing is allocated or destroyed while m_ is held.
  using entries = std::list<entry>;

  delivery_buffer(const delivery_limits& limits, protocol::dialect spoken);

  [[nodiscard]] entry make_entry(const protocol::server_event& event) const;
  [[nodiscard]] entry make_terminal(const protocol::event_id& id, protocol::terminal_event terminal) const;

  // REQUIRES: m_ is held.
  [[nodiscard]] bool fits(room where, std::size_t size_bytes) const noexcept;
  [[nodiscard]] std::optional<room> find_room(std::size_t size_bytes, bool vital) const noexcept;
  std::function<void()> append(entries& fresh, room where) noexcept;
  void uncount(const entry& gone) noexcept;

  // Constant after construction
  const std::array<usage, rooms> limits_;  // by room
  const protocol::dialect spoken_;

  // Guarded by m_
  mutable std::mutex m_;
  entries queue_;                    // oldest first; the terminal event, if any, is the last
  entries held_;                     // at most one: the consumer's
  std::array<usage, rooms> used_{};  // of queue_, by room
  std::function<void()> wake_;       // of the waiting consumer; set only while queue_ is empty and not closed
  bool closed_ = false;
};

class delivery_buffer::rendered {
  friend class delivery_buffer;
  entries node_;  // at most one: empty when the dialect has no such event
  bool vital_ = false;
};

}  // namespace parley::runtime
