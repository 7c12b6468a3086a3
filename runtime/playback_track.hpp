// How much of one spoken item was generated, sent, played and heard, and which of its words that
// is. The counters never run backwards. Positions are samples of the item's audio at its output rate.
//
//   generated >= sent (sequenced for the wire) >= heard (estimated, or acknowledged, or cut)
//
// An answer that is complete counts as heard (`estimate`, `commit_all_on_done`): what an interruption kept from being
// heard is gone, what merely has not been played yet when history is looked at is not.
//
// Thread safety: none; owned by the session.
#pragma once

#include "protocol/session_settings.hpp"
#include "runtime/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::runtime {

class playback_track {
 public:
  explicit playback_track(int rate_hz) noexcept : rate_hz_(rate_hz) {}

  [[nodiscard]] int rate_hz() const noexcept { return rate_hz_; }

  // A piece was released: it plays from `start`; the words so far reach `characters` (code points). New words last for
  // `words_last` samples from its start, most of which may be released later or, after an interruption, never.
  void released(time_point start, std::int64_t samples, std::int64_t characters, std::int64_t words_last = 0);
  void sequenced(std::int64_t end_sample) noexcept;
  // An acknowledgement counts at most what was sequenced; a smaller one than before changes nothing.
  // `committed` of it, at most, is what history gets. True when either moved.
  bool acknowledged(std::int64_t samples) noexcept { return acknowledged(samples, samples); }
  bool acknowledged(std::int64_t played, std::int64_t committed) noexcept;
  // Cancelled: what was acknowledged by now is what history gets, and no more.
  void seal() noexcept { sealed_ = true; }
  // An interruption: what was not heard by now never will be.
  void freeze(time_point now) noexcept;
  // Its response was cut off: what was not sequenced by now is never sent.
  void drop_rest() noexcept { sent_at_cut_ = sequenced_; }
  // Its response has ended: what is left to play will be heard, unless an interruption comes.
  void complete() noexcept { complete_ = true; }
  // History ends here for good. REQUIRES: samples <= cut_limit().
  void cut(std::int64_t samples) noexcept { cut_ = samples; }

  // How far the words go that were released last: characters, and the audio they are known to last for.
  struct mark {
    std::int64_t characters = 0;
    std::int64_t samples = 0;
  };
  [[nodiscard]] mark last_mark() const noexcept { return marks_.empty() ? mark{} : marks_.back(); }

  // The furthest position a truncation may name: the last cut, else what was sequenced.
  [[nodiscard]] std::int64_t cut_limit() const noexcept { return cut_.value_or(sequenced_); }
  [[nodiscard]] std::int64_t generated() const noexcept { return generated_; }
  [[nodiscard]] std::int64_t sequenced() const noexcept { return sequenced_; }
  [[nodiscard]] std::int64_t played() const noexcept { return acknowledged_; }
  [[nodiscard]] std::int64_t committed() const noexcept { return committed_; }
  [[nodiscard]] bool was_cut() const noexcept { return cut_.has_value(); }
  [[nodiscard]] bool was_interrupted() const noexcept { return frozen_.has_value(); }
  [[nodiscard]] bool lost_its_rest() const noexcept { return sent_at_cut_.has_value(); }
  [[nodiscard]] bool playing(time_point now) const noexcept { return elapsed(now) < generated_; }
  [[nodiscard]] std::int64_t heard(protocol::playback_policy policy, time_point now) const noexcept;
  // Nothing was cut off and all of it was heard.
  [[nodiscard]] bool was_heard_whole(protocol::playback_policy policy, time_point now) const noexcept;
  // The words heard; all of them when the whole of a finished answer was heard. Blanks at the cut are trimmed.
  [[nodiscard]] std::string heard_text(std::string_view transcript, protocol::playback_policy policy,
                                       time_point now) const;

 private:
  struct stretch {  // audio that plays without a gap
    time_point start;
    std::int64_t first_sample;
    std::int64_t samples;
  };
  [[nodiscard]] std::int64_t elapsed(time_point now) const noexcept;
  [[nodiscard]] std::int64_t characters_at(std::int64_t samples) const noexcept;

  int rate_hz_;
  std::int64_t generated_ = 0;
  std::int64_t sequenced_ = 0;
  std::int64_t acknowledged_ = 0;
  std::int64_t committed_ = 0;
  bool sealed_ = false;
  bool trusts_acks_ = false;
  bool complete_ = false;
  std::optional<std::int64_t> sent_at_cut_;
  std::optional<std::int64_t> frozen_;
  std::optional<std::int64_t> cut_;
  std::vector<stretch> stretches_;
  std::vector<mark> marks_;
};

}  // namespace parley::runtime
