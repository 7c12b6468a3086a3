// The parts of a session and how they work together. Internal to runtime: session.cpp routes what comes in,
// session_turns.cpp settles the user's turns, session_answers.cpp starts, asks for and ends answers, session_items.cpp
// edits the conversation, session_prompt.cpp makes of it what the model gets.
// Thread safety: none; owned by session.
#pragma once

#include "runtime/prompt_window.hpp"
#include "runtime/rate_limiter.hpp"
#include "runtime/response.hpp"
#include "runtime/session.hpp"
#include "runtime/session_context.hpp"
#include "runtime/user_input.hpp"

#include <list>
#include <optional>
#include <vector>

namespace parley::runtime {

struct session::impl : turn_listener {
  explicit impl(session_options options);
  virtual ~impl() = default;

  // ---- session.cpp: what comes in -------------------------------------------------------------------------------
  void handle(const protocol::session_update& update);
  void handle(const protocol::input_audio_append& append) { input.append(append.audio_base64); }
  void handle(const protocol::input_audio_commit&) { input.commit(); }
  void handle(const protocol::input_audio_clear&) { input.clear(); }
  void handle(const protocol::item_create& create);
  void handle(const protocol::item_retrieve& retrieve);
  void handle(const protocol::item_delete& erase);
  void handle(const protocol::item_truncate& truncate);
  void handle(const protocol::response_create& create);
  void handle(const protocol::response_cancel& cancel);
  void handle(const protocol::playback_ack& ack);
  template <class Duplex>
  void handle(const Duplex&) {}
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
  void turn_committed(const protocol::item_id& item, double seconds, turn_end by) override;
  void take(turn_partial partial);
  void take(turn_ready ready);
  void take(const turn_blank& blank);
  void take(turn_failed failed);
  enum class meaning : std::uint8_t { words, blank, failed };
  struct pending_turn;
  [[nodiscard]] pending_turn* find_pending(const protocol::item_id& item);
  void turn_resolved(const protocol::item_id& item, meaning what);
  void set_transcript(const pending_turn& turn, turn_ready ready);
  void set_input_transcript(const pending_turn& turn, const std::string& transcript);
  // When nobody has spoken for too long; empty = that is not watched now.
  [[nodiscard]] std::optional<time_point> idle_deadline() const;
  void break_silence();

  // ---- session_answers.cpp: the model's answers -----------------------------------------------------------------
  void take(const model_speak& speak);
  void take(const model_unit_failed& failed);
  void take(const model_listen&) {}  // the openai dialect has no event for a decision to stay silent
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
  [[nodiscard]] bool may_answer() const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] response* find_response(const protocol::response_id& id);

  // ---- session_items.cpp: the conversation ----------------------------------------------------------------------
  [[nodiscard]] bool accept_item(protocol::item& value);
  // Audio of a client's item comes as base64 text; `path` is that of the item.
  [[nodiscard]] bool decode_audio(protocol::item& value, const std::string& path);
  [[nodiscard]] bool accept_images(const protocol::item& value, const std::string& path);
  void insert_item(const protocol::item_create& create, protocol::item value);
  // The audio of a user's item without a transcript, as if it had been spoken; seconds of it.
  double hear_item(const protocol::item& value);

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
  std::optional<response> active;  // of the conversation
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
