// What of a conversation fits into a prompt: an estimate of tokens, and which of the oldest items leave. A call and
// its result leave together, the newest turn is always there, results without their call are left out.
// Pure functions; nothing is kept.
#pragma once

#include "protocol/event.hpp"
#include "protocol/session_settings.hpp"
#include "runtime/conversation.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace parley::runtime {

// Estimates, where no model counts: four bytes of text are a token, as are 100 ms of a user's and 50 ms of an
// assistant's audio; a picture is 800.
[[nodiscard]] std::size_t text_tokens(std::string_view text) noexcept;
[[nodiscard]] std::size_t text_tokens(const protocol::item& value) noexcept;
[[nodiscard]] std::size_t audio_tokens(const protocol::item& value) noexcept;
[[nodiscard]] std::size_t prompt_tokens(const protocol::item& value) noexcept;

// A message of the user: what begins a turn.
[[nodiscard]] bool is_turn_of_user(const protocol::item& value) noexcept;

struct prompt_window {
  std::vector<conversation::item_ptr> items;
  bool too_long = false;  // truncation is disabled and it does not fit
};

// `limit` in tokens. What must go, goes until `truncation` is satisfied.
[[nodiscard]] prompt_window fit(std::vector<conversation::item_ptr> items, const protocol::truncation& truncation,
                                std::size_t limit);

}  // namespace parley::runtime
