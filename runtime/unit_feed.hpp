// Cuts the input of a model-native conversation into units of one chunk_period and gives them to the model one at a
// time: the next only after the decision on the one before. Sans-I/O: next() is the unit to give, settle() its end.
//
//   push(samples) ... push ... close(end) -> [ samples | boundary | samples ... ] -> next() -> in flight -> settle()
//
// Bounded by its owner, which looks at cost_bytes() and entries(). Thread safety: none; owned by the session.
#pragma once

#include "protocol/ids.hpp"
#include "runtime/clock.hpp"
#include "runtime/model.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parley::runtime {

// What a unit is part of, and what its decision settles.
struct unit_purpose {
  bool buffering = false;     // of a turn that the client has not committed
  bool force_listen = false;  // the client or the rules want silence
  bool ends_turn = false;
  bool may_answer = true;                         // to speak opens a response
  std::optional<protocol::response_id> answer{};  // opened before the decision
  std::optional<std::string> client_event_id{};   // of the append or commit that filled it
  protocol::item_id item{};
};

class unit_feed {
 public:
  unit_feed(std::chrono::milliseconds chunk_period, int rate_hz);

  // Frames without samples belong to the unit that is filling, or to the next one.
  void push(std::span<const std::int16_t> samples, std::vector<std::string> frames, unit_purpose purpose);
  // Ends a turn: what is left becomes a unit filled up with silence; one of silence alone where nothing is left.
  void close(unit_purpose purpose);
  // What was pushed and is not in flight goes; what was pushed since the last close(); of that all but the frames.
  void clear();
  void clear_open();
  void clear_open_audio();
  // Also the decision on the one in flight will mean nothing.
  void abandon();
  // The rate of what comes next; what waits at the old one goes.
  void change_rate(int rate_hz);

  // The next unit, which is in flight from now on; empty while one is, or when none is full.
  [[nodiscard]] std::optional<audio_unit> next(time_point now);
  // The decision on that unit came: its purpose; empty when it is none that is in flight, or was abandoned.
  [[nodiscard]] std::optional<unit_purpose> settle(std::uint64_t number);

  [[nodiscard]] bool in_flight() const noexcept { return flight_.has_value(); }
  [[nodiscard]] std::optional<time_point> in_flight_since() const noexcept;
  [[nodiscard]] std::uint64_t number_in_flight() const noexcept { return flight_ ? flight_->number : 0; }
  // A whole unit, or a turn's end, waits.
  [[nodiscard]] bool ready() const noexcept { return boundaries_ > 0 || samples_ >= chunk_samples_; }
  [[nodiscard]] std::size_t pending_bytes() const noexcept { return samples_ * sizeof(std::int16_t) + frame_bytes_; }
  // What all that is not in flight holds of memory; a piece counts whole until the last of it was given.
  [[nodiscard]] std::size_t cost_bytes() const noexcept { return cost_bytes_; }
  [[nodiscard]] std::size_t entries() const noexcept { return pieces_.size(); }
  // Frames came for the unit that is filling.
  [[nodiscard]] bool framed() const noexcept { return framed_; }
  [[nodiscard]] std::uint64_t given() const noexcept { return number_; }
  // So many samples more would complete a unit for which no frame came.
  [[nodiscard]] bool would_be_blind(std::size_t samples) const noexcept {
    return !framed_ && filled_ + samples >= chunk_samples_;
  }
  // Turns whose end the model was not told yet.
  [[nodiscard]] std::size_t boundaries() const noexcept { return boundaries_; }

 private:
  struct piece {
    std::vector<std::int16_t> samples{};
    std::vector<std::string> frames{};
    unit_purpose purpose{};
    bool boundary = false;
    std::size_t taken = 0;
    std::size_t cost_bytes = 0;
  };
  struct flight {
    std::uint64_t number;
    time_point since;
    unit_purpose purpose;
    bool abandoned = false;
  };
  void add(piece one);
  void forget(const piece& one);
  void take_into(audio_unit& unit, unit_purpose& purpose);

  std::chrono::milliseconds chunk_period_;
  int rate_hz_;
  std::size_t chunk_samples_;
  std::deque<piece> pieces_;
  std::size_t samples_ = 0;
  std::size_t frame_bytes_ = 0;
  std::size_t cost_bytes_ = 0;
  std::size_t boundaries_ = 0;
  std::size_t filled_ = 0;  // of the unit that is filling, behind all that are whole
  bool framed_ = false;     // frames came for it
  std::uint64_t number_ = 0;
  std::optional<flight> flight_;
};

}  // namespace parley::runtime
