// The listening half of a session in the duplex dialect: what counts as speech, what becomes of speech over an answer,
// what a commit is, and how the audio gets to the model. The session decides when a step may run (session_duplex.cpp):
// here every step runs to its end. The frames of an append are the model's whoever speaks: they go their own way, once.
//
//   heard_append -> [turn_detector | word of the client | loudness] -> speech? -> [overlap] -> turn -> model
//   commit       -> silence, acknowledgement, deferred, or the item's events and the end of the turn
//   frames       -> the unit that is filling (native) | the newest is a picture of the turn's item (turn-based)
//
// To a native model the audio goes in units (unit_feed), to a turn-based one turn by turn as it comes.
// Thread safety: none; owned by the session, whose context it borrows.
#pragma once

#include "runtime/duplex_audio.hpp"
#include "runtime/input_buffer.hpp"
#include "runtime/overlap.hpp"
#include "runtime/session_context.hpp"
#include "runtime/turn_detector.hpp"
#include "runtime/turn_pictures.hpp"
#include "runtime/unit_feed.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parley::runtime {

// An append that was read: 16 kHz.
struct heard_append {
  std::vector<std::int16_t> samples;
  std::shared_ptr<const protocol::append_details> details;  // null: nothing but audio
  std::optional<std::string> client_event_id;
  [[nodiscard]] bool has_frames() const noexcept { return details && !details->video_frames.empty(); }
  [[nodiscard]] std::size_t heap_bytes() const noexcept;
};

// What the listening half asks of the session.
class answer_desk {
 public:
  [[nodiscard]] virtual bool answering() const = 0;  // an answer is open, or about to be
  virtual void cut_in(protocol::status_reason reason) = 0;
  // An answer that opens before the model has decided; empty when none may begin.
  [[nodiscard]] virtual std::optional<protocol::response_id> open_answer() = 0;
  // A commit over an answer that it says nothing to: a listen is due when that answer is over.
  virtual void acknowledged() = 0;
  // A turn is the conversation's: what was not acknowledged by now is too late. `answer`: it wants one.
  virtual void turn_given(const protocol::item_id& item, double seconds, bool answer, bool by_client) = 0;

 protected:
  ~answer_desk() = default;
};

class duplex_input {
 public:
  duplex_input(session_context& context, answer_desk& desk);

  void take(const heard_append& append);
  void commit(const protocol::input_audio_commit& wish);
  void clear();   // emits cleared
  void forget();  // the same without a word, and what the model is deciding on is void
  // A unit failed: the turn is given up; the next commit or update is told so.
  void fail();
  [[nodiscard]] bool take_failure() noexcept { return std::exchange(failed_, false); }
  void answer_ended() noexcept { overlap_ms_ = 0; }
  void reconfigure(const protocol::session_settings& before);
  // The audio of a user's item, as appends and a commit under its id that want no answer.
  void give_item(const protocol::item& value, duplex_audio& reader);

  [[nodiscard]] unit_feed& units() noexcept { return feed_; }
  // The user's turn is going on. Where nobody ends it (no detector, no commit needed), as long as there is sound.
  [[nodiscard]] bool speaking() const noexcept {
    return turn_ && turn_->announced && (detects() || !answers_itself() || speech_before_);
  }
  // What it holds of memory that a client sent and the model has not got, and in how many pieces.
  [[nodiscard]] std::size_t held_bytes() const noexcept;
  [[nodiscard]] std::size_t held_pieces() const noexcept { return feed_.entries(); }
  // The item has a picture that came as a frame: those leave by themselves.
  [[nodiscard]] bool is_framed(const protocol::item_id& item) const { return pictures_.is_framed(item); }
  [[nodiscard]] bool native() const noexcept { return context_.options.capabilities.native; }
  [[nodiscard]] bool answers_itself() const noexcept { return context_.settings->duplex.auto_response; }
  [[nodiscard]] std::size_t deferred() const noexcept { return feed_.boundaries(); }

 private:
  struct turn {
    protocol::item_id id;
    bool announced = false;  // speech_started was emitted and speech_stopped was not
    bool holds_speech = false;
    bool only_marked = true;  // every append was marked as not speech by the client
    std::int64_t speech_ms = 0;
    std::int64_t samples = 0;  // given
    std::int64_t end_ms = 0;   // where its speech ends, as far as is known
    bool framed = false;       // frames came in it
    std::string words{};       // of the hints, joined
    std::string last_hint{};
  };
  struct judgement {
    bool speech = false;
    bool starts = false;
    std::vector<turn_detector::change> changes{};
  };

  [[nodiscard]] const protocol::session_settings& settings() const { return *context_.settings; }
  [[nodiscard]] bool detects() const noexcept { return detector_ != nullptr; }
  // Of a model that hears turns, in a session that answers by itself.
  [[nodiscard]] bool detects_for_answers() const noexcept { return answers_itself() && !native(); }
  [[nodiscard]] const protocol::turn_detection* wanted_detection() const;
  void make_detector();
  // Why the append is refused before anything has changed.
  [[nodiscard]] std::optional<protocol::wire_error> unusable(const heard_append& append) const;
  [[nodiscard]] bool completes_blind_unit(const heard_append& append) const;
  [[nodiscard]] judgement judge(const heard_append& append);
  void see(const heard_append& append);
  void let_time_pass(std::size_t samples);
  [[nodiscard]] unit_purpose purpose_of(const heard_append* from, bool force_listen);
  [[nodiscard]] bool passes_overlap(const heard_append& append, const judgement& heard);
  void announce_verdict(const overlap_question& asked, const overlap_verdict& verdict, std::int64_t ms);
  void follow_detector(const heard_append& append, const judgement& heard);
  void take_plain(const heard_append& append, bool speech);
  void start_speech(std::int64_t at_ms);
  void stop_speech(std::int64_t at_ms);
  turn& open_turn();
  void note(const heard_append& append, bool speech);
  void give(std::span<const std::int16_t> samples, const heard_append* from, bool force_listen);
  void tell_silence();
  void decide_for_listener(std::size_t samples);
  void commit_silence();
  void commit_acknowledgement();
  void commit_nothing(protocol::commit_facts facts);
  void commit_turn(bool answer, bool by_client, bool final);
  [[nodiscard]] protocol::item item_of_turn();
  void fan_out(protocol::commit_facts facts);
  void end_turn(const turn& ended, bool answer, bool deferred, bool by_client);
  void forget_open();
  void hear_part(const protocol::content_part& part, duplex_audio& reader);
  [[nodiscard]] protocol::commit_facts facts() const;

  session_context& context_;
  answer_desk& desk_;
  unit_feed feed_;
  std::optional<turn> turn_;
  std::unique_ptr<turn_detector> detector_;
  bool detector_failed_ = false;
  input_buffer recent_;               // with a detector: audio whose beginning of speech may yet be found
  std::int64_t given_until_ = 0;      // position in recent_ that the model has
  bool speech_before_ = false;        // the append before counted as speech
  std::int64_t overlap_ms_ = 0;       // speech over the answer that is going on
  std::size_t listened_samples_ = 0;  // turn-based, answering: of the unit that is filling
  bool turn_ended_in_unit_ = false;
  turn_pictures pictures_;
  bool failed_ = false;
};

}  // namespace parley::runtime
