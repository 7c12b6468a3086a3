#include "runtime/unit_feed.hpp"

#include "protocol/audio_format.hpp"
#include "runtime/input_cost.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

namespace {

std::size_t bytes_of(const std::vector<std::string>& frames) {
  std::size_t sum = 0;
  for (const std::string& frame : frames) sum += frame.size();
  return sum;
}

std::size_t heap_of_purpose(const unit_purpose& purpose) {
  std::size_t sum = heap_of(purpose.item.value);
  if (purpose.answer) sum += heap_of(purpose.answer->value);
  if (purpose.client_event_id) sum += heap_of(*purpose.client_event_id);
  return sum;
}

}  // namespace

unit_feed::unit_feed(std::chrono::milliseconds chunk_period, int rate_hz) : chunk_period_(chunk_period) {
  change_rate(rate_hz);
}

void unit_feed::change_rate(int rate_hz) {
  clear();
  rate_hz_ = rate_hz;
  const auto samples = protocol::ms_to_samples(chunk_period_.count(), rate_hz);
  chunk_samples_ = static_cast<std::size_t>(std::max<std::int64_t>(1, samples));
}

void unit_feed::push(std::span<const std::int16_t> samples, std::vector<std::string> frames, unit_purpose purpose) {
  if (samples.empty() && frames.empty()) return;
  add({.samples = {samples.begin(), samples.end()}, .frames = std::move(frames), .purpose = std::move(purpose)});
}

void unit_feed::close(unit_purpose purpose) {
  purpose.ends_turn = true;
  add({.purpose = std::move(purpose), .boundary = true});
}

void unit_feed::add(piece one) {
  one.cost_bytes = sizeof(piece) + heap_of(one.samples) + heap_of(one.frames) + heap_of_purpose(one.purpose);
  samples_ += one.samples.size();
  frame_bytes_ += bytes_of(one.frames);
  cost_bytes_ += one.cost_bytes;
  boundaries_ += one.boundary ? 1 : 0;
  framed_ |= !one.frames.empty();
  filled_ += one.samples.size();
  if (filled_ >= chunk_samples_ || one.boundary) framed_ = false;
  filled_ = one.boundary ? 0 : filled_ % chunk_samples_;
  pieces_.push_back(std::move(one));
}

// Before it goes: it counts no more.
void unit_feed::forget(const piece& one) {
  samples_ -= one.samples.size() - one.taken;
  frame_bytes_ -= bytes_of(one.frames);
  cost_bytes_ -= one.cost_bytes;
  boundaries_ -= one.boundary ? 1 : 0;
}

void unit_feed::clear() {
  pieces_.clear();
  samples_ = frame_bytes_ = cost_bytes_ = boundaries_ = filled_ = 0;
  framed_ = false;
}

void unit_feed::clear_open() {
  while (!pieces_.empty() && !pieces_.back().boundary) {
    forget(pieces_.back());
    pieces_.pop_back();
  }
  filled_ = 0;
  framed_ = false;
}

void unit_feed::clear_open_audio() {
  filled_ = 0;
  framed_ = false;
  std::vector<piece> seen;
  for (; !pieces_.empty() && !pieces_.back().boundary; pieces_.pop_back()) {
    piece& last = pieces_.back();
    forget(last);
    if (!last.frames.empty()) seen.push_back({.frames = std::move(last.frames), .purpose = std::move(last.purpose)});
  }
  for (auto one = seen.rbegin(); one != seen.rend(); ++one) add(std::move(*one));
}

void unit_feed::abandon() {
  clear();
  if (flight_) flight_->abandoned = true;
}

std::optional<time_point> unit_feed::in_flight_since() const noexcept {
  if (!flight_) return std::nullopt;
  return flight_->since;
}

// Pieces until the unit is full or the turn ends. What the last of them is for holds for the unit; to be made to listen
// holds when any of them says so.
void unit_feed::take_into(audio_unit& unit, unit_purpose& purpose) {
  bool forced = false;
  while (!pieces_.empty() && !purpose.ends_turn) {
    piece& first = pieces_.front();
    const std::size_t room = chunk_samples_ - unit.samples.size();
    if (room == 0 && !first.boundary) break;
    const std::size_t count = std::min(room, first.samples.size() - first.taken);
    const auto from = first.samples.begin() + static_cast<std::ptrdiff_t>(first.taken);
    unit.samples.insert(unit.samples.end(), from, from + static_cast<std::ptrdiff_t>(count));
    for (std::string& frame : first.frames) {
      frame_bytes_ -= frame.size();
      unit.frames.push_back(std::move(frame));
    }
    first.frames.clear();
    first.taken += count;
    samples_ -= count;
    // A whole unit of speech is not the end of its turn: that gets a unit of its own.
    if (first.boundary && unit.samples.size() == chunk_samples_) break;
    forced |= first.purpose.force_listen;
    purpose = first.purpose;
    if (first.taken < first.samples.size()) break;
    forget(first);
    pieces_.pop_front();
  }
  purpose.force_listen |= forced;
}

std::optional<audio_unit> unit_feed::next(time_point now) {
  if (flight_ || !ready()) return std::nullopt;
  audio_unit unit{.number = ++number_, .rate_hz = rate_hz_};
  unit_purpose purpose;
  take_into(unit, purpose);
  unit.samples.resize(chunk_samples_);
  unit.item = purpose.item;
  unit.force_listen = purpose.force_listen;
  unit.buffering = purpose.buffering;
  unit.ends_turn = purpose.ends_turn;
  flight_ = flight{number_, now, std::move(purpose)};
  return unit;
}

std::optional<unit_purpose> unit_feed::settle(std::uint64_t number) {
  if (!flight_ || flight_->number != number) return std::nullopt;
  const flight landed = *std::exchange(flight_, std::nullopt);
  if (landed.abandoned) return std::nullopt;
  return landed.purpose;
}

}  // namespace parley::runtime
