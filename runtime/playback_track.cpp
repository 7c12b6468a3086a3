#include "runtime/playback_track.hpp"

#include "protocol/audio_format.hpp"

#include <algorithm>

namespace parley::runtime {

namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;

// Byte length of the first `characters` code points of UTF-8 text.
std::size_t bytes_of_characters(std::string_view text, std::int64_t characters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins_character = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins_character && characters-- == 0) break;
  }
  return at;
}

}  // namespace

void playback_track::released(time_point start, std::int64_t samples, std::int64_t characters,
                              std::int64_t words_last) {
  const std::int64_t words_end = generated_ + words_last;
  if (samples > 0) {
    const bool joins =
        !stretches_.empty() && start - stretches_.back().start <=
                                   protocol::samples_to_time(stretches_.back().samples, rate_hz_) + microseconds{500};
    if (joins) {
      stretches_.back().samples += samples;
    } else {
      stretches_.push_back({start, generated_, samples});
    }
    generated_ += samples;
  }
  // Words that came with an earlier piece last until this one ends, unless this one brought words of its own.
  if (!marks_.empty() && marks_.back().characters == characters) {
    marks_.back().samples = std::max(marks_.back().samples, generated_);
  } else {
    marks_.push_back({characters, std::max(words_end, generated_)});
  }
}

void playback_track::sequenced(std::int64_t end_sample) noexcept { sequenced_ = std::max(sequenced_, end_sample); }

bool playback_track::acknowledged(std::int64_t played, std::int64_t committed) noexcept {
  trusts_acks_ = true;
  const std::int64_t heard = std::max(acknowledged_, std::min(played, sequenced_));
  const std::int64_t kept = sealed_ ? committed_ : std::max(committed_, std::min(committed, heard));
  const bool moved = heard > acknowledged_ || kept > committed_;
  acknowledged_ = heard;
  committed_ = kept;
  return moved;
}

void playback_track::freeze(time_point now) noexcept {
  const std::int64_t so_far = std::min(sequenced_, elapsed(now));
  frozen_ = std::min(frozen_.value_or(so_far), so_far);
}

std::int64_t playback_track::elapsed(time_point now) const noexcept {
  for (auto one = stretches_.rbegin(); one != stretches_.rend(); ++one) {
    if (now <= one->start) continue;
    const auto played = protocol::time_to_samples(duration_cast<microseconds>(now - one->start), rate_hz_);
    return one->first_sample + std::min(played, one->samples);
  }
  return 0;
}

std::int64_t playback_track::heard(protocol::playback_policy policy, time_point now) const noexcept {
  if (cut_) return *cut_;
  if (trusts_acks_ || policy == protocol::playback_policy::ack_only) return committed_;
  const std::int64_t all = sent_at_cut_.value_or(generated_);
  if (policy == protocol::playback_policy::commit_all_on_done) return all;
  if (frozen_) return *frozen_;
  return complete_ ? all : std::min(sequenced_, elapsed(now));
}

std::int64_t playback_track::characters_at(std::int64_t samples) const noexcept {
  mark before{0, 0};
  for (const mark& next : marks_) {
    if (samples < next.samples) {
      const std::int64_t width = next.samples - before.samples;
      return before.characters + (next.characters - before.characters) * (samples - before.samples) / width;
    }
    before = next;
  }
  return before.characters;
}

bool playback_track::was_heard_whole(protocol::playback_policy policy, time_point now) const noexcept {
  return heard(policy, now) >= generated_ && !cut_ && !frozen_ && !sent_at_cut_;
}

std::string playback_track::heard_text(std::string_view transcript, protocol::playback_policy policy,
                                       time_point now) const {
  const std::int64_t samples = heard(policy, now);
  if (was_heard_whole(policy, now)) return std::string{transcript};
  if (samples <= 0) return {};
  std::string_view kept = transcript.substr(0, bytes_of_characters(transcript, characters_at(samples)));
  const std::size_t last = kept.find_last_not_of(" \t\r\n");
  return std::string{kept.substr(0, last == std::string_view::npos ? 0 : last + 1)};
}

}  // namespace parley::runtime
