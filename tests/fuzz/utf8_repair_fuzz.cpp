// Any bytes become UTF-8, the same however they are cut; what was UTF-8 stays, and no ASCII character is ever
// swallowed.
#include "protocol/utf8_repair.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace {

using namespace parley::protocol;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_utf8(const std::string& text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string ascii_of(std::string text) {
  std::erase_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string whole = repaired_utf8(text);
  require(is_utf8(whole));
  require(ascii_of(whole) == ascii_of(text));
  if (is_utf8(text)) require(whole == text);
  const std::size_t step = size == 0 ? 1 : data[size - 1] % 5 + 1;
  utf8_repair repair;
  std::string pieces;
  for (std::size_t at = 0; at < size; at += step) {
    pieces += repair.take(std::string_view(text).substr(at, step));
    require(is_utf8(pieces));
  }
  require(pieces + repair.rest() == whole);
  require(repair.rest().empty());
  return 0;
}
