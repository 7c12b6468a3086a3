// What a simulated caller says, and how it tells what it hears without parsing.
#pragma once

#include "bench/client.hpp"

#include <string>
#include <string_view>

namespace parley::bench {

// One append: 6,400 bytes of PCM16 (200 ms at 16 kHz), 8,698 bytes of JSON.
[[nodiscard]] const std::string& append_message();

// Uncommitted input is kept by the server: after so many appends a caller clears it, so that a run of any length holds
// at most 400 KB a session.
inline constexpr int appends_between_clears = 64;
inline constexpr std::string_view clear_message = R"({"type":"input_audio_buffer.clear"})";

// By a look at the first bytes. Throws when the message is an `error` event: then the run measures something else.
[[nodiscard]] bool is_audio_delta(std::string_view message);

[[nodiscard]] bool is_response_done(std::string_view message);

// Turns turn detection off and asks for the one long response that will answer every append.
[[nodiscard]] task<void> begin_response(client& caller);
// Reads until the next audio delta.
[[nodiscard]] task<void> await_delta(client& caller);

}  // namespace parley::bench
