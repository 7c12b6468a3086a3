// What a recogniser's hypothesis becomes before anyone sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters::local {

// The words of a hypothesis with single blanks between them, without the recogniser's own marks for sentence ends and
// silence (<s>, <sil>); with drop_markers also without [NOISE], ++NOISE++ and the like. Empty when no word is left.
[[nodiscard]] std::string cleaned_transcript(std::string_view hypothesis, bool drop_markers);

// Turns successive hypotheses of one turn into deltas. A word counts as heard when two hypotheses in a row agree on it
// and on all before it; the last word of a hypothesis is never sure. What was sent is never taken back: the final
// transcript may differ from it.
// Thread safety: none.
class stable_words {
 public:
  // The words that became sure, with a blank before them unless they are the first; empty if none did.
  [[nodiscard]] std::string next(std::string_view cleaned_hypothesis);

 private:
  std::vector<std::string> previous_;
  std::vector<std::string> sent_;
};

}  // namespace parley::adapters::local
