// The parts of a session and how they work together. Internal to runtime: session.cpp routes what comes in,
// session_turns.cpp settles the user's turns, session_answers.cpp starts, asks for and ends answers, session_items.cpp
// edits the conversation, session_prompt.cpp makes of it what the model gets. What the duplex dialect does otherwise:
// session_duplex.cpp its commands, session_duplex_units.cpp what a model decides on units, session_playback.cpp what
// was heard. Thread safety: none; owned by session.
#pragma once

#include "runtime/prompt_window.hpp"
#include "runtime/rate_limiter.hpp"
#include "runtime/response.hpp"
#include "runtime/session.hpp"
#include "runtime/session_context.hpp"
#include "runtime/session_duplex.hpp"
#include "runtime/told_transcript.hpp"
#include "runtime/user_input.hpp"

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace parley::runtime {

struct session::impl : turn_listener, answer_desk {
  explicit impl(session_options options);
  virtual ~impl() = default;

  // ---- session.cpp: what comes in -------------------------------------------------------------------------------
  void handle(const protocol::session_update& update);
  void handle(const protocol::input_audio_append& append) { input.append(append.audio_base64); }
  void handle(const protocol::input_audio_commit&) {
    if (has_room_for_turns(1)) input.commit();
  }
  void handle(const protocol::input_audio_clear&) { input.clear(); }
  void handle(const protocol::item_create& create);
  void handle(const protocol::item_retrieve& retrieve);
  void handle(const protocol::item_delete& erase);
  void handle(const protocol::item_truncate& truncate);
  void handle(const protocol::response_create& create);
  void handle(const protocol::response_cancel& cancel);
  void handle(const protocol::playback_ack& ack);
  // The transport's own: they do not come here.
  void handle(const protocol::event_ack&) {}
  void handle(const protocol::session_resume&) {}
  [[nodiscard]] std::optional<protocol::wire_error> unusable(const protocol::session_patch& patch) const;
  void handle_bad_message(protocol::wire_error error);
  void begin(time_point now, actions& out);
  void settle();
  void expire();
  void end_responses();
  void end(close_reason reason);
  [[nodiscard]] protocol::session_view view() const;

  // ---- session_turns.cpp: the user's turns ----------------------------------------------------------------------
  void speech_began() override;
  void audio_came(std::span<const std::int16_t> samples) override { stream(samples, false); }
  void turn_committed(const protocol::item_id& item, double seconds, turn_end by, const std::string& words) override;
  void take(const turn_partial& partial);
  void take(turn_guess guess) { input.guessed(guess.item, std::move(guess.words)); }
  void take(turn_ready ready);
  void take(const turn_blank& blank);
  void take(turn_failed failed);
  enum class meaning : std::uint8_t { words, blank, failed };
  struct pending_turn;
  // Of the client's wish: refuses what is too much. Of what nobody can be told: the oldest turn is given up.
  [[nodiscard]] bool has_room_for_turns(std::size_t count);
  void await_turn(pending_turn turn);
  [[nodiscard]] pending_turn* find_pending(const protocol::item_id& item);
  void turn_resolved(const protocol::item_id& item, meaning what);
  // The one way to a client for what is recognised; see told_transcript.
  void tell_words(pending_turn& turn, std::string delta);
  void set_transcript(pending_turn& turn, turn_ready ready);
  void set_input_transcript(const pending_turn& turn, const std::string& transcript);
  // When nobody has spoken for too long; empty = that is not watched now.
  [[nodiscard]] std::optional<time_point> idle_deadline() const;
  void break_silence();

  // ---- session_answers.cpp: the model's answers -----------------------------------------------------------------
  void take(const model_speak& speak);
  void take(const model_unit_failed& failed);
  void take(const model_listen& listen);
  void take(const model_closed& closed);
  template <class Output>  // text, speech, tool call, done, failed of one response
  void take(Output output);
  [[nodiscard]] bool accept_response(const protocol::response_options& options);
  void start_response(const protocol::response_options& options);
  void answer_turns();
  void ask_model(response& one, const protocol::response_options& options);
  void ask_when_heard();
  bool interrupt(protocol::status_reason reason);  // true when something was cut off
  void release_due();
  void let_go_finished();
  [[nodiscard]] bool admit_answer();
  void forget_unasked();
  [[nodiscard]] bool user_speaks() const;
  [[nodiscard]] bool may_answer() const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] response* find_response(const protocol::response_id& id);

  // ---- session_items.cpp: the conversation ----------------------------------------------------------------------
  [[nodiscard]] bool accept_item(protocol::item& value);
  // Audio of a client's item comes as base64 text; `path` is that of the item.
  [[nodiscard]] bool decode_audio(protocol::item& value, const std::string& path);
  [[nodiscard]] bool fits_images(const std::vector<const protocol::item*>& prompt);  // duplex
  [[nodiscard]] bool fits_images_with(const protocol::item& value);                  // duplex
  [[nodiscard]] bool accept_images(const protocol::item& value, const std::string& path);
  void insert_item(const protocol::item_create& create, protocol::item value);
  void hear_inserted(const protocol::item& value);
  // The audio of a user's item without a transcript, as if it had been spoken; seconds of it.
  double hear_item(const protocol::item& value);

  // ---- session_duplex.cpp: the duplex dialect ------------------------------------------------------------------
  void take_in(const protocol::command& command);
  void take_append(const protocol::input_audio_append& append);
  [[nodiscard]] std::optional<protocol::wire_error> unusable(const protocol::append_details& details) const;
  void put_off(const protocol::command& command);
  void run_waiting();
  [[nodiscard]] bool has_room(std::size_t cost_bytes) const;
  void drop_waiting_input();
  void run(const protocol::command& command);
  void update_duplex(const protocol::session_update& update);
  void clear_duplex();
  void cancel_duplex(const protocol::response_cancel& cancel);
  void ask_duplex(const protocol::response_create& create);
  [[nodiscard]] std::optional<protocol::wire_error> unaskable(const protocol::response_options& options) const;
  void handle(const protocol::input_cancel&);
  void handle(const protocol::barge_in&);
  void handle(const protocol::output_audio_clear& clear);
  void silence_finished(const std::optional<protocol::response_id>& only);
  void handle(const protocol::input_text_append& text);
  void handle(const protocol::turn_signal& signal);
  void handle(const protocol::session_heartbeat&);
  void handle(const protocol::session_close& close);
  void drop_input(protocol::status_reason reason);
  [[nodiscard]] bool has_open_answer() const { return active && !active->over() && active->opened(); }
  [[nodiscard]] bool working() const;
  [[nodiscard]] std::optional<duration> idle_limit() const;
  void mind_the_lease();
  [[nodiscard]] protocol::terminal_event terminal(close_reason reason, const std::string& said) const;
  [[nodiscard]] protocol::turn_state turn_state() const;
  [[nodiscard]] protocol::duplex_view duplex_view() const;
  // answer_desk
  bool answering() const override { return active && !active->over(); }
  void cut_in(protocol::status_reason reason) override;
  std::optional<protocol::response_id> open_answer() override;
  void acknowledged() override { duplex->owes_listen = true; }
  void turn_given(const protocol::item_id& item, double seconds, bool answer, bool by_client) override;

  // ---- session_duplex_units.cpp: units of a model-native conversation ---------------------------------------------
  void pump_units();
  [[nodiscard]] bool units_held() const;
  [[nodiscard]] bool units_block() const;
  [[nodiscard]] bool must_wait() const;
  void decided(std::uint64_t unit, bool speaks);
  void listened(const unit_purpose& purpose);
  void speak_up(const unit_purpose& purpose);
  void yield_floor();
  void tell_listening();
  void after_answer(const response& ended);
  void unit_failed(const unit_purpose& purpose, const std::string& message);
  void expire_unit();
  [[nodiscard]] std::optional<time_point> unit_deadline() const;
  void stream(std::span<const std::int16_t> samples, bool ends_turn);

  // ---- session_playback.cpp: what was heard -------------------------------------------------------------------------
  using spoken_entry = std::pair<const protocol::item_id, spoken_item>;
  [[nodiscard]] spoken_entry* acknowledged_item(const protocol::playback_ack& ack);
  [[nodiscard]] spoken_entry* spoken_of(const protocol::response_id& id);
  void acknowledge_duplex(const protocol::playback_ack& ack);
  void close_history();
  [[nodiscard]] protocol::playback_counters counters_of(const spoken_item& one) const;
  [[nodiscard]] protocol::item as_shown(const protocol::item& value) const;

  // ---- session_prompt.cpp: what the model gets ------------------------------------------------------------------
  [[nodiscard]] std::optional<protocol::item> as_heard(const protocol::item& value) const;
  [[nodiscard]] prompt_window prompt(const protocol::response_options& options);
  void add_to_prompt(std::vector<conversation::item_ptr>& made, const conversation::item_ptr& one) const;
  [[nodiscard]] std::vector<conversation::item_ptr> recent_items(std::size_t limit) const;
  // References must name items, sound must be sound: refuses what is wrong, else decodes it in place.
  [[nodiscard]] bool usable_input(protocol::response_options& options);
  [[nodiscard]] bool usable_input_item(protocol::response_options::input_item& given, const std::string& path);

  enum class answer : std::uint8_t { never, when_understood, always };
  struct pending_turn {
    protocol::item_id item;
    double seconds = 0;  // of audio
    answer wanted = answer::never;
    std::optional<protocol::response_id> input_of{};  // not of the conversation: audio in the input of a response
    int content_index = 0;                            // of its audio in the item
    told_transcript told{};
  };
  // An answer that is open while its turns are still being recognised: the model was not asked yet.
  struct question {
    protocol::response_id id;
    protocol::response_options options;
    bool has_words = false;  // it answers more than turns that may yet turn out blank
  };
  [[nodiscard]] bool is_heard(const question& one) const;

  session_context context;
  user_input input;
  rate_limiter limiter;
  std::unique_ptr<duplex_half> duplex;   // in that dialect; else null
  std::optional<unit_feed> native_feed;  // of a model-native conversation in another dialect
  std::optional<response> active;        // of the conversation
  std::list<response> out_of_band;
  std::vector<pending_turn> pending;  // committed, not yet understood
  std::vector<question> unasked;
  bool answer_owed = false;                       // a turn was understood while somebody spoke
  bool interrupting = false;                      // the speech that is going on cut an answer off
  std::optional<time_point> quiet_since;          // the last answer was over and played
  std::optional<protocol::item_id> prompt_begin;  // truncation with a retention ratio: what is older is out for good
  std::optional<time_point> expires;
  time_point bad_since{};
  int bad_messages = 0;
  bool draining = false;
  bool closed = false;
};

}  // namespace parley::runtime
