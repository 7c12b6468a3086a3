// Makes the ids of one session: event_, item_, resp_, conv_ ... followed by the session's random part and a counter.
// Never repeats inside a session; the seed keeps sessions apart. Predictable on purpose: ids are no secrets.
#pragma once

#include "protocol/ids.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::runtime {

class id_source {
 public:
  explicit id_source(std::uint64_t seed) noexcept : seed_(seed) {}

  [[nodiscard]] protocol::event_id event() { return protocol::event_id{next("event_")}; }
  [[nodiscard]] protocol::item_id item() { return protocol::item_id{next("item_")}; }
  [[nodiscard]] protocol::response_id response() { return protocol::response_id{next("resp_")}; }
  [[nodiscard]] protocol::conversation_id conversation() { return protocol::conversation_id{next("conv_")}; }
  [[nodiscard]] protocol::call_id call() { return protocol::call_id{next("call_")}; }

 private:
  [[nodiscard]] std::string next(std::string_view prefix);

  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
};

}  // namespace parley::runtime
