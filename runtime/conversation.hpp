// The ordered items of one conversation. Items are immutable and shared, so that a prompt is a list of pointers; a
// change replaces the item. Bounded: beyond `max_items` or `max_text_bytes` the oldest item leaves, beyond
// `max_media_bytes` the oldest sound or picture does; what stands for a picture then is a text that says so.
// Thread safety: none; owned by the session.
#pragma once

#include "protocol/item.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parley::runtime {

class conversation {
 public:
  using item_ptr = std::shared_ptr<const protocol::item>;

  conversation(std::size_t max_items, std::size_t max_media_bytes, std::size_t max_text_bytes)
      : max_items_(max_items), max_{max_media_bytes, max_text_bytes} {}

  // Null when there is no such item.
  [[nodiscard]] item_ptr find(const protocol::item_id& id) const;
  // A call that was made: one that was cut off is none.
  [[nodiscard]] bool has_call(const protocol::call_id& call) const;
  [[nodiscard]] bool has_output_of(const protocol::call_id& call) const;
  // The predecessor; empty for the first item and for an unknown one.
  [[nodiscard]] std::optional<protocol::item_id> previous_of(const protocol::item_id& id) const;
  [[nodiscard]] std::optional<protocol::item_id> last() const;
  [[nodiscard]] const std::vector<item_ptr>& items() const noexcept { return items_; }

  // Appends. REQUIRES: the id is not there yet.
  void append(protocol::item value);
  // After the item named, or at the head. REQUIRES: the id is not there yet; `after` is there.
  void insert_after(const protocol::item_id& after, protocol::item value);
  void insert_first(protocol::item value);
  void replace(protocol::item value);  // the item of that id, in its place; nothing when it is gone
  bool erase(const protocol::item_id& id);

 private:
  struct sizes {  // in bytes
    std::size_t media = 0;
    std::size_t text = 0;
  };
  [[nodiscard]] static sizes sizes_of(const protocol::item& value);
  void count(const protocol::item& value);
  void discount(const protocol::item& value);
  [[nodiscard]] std::vector<item_ptr>::const_iterator position(const protocol::item_id& id) const;
  void insert(std::vector<item_ptr>::const_iterator where, protocol::item value);
  void keep_bounds();

  std::size_t max_items_;
  sizes max_;
  std::vector<item_ptr> items_;
  sizes held_;
};

}  // namespace parley::runtime
