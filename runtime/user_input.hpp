// The listening half of a session: input audio from append to committed turn. Without turn detection the client
// commits; with it a turn_detector does. The model hears a turn's audio while it comes, not only at its end.
//
//   append -> input_buffer -> [noise_reducer] -> turn_detector -> speech_started ... speech_stopped -> committed ->
//   item
//                                                     |                                                  |
//                                                     +-> model.hear                                     +-> end_turn
//
// Thread safety: none; owned by the session, whose context it borrows.
#pragma once

#include "runtime/input_buffer.hpp"
#include "runtime/session_context.hpp"
#include "runtime/turn_detector.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parley::runtime {

// Who ended a turn.
enum class turn_end : std::uint8_t { client, detector, idle_timeout };

// What the listening half tells the session, in the middle of the event order.
class turn_listener {
 public:
  virtual void speech_began() = 0;                                     // after speech_started was emitted
  virtual void audio_came(std::span<const std::int16_t> samples) = 0;  // all of it, cleaned of noise
  // After the item was announced and the model was told. `words` are those recognised so far.
  virtual void turn_committed(const protocol::item_id& item, double seconds, turn_end by, const std::string& words) = 0;

 protected:
  ~turn_listener() = default;
};

class user_input {
 public:
  user_input(session_context& context, turn_listener& listener);

  void append(std::string_view base64);
  void commit();
  void clear();
  // After session.updated: `before` are the settings that held until now.
  void reconfigure(const protocol::session_settings& before);
  void wake();  // audio waits to be processed, or the stall deadline may have passed
  // Words of the turn that is being heard; false when it is none of that name.
  bool recognised(const protocol::item_id& item, const std::string& words);
  // What seems to follow them, for semantic_vad; replaces what was guessed before.
  void guessed(const protocol::item_id& item, std::string words);
  // Nobody spoke since then: the silence becomes a turn (timeout_triggered).
  void commit_silence(time_point since);

  [[nodiscard]] std::optional<time_point> deadline() const;
  // Audio of a turn that is not committed yet: it counts at the rate it came at.
  [[nodiscard]] bool holds_turn() const noexcept { return turn_.has_value() || has_backlog(); }
  [[nodiscard]] bool speaking() const noexcept { return detector_ && detector_->speaking(); }

 private:
  struct turn {
    protocol::item_id id;
    std::int64_t from = 0;         // first sample
    std::int64_t heard_until = 0;  // the model has [from, heard_until)
    bool announced = false;        // speech_started was emitted
    std::string words{};           // recognised so far
    std::string guess{};           // what seems to follow
  };

  [[nodiscard]] bool has_backlog() const noexcept;
  [[nodiscard]] const protocol::audio_format& format() const { return context_.settings->input_format; }
  [[nodiscard]] const std::optional<protocol::turn_detection>& detection() const {
    return context_.settings->detection;
  }
  [[nodiscard]] std::int64_t to_ms(std::int64_t position) const {
    return protocol::samples_to_ms(position, format().rate_hz);
  }
  // Audio before `from` is not judged: it must not fire on what is old (C36).
  void make_detector(std::int64_t from);
  void make_reducer(std::int64_t from);
  void change_noise_reduction();
  void process();
  void reduce(std::int64_t to);
  void judge(std::int64_t from);
  void begin_utterance(std::int64_t at);
  void end_turn(std::int64_t to, turn_end by);
  void commit_item(const turn& ended, std::int64_t to, turn_end by);
  void hear(std::int64_t to);
  void weigh_words();
  [[nodiscard]] bool model_hears_turns() const noexcept {
    return context_.options.capabilities.takes_audio && !context_.options.capabilities.native;
  }
  void settle_rest();
  void restart_detector();
  void trim_quiet();
  void forget_turn();

  session_context& context_;
  turn_listener& listener_;
  input_buffer buffer_;
  std::unique_ptr<turn_detector> detector_;  // made when the first audio comes
  std::unique_ptr<noise_reducer> reducer_;
  std::int64_t reduced_until_ = 0;    // noise is out of what lies before
  std::int64_t processed_until_ = 0;  // reduced and judged; what follows waits for wake()
  std::optional<turn> turn_;
  time_point last_append_{};
};

}  // namespace parley::runtime
