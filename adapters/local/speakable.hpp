// What a sentence becomes before flite reads it: flite knows ASCII only and would spell out markup.
#pragma once

#include <string>
#include <string_view>

namespace parley::adapters::local {

// Typographic quotes, dashes and accented Latin letters in ASCII; markup, emoji and everything else as blanks.
// Empty when no letter or digit is left: then there is nothing to say.
[[nodiscard]] std::string speakable(std::string_view utf8);

}  // namespace parley::adapters::local
