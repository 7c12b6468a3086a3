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

// Turns successive hypotheses of one turn into deltas. A word is sure once it and all before it have stayed the same
// for 300 ms of audio: recognisers revise a word when they hear the next ones, seldom later. What was sent is never
// taken back: where a later hypothesis contradicts it, nothing more is sent.
// Thread safety: none.
class stable_words {
 public:
  // The words that became sure, with a blank before them unless they are the first; empty if none did.
  // REQUIRES: heard, the audio of the turn that the hypothesis is made from, does not shrink.
  [[nodiscard]] std::string next(std::string_view cleaned_hypothesis, std::chrono::milliseconds heard);
  // The turn is heard from its beginning once more; what was sent is not sent again.
  void start_over() { words_.clear(); }

 private:
  struct word {
    std::string text;
    std::chrono::milliseconds since{0};  // it, and all before it, are the same
  };

  std::vector<word> words_;  // of the latest hypothesis
  std::vector<std::string> sent_;
};

}  // namespace parley::adapters::local
