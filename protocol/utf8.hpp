// Texts that leave as UTF-8: a peer ends the connection over a text frame that is none, so what a client sent is
// checked before it is sent back, and what is too long is cut between two characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::protocol {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// The longest beginning of at most so many bytes that does not end inside a character. REQUIRES: the text is UTF-8.
[[nodiscard]] std::string_view whole_characters(std::string_view text, std::size_t max_bytes) noexcept;

// True when it holds one of the control characters, U+0000 to U+001F and U+007F to U+009F: they move the cursor of the
// terminal that shows a log, and no name has them. REQUIRES: the text is UTF-8.
[[nodiscard]] bool has_controls(std::string_view text) noexcept;

}  // namespace parley::protocol
