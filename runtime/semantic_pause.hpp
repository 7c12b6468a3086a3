// semantic_vad: how long a pause must last before it ends a turn, from how eager the client wants the server and from
// the last word that the recogniser is sure of. Words that finish a thought end it soon; a word that nobody ends on
// ("and", "the", "uhm") waits up to the longest pause that the API documents for the eagerness.
//
//   eagerness      thought finished, or no words known    trails off
//   high                          350 ms                      2 s
//   medium, auto                  700 ms                      4 s
//   low                          1200 ms                      8 s
//
// Pure functions.
#pragma once

#include "protocol/session_settings.hpp"

#include <chrono>
#include <string_view>

namespace parley::runtime {

// English; other languages end on none of these words and get the pause of a finished thought.
[[nodiscard]] bool trails_off(std::string_view words);
[[nodiscard]] std::chrono::milliseconds semantic_pause(protocol::eagerness eager, std::string_view words);

}  // namespace parley::runtime
