// The parts of a session and how they work together. Internal to runtime: session.cpp routes what comes in,
// session_turns.cpp decides who speaks when, session_items.cpp edits the conversation.
// Thread safety: none; owned by session.
#pragma once

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
  void handle_bad_message(protocol::wire_error error);
  void begin(time_point now, actions& out);
  void settle();
  void expire();
  void end_responses();
  void end(close_reason reason);
  [[nodiscard]] protocol::session_view view() const;

  // ---- session_turns.cpp: who speaks when -----------------------------------------------------------------------
  void speech_began() override;
  void turn_committed(const protocol::item_id& item, double seconds, bool detected) override;
  void take(turn_partial partial);
  void take(turn_ready ready);
  void take(const turn_blank& blank);
  void take(turn_failed failed);
  void take(const model_speak& speak);
  void take(const model_listen&) {}  // the openai dialect has no event for a decision to stay silent
  void take(const model_closed& closed);
  template <class Output>  // text, speech, tool call, done, failed of one response
  void take(Output output);
  [[nodiscard]] bool is_pending(const protocol::item_id& item) const;
  void turn_resolved(const protocol::item_id& item, bool blank);
  void set_transcript(const protocol::item_id& item, std::string transcript);
  void start_response(const protocol::response_options& options);
  void ask_model(const response& one, const protocol::response_options& options);
  void ask_when_heard();
  void interrupt(protocol::status_reason reason);
  void release_due();
  [[nodiscard]] bool may_answer() const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] response* find_response(const protocol::response_id& id);

  // ---- session_items.cpp: the conversation ----------------------------------------------------------------------
  [[nodiscard]] bool accept_item(protocol::item& value);
  [[nodiscard]] bool decode_audio(protocol::item& value);
  void insert_item(const protocol::item_create& create, protocol::item value);
  void hear_item(const protocol::item& value);
  [[nodiscard]] std::optional<protocol::item> as_heard(const protocol::item& value) const;
  [[nodiscard]] std::vector<conversation::item_ptr> prompt(const protocol::response_options& options) const;
  [[nodiscard]] bool usable_input(const protocol::response_options& options);

  struct pending_turn {
    protocol::item_id item;
    double seconds = 0;     // of audio
    bool answered = false;  // an answer starts when it is understood
  };

  session_context context;
  user_input input;
  std::optional<response> active;  // of the conversation
  protocol::response_options active_options;
  bool active_waits = false;      // its turns are still being recognised: the model was not asked yet
  bool active_has_words = false;  // it answers more than turns that may yet turn out blank
  std::list<response> out_of_band;
  std::vector<pending_turn> pending;  // committed, not yet understood
  bool answer_owed = false;           // a turn was understood while somebody spoke
  std::optional<time_point> expires;
  time_point bad_since{};
  int bad_messages = 0;
  bool draining = false;
  bool closed = false;
};

}  // namespace parley::runtime
