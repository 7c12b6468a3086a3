// What a turn-based model sees of a stream of frames: the newest is a picture of the item that the turn becomes. A
// stream must not fill the context for good: of the pictures that came so the oldest leave by themselves.
// Thread safety: none; owned by the listening half of a session, whose context it borrows.
#pragma once

#include "runtime/session_context.hpp"

#include <deque>
#include <optional>
#include <string>

namespace parley::runtime {

class turn_pictures {
 public:
  explicit turn_pictures(session_context& context) : context_(context) {}

  void see(const std::string& frame) { newest_ = frame; }  // base64 of JPEG or PNG
  void forget() noexcept { newest_.reset(); }
  [[nodiscard]] bool holds_frame() const noexcept { return newest_.has_value(); }
  // Puts what was seen last into the item of a turn, before it enters the conversation.
  void add_to(protocol::item& spoken);
  // That item has a picture that came as a frame: it does not count among those that a client sent as pictures.
  [[nodiscard]] bool is_framed(const protocol::item_id& item) const;
  [[nodiscard]] std::size_t held_bytes() const noexcept;

 private:
  struct framed_item {
    protocol::item_id item;
    std::size_t bytes = 0;
  };
  void keep_bounds();
  void take_out(const protocol::item_id& item);

  session_context& context_;
  std::optional<std::string> newest_;  // of no turn yet
  std::deque<framed_item> framed_;     // oldest first
  std::size_t framed_bytes_ = 0;
};

}  // namespace parley::runtime
