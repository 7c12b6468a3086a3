// The built-in replier: answers without a language model, so that a fresh checkout can be talked to. It says what it
// heard; asked for a story it tells a long one and asked to count it counts to two hundred (something to interrupt);
// tools that the user names are called, and what they gave is told; a blank turn is asked about. Words come one by one
// on a thread of its own, as those of a language model would, so that an answer can be cancelled in mid-text.
#pragma once

#include "adapters/local/replier.hpp"

#include <chrono>
#include <memory>

namespace parley::adapters::local {

inline constexpr std::chrono::milliseconds pace_of_words{25};  // 40 words a second, as a small language model

[[nodiscard]] std::shared_ptr<replier> make_echo_replier(std::chrono::milliseconds time_per_word = pace_of_words);

}  // namespace parley::adapters::local
