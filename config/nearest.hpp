// The word a misspelt one was probably meant to be.
#pragma once

#include <string>
#include <vector>

namespace parley::config {

// "" when nothing is near: a candidate that begins with `word`, else one few edits away.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace parley::config
