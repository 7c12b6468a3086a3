// The bounded buffer between a session and its socket writer: DESIGN.md section 3, sentence by sentence.
//
//   producers --put--> [ FIFO of rendered events | reserve | terminal slot ] --get--> one consumer --guard--> wire
//                            ^ invalidate(response, through)                  held event stays revocable until sequenced
//
// An event is rendered once, at put; its bytes are what is counted, journaled and written. Nothing here blocks, waits or
// performs I/O. One FIFO; the reserve and the terminal slot only decide what is still let in, never the order.
// Thread safety: put, invalidate and close from any thread; get, guard from the one consumer.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "protocol/dialect.hpp"
#include "protocol/event.hpp"

namespace parley::runtime {

struct delivery_limits {
  std::size_t max_bytes = 2 * 1024 * 1024;   // rendered JSON that waits, audio counted as base64
  std::size_t max_events = 512;
  std::size_t reserve_bytes = 64 * 1024;     // for `error` and `response.done` only
  std::size_t reserve_events = 8;
  std::size_t max_terminal_bytes = 4096;     // a larger terminal is replaced by a compact one
};

enum class put_result : std::uint8_t { accepted, closed, overflow };

// What was sequenced for the wire: how "sent" is told from "generated".
struct receipt {
  protocol::event_id event;
  std::uint64_t sequence = 0;
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

  // Overflow leaves the queue exactly as it was: the caller must fail the response. After close: closed, dropped quietly.
  [[nodiscard]] put_result put(const protocol::server_event& event);

  // Removes queued audio deltas of the response up to and including the epoch; one that the consumer holds but has not
  // sequenced becomes invalid. Every other event keeps its place. Remembers nothing afterwards.
  void invalidate(const protocol::response_id& response, protocol::epoch through);

  // Once; what is queued still goes out, then the terminal event, then drained. Harmless when closed already.
  void close(std::optional<protocol::terminal_event> terminal = std::nullopt, protocol::event_id id = protocol::event_id{});

  // Releases the held event and holds the next. waiting: `wake` is called once, from the thread that ends the wait and
  // outside the lock, when get() is worth calling again. drained: closed and nothing is left.
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
  // (the implementation completes this part)
};

}  // namespace parley::runtime
