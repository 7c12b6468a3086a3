// The one way of a peer's text into the log. What comes out is the inside of a JSON string: printable text as it is,
// everything that could end a line, move a cursor, hide or reorder what stands around it as \uXXXX (control characters
// of both sets, line and paragraph separators, marks of direction, invisible ones), a quote and a backslash behind a
// backslash, and bytes that are no UTF-8 as \ufffd. So a line of the log is always one line, and reads as it was said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::server {

// Longest text of a peer that is logged, in bytes of what was said; it is cut between two characters.
inline constexpr std::size_t longest_logged_text = 128;

[[nodiscard]] std::string for_log(std::string_view said, std::size_t longest_bytes = longest_logged_text);

}  // namespace parley::server
