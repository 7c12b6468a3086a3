// Text of a client as it may stand in a message or a path that goes back to it: short, and cut between characters.
// Every place that quotes a client goes through here, so that no error is as long as what it complains of. Pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::protocol {

// An id of a stock client (32 bytes) or a name of the API fits whole.
inline constexpr std::size_t longest_quote_bytes = 64;

// At most `longest_bytes` of it; what was cut ends in "...".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest_bytes = longest_quote_bytes);
// The same between single quotes.
[[nodiscard]] std::string quoted(std::string_view text);
// Code points of UTF-8 text.
[[nodiscard]] std::size_t character_count(std::string_view text) noexcept;

}  // namespace parley::protocol
