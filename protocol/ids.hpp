// Strong identifiers: an item id can not be passed where a response id is meant.
// The text is opaque; ids that a client chose are kept verbatim.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace parley::protocol {

template <class Tag>
struct id {
  std::string value;

  id() = default;
  explicit id(std::string text) : value(std::move(text)) {}

  [[nodiscard]] bool empty() const noexcept { return value.empty(); }
  friend auto operator<=>(const id&, const id&) = default;
  friend bool operator==(const id&, const id&) = default;
};

using session_id = id<struct session_tag>;
using conversation_id = id<struct conversation_tag>;
using item_id = id<struct item_tag>;
using response_id = id<struct response_tag>;
using call_id = id<struct call_tag>;
using event_id = id<struct event_tag>;

// The fence of a session: every cancel and barge-in raises it; output of an older epoch is stale.
struct epoch {
  std::uint64_t value = 0;
  friend auto operator<=>(const epoch&, const epoch&) = default;
};

// JSON that a client sent and that is passed on as it is (tool parameters, metadata): compact, valid, of bounded depth.
struct raw_json {
  std::string text;
  friend bool operator==(const raw_json&, const raw_json&) = default;
};

}  // namespace parley::protocol

template <class Tag>
struct std::hash<parley::protocol::id<Tag>> {
  std::size_t operator()(const parley::protocol::id<Tag>& key) const noexcept {
    return std::hash<std::string>{}(key.value);
  }
};
