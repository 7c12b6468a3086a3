// What a client was told of a turn's transcript while it was still being made. Its deltas, joined, are the final
// transcript (clients show either, and histories are built from both), whatever a model says in between:
//
//   turn_partial --told()--> delta ...   turn_ready --settle()--> transcript = told so far + last delta
//
// Models give words only when they can no longer change. Where one breaks that, the words that were told stand: they
// can not be taken back, and an item must not say something else than its events did.
//
// Thread safety: none; belongs to a turn of a session.
#pragma once

#include <string>
#include <string_view>

namespace parley::runtime {

class told_transcript {
 public:
  void told(std::string_view delta) { text_ += delta; }
  // The transcript to show: `transcript` where it begins with what was told; else what was told, and of `transcript`
  // the words behind as many as that has. (A character of a script without blanks is a word.)
  [[nodiscard]] std::string settle(std::string transcript) const;
  // The last delta. REQUIRES: settled is of settle().
  [[nodiscard]] std::string rest(std::string_view settled) const { return std::string(settled.substr(text_.size())); }

 private:
  std::string text_;
};

}  // namespace parley::runtime
