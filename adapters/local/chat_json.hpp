// The JSON of a language model's server, whatever its text holds: a wrong character must not cost the answer.
//
// Boost.JSON refuses a text for half a surrogate pair or a byte that is no UTF-8. Here both pass into the strings of
// the document as they came (a half in three bytes, see protocol::append_half): REQUIRES of the caller to lead each of
// them through a utf8_repair, which knows what came in the piece before.
#pragma once

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace parley::adapters::local {

// None where the structure is broken, or nested deeper than 32. Blanks around the document are skipped.
[[nodiscard]] std::optional<boost::json::value> read_chat_json(std::string_view text);

}  // namespace parley::adapters::local
