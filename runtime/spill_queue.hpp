// What a session said that finds no room in its delivery buffer yet: it waits here, not rendered, and goes in as the
// consumer takes events out. So the events of one command are put one after the other, each when there is room for it,
// and a client that reads is never told that it does not.
//
//   session --put--> [ delivery buffer: max_bytes, max_events ] --> consumer
//                \-> [ spill queue, in order, only while the buffer is full ] --flush()--^
//
// Only the oldest is rendered, once, when its turn has come.
//
// Bound: nothing is taken from the client while something waits here (full()), so there are the events of one command,
// the endings of the responses that are open, and of a response what its own limits let it say; deltas of the same part
// that follow each other are joined. Sound waits here as far as the buffer's own bounds reach when what is larger than
// they are is not counted; of a model that can be slowed it always does, because its response holds the rest back
// (session_limits.unsent_audio_bytes). Whoever goes on when max_events wait here already is refused by its host
// (is_crowded()).
// Thread safety: none; owned by the session's host.
#pragma once

#include "runtime/delivery_buffer.hpp"

#include <cstddef>
#include <deque>
#include <optional>

namespace parley::runtime {

class spill_queue {
 public:
  // `audio_may_wait`: the model can be slowed. Lifetime: the buffer outlives the queue.
  spill_queue(delivery_buffer& buffer, const delivery_limits& limits, bool audio_may_wait) noexcept
      : buffer_(buffer), limits_(limits), audio_may_wait_(audio_may_wait) {}

  // Overflow: an audio delta beyond the bounds; nothing has changed.
  [[nodiscard]] put_result put(protocol::server_event event);
  // The consumer took an event: what fits now goes into the buffer. True when that was the last.
  bool flush();
  // As delivery_buffer::invalidate, here and there.
  void invalidate(const protocol::response_id& response, protocol::epoch through);
  // As delivery_buffer::close, once what waits has gone in; nothing is accepted from now on.
  void close(std::optional<protocol::terminal_event> terminal, protocol::event_id id);

  [[nodiscard]] bool full() const noexcept { return !waiting_.empty(); }
  [[nodiscard]] bool is_crowded() const noexcept { return waiting_.size() >= limits_.max_events; }
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }

 private:
  struct ending {
    std::optional<protocol::terminal_event> terminal;
    protocol::event_id id;
  };
  [[nodiscard]] bool may_wait(const protocol::server_event& event) const;
  void push(protocol::server_event event);
  void uncount(const protocol::server_event& gone) noexcept;
  [[nodiscard]] bool put_next();
  void close_buffer();

  // Constant after construction
  delivery_buffer& buffer_;
  const delivery_limits limits_;
  const bool audio_may_wait_;
  // Owned by the host
  std::deque<protocol::server_event> waiting_;     // oldest first
  std::optional<delivery_buffer::rendered> next_;  // the oldest, once it was tried
  std::size_t audio_bytes_ = 0;                    // of the sound that waits, nearly as on the wire
  std::size_t audio_events_ = 0;
  std::optional<ending> ending_;  // closed, but the buffer is not yet
  bool closed_ = false;
};

}  // namespace parley::runtime
