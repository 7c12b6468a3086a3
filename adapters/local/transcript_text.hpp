// What a recogniser's hypothesis becomes before anyone sees it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters::local {

// The words of a hypothesis with single blanks between them, without the recogniser's own marks for sentence ends and
// silence (<s>, <sil>); with drop_markers also without [NOISE], ++NOISE++ and the like. Empty when no word is left.
[[nodiscard]] std::string cleaned_transcript(std::string_view hypothesis, bool drop_markers);

// What successive hypotheses of one phrase agree on. A word is likely once it and all before it have stayed the same
// for 300 ms of audio: recognisers revise a word when they hear the next ones, seldom later. Seldom is not never: what
// is likely may change until the phrase is over. Thread safety: none.
class likely_words {
 public:
  // The words that are likely by now, with single blanks between them.
  // REQUIRES: heard, the audio that the hypothesis is made from, does not shrink.
  [[nodiscard]] std::string next(std::string_view cleaned_hypothesis, std::chrono::milliseconds heard);

 private:
  struct word {
    std::string text;
    std::chrono::milliseconds since{0};  // it, and all before it, are the same
  };

  std::vector<word> words_;  // of the latest hypothesis
};

}  // namespace parley::adapters::local
