#include "runtime/outbox.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

void outbox::push(std::vector<std::int16_t> samples, std::string transcript) {
  if (samples.empty() && transcript.empty()) return;
  samples_ += static_cast<std::int64_t>(samples.size());
  bytes_ += samples.size() * sizeof(std::int16_t) + transcript.size();
  pieces_.push_back({std::move(samples), 0, std::move(transcript)});
}

// Samples up to where the next words begin.
std::size_t outbox::available(std::size_t max_samples) const noexcept {
  std::size_t count = 0;
  for (const piece& one : pieces_) {
    if (count > 0 && !one.transcript.empty()) break;
    count += one.left();
    if (count >= max_samples) return max_samples;
  }
  return count;
}

std::int64_t outbox::until_next_words() const noexcept {
  std::size_t count = 0;
  for (const piece& one : pieces_) {
    if (count > 0 && !one.transcript.empty()) break;
    count += one.left();
  }
  return static_cast<std::int64_t>(count);
}

std::optional<outbox::chunk> outbox::take(std::size_t max_samples, std::size_t min_samples, bool complete) {
  if (pieces_.empty()) return std::nullopt;
  const std::size_t count = available(max_samples);
  std::size_t pieces_before_words = 1;
  while (pieces_before_words < pieces_.size() && pieces_[pieces_before_words].transcript.empty()) ++pieces_before_words;
  const bool more_may_come = !complete && pieces_before_words == pieces_.size();
  if (count < min_samples && more_may_come && count > 0) return std::nullopt;

  chunk next;
  while (!pieces_.empty() && pieces_.front().left() == 0) {  // words without sound of their own
    next.transcript += pieces_.front().transcript;
    pieces_.pop_front();
  }
  if (!pieces_.empty() && count > 0) {
    next.transcript += std::exchange(pieces_.front().transcript, {});
    if (!next.transcript.empty()) next.words_last = until_next_words();
    move_samples(next, count);
  }
  bytes_ -= next.transcript.size() + next.samples.size() * sizeof(std::int16_t);
  samples_ -= static_cast<std::int64_t>(next.samples.size());
  return next;
}

void outbox::move_samples(chunk& into, std::size_t count) {
  if (piece& first = pieces_.front(); first.taken == 0 && first.samples.size() == count) {
    into.samples = std::move(first.samples);  // the usual case: a whole piece, no copy
    pieces_.pop_front();
    return;
  }
  into.samples.reserve(count);
  while (count > 0) {
    piece& first = pieces_.front();
    const std::size_t part = std::min(count, first.left());
    const auto from = first.samples.begin() + static_cast<std::ptrdiff_t>(first.taken);
    into.samples.insert(into.samples.end(), from, from + static_cast<std::ptrdiff_t>(part));
    first.taken += part;
    count -= part;
    if (first.left() == 0) pieces_.pop_front();
  }
}

void outbox::clear() {
  pieces_.clear();
  samples_ = 0;
  bytes_ = 0;
}

}  // namespace parley::runtime
