// Half a surrogate pair as an escape ("\ud800") is JSON by its grammar and text by no encoding. The parser refuses the
// whole document for one; this says in which string it stands, and makes a document that can be read, so that the
// client is told which of its fields is at fault. Internal to the decoder. Pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace parley::protocol {

struct mended_json {
  std::string text;               // with U+FFFD for every lone half; its padding (frame_padding_bytes) is behind `size`
  std::size_t size = 0;           // of the document
  std::size_t broken_string = 0;  // the first string with a lone half: so many, keys among them, stand before it
};

// Nothing when there is no lone half.
[[nodiscard]] std::optional<mended_json> mend_lone_surrogates(std::string_view json);

}  // namespace parley::protocol
