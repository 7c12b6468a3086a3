// One answer of the model, from response.created to response.done: what it holds, in which order its events leave, how
// its speech is paced, and how it ends. It is active until its response.done is emitted.
//
//   model output --accept--> [ outbox ] --release on the playing clock--> events --end--> the .done events
//
// Thread safety: none; owned by the session.
#pragma once

#include "runtime/conversation.hpp"
#include "runtime/outbox.hpp"
#include "runtime/session_context.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::runtime {

// What holds for one response: the session's settings with its own overrides.
struct response_settings {
  std::string instructions;
  protocol::output_modality modality = protocol::output_modality::audio;
  protocol::audio_format output_format;
  std::string voice;
  double speed = 1.0;
  double temperature = 0.8;
  std::optional<int> max_output_tokens;
  std::vector<protocol::tool> tools;
  protocol::tool_choice choice;
  std::optional<std::string> reasoning_effort;
  std::optional<bool> parallel_tool_calls;
  std::optional<protocol::prompt_template> prompt;
  std::optional<protocol::raw_json> metadata;
  bool out_of_band = false;
};

[[nodiscard]] response_settings effective(const protocol::session_settings& session,
                                          const protocol::response_options& overrides);

// True for a choice that names no function, too.
[[nodiscard]] bool chosen_tool_exists(const response_settings& settings);

class response {
 public:
  response(protocol::response_id id, protocol::epoch epoch, response_settings settings)
      : id_(std::move(id)), epoch_(epoch), settings_(std::move(settings)) {}

  [[nodiscard]] const protocol::response_id& id() const noexcept { return id_; }
  [[nodiscard]] protocol::epoch epoch() const noexcept { return epoch_; }
  [[nodiscard]] const response_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] bool over() const noexcept { return over_; }
  [[nodiscard]] bool opened() const noexcept { return opened_; }
  // The model has given some of it.
  [[nodiscard]] bool begun() const noexcept { return !outputs_.empty(); }

  // Where nobody asked for it, it opens by itself with the first output of the model.
  void open(session_context& context);
  // Output of the model; ignored once the model said it is done.
  void accept(session_context& context, model_text text);
  void accept(session_context& context, const model_message_begun& begun);
  void accept(session_context& context, model_speech speech);
  void accept(session_context& context, model_tool_call call);
  void accept(session_context& context, const model_done& done);
  void accept(session_context& context, const model_failed& failed);
  // Lets out what is due, then the endings when nothing is left. Of a model that can wait no more sound is let out than
  // the writer is about to take, and the endings wait for all of it: until then an interruption takes it back, and what
  // waits for a slow client waits here.
  void release(session_context& context);
  // The writer sequenced one of its audio deltas.
  void sent(std::int64_t samples) noexcept;
  // Ends it at once: what waits is dropped, here and in the delivery buffer, and the model is told.
  void cancel(session_context& context, protocol::status_reason reason);
  void fail(session_context& context, protocol::wire_error error);
  void complete_empty(session_context& context);
  // It goes without a word: it was never opened.
  void drop(session_context& context);

  // What the model is asked with, for an estimate of usage where the model counts nothing itself.
  void expect_input(std::string_view instructions, const std::vector<conversation::item_ptr>& prompt);

  // When release() is next due.
  [[nodiscard]] std::optional<time_point> deadline(const session_context& context) const;
  // The item as it stands with its audio, for a retrieve while it is spoken; empty when it is none of this response.
  [[nodiscard]] std::optional<protocol::item> shown(const protocol::item_id& item) const;
  [[nodiscard]] int tokens() const;  // of usage, in all

 private:
  struct outcome {
    protocol::response_status status = protocol::response_status::completed;
    protocol::status_reason reason = protocol::status_reason::none;
    std::optional<protocol::wire_error> failure{};
  };
  struct output {
    protocol::item value;
    bool done = false;
  };

  [[nodiscard]] protocol::response_view view(const session_context& context) const;
  [[nodiscard]] spoken_item* spoken(session_context& context) const;
  [[nodiscard]] const spoken_item* spoken(const session_context& context) const;
  [[nodiscard]] protocol::playback_counters counters(const session_context& context, std::int64_t sent_samples) const;
  void announce_output(session_context& context, std::size_t index);
  void note_spoken_end(session_context& context);
  void end_quietly(session_context& context);
  [[nodiscard]] playing_clock& clock(session_context& context) noexcept;
  [[nodiscard]] const playing_clock& clock(const session_context& context) const noexcept;
  [[nodiscard]] protocol::part_ref part(std::size_t index) const;
  [[nodiscard]] protocol::token_usage usage() const;
  [[nodiscard]] std::shared_ptr<const protocol::audio_clip> audio_so_far() const;
  void keep_audio(const session_context& context, const std::vector<std::int16_t>& samples);
  [[nodiscard]] bool takes_output() const noexcept { return !over_ && !outcome_; }
  [[nodiscard]] bool unpaced(const session_context& context) const noexcept;
  [[nodiscard]] bool counts_unsent(const session_context& context) const noexcept;
  [[nodiscard]] bool is_held_up(const session_context& context) const noexcept;

  std::size_t open_output(session_context& context, protocol::item value);
  void open_message(session_context& context);
  [[nodiscard]] bool within_bounds(session_context& context, std::size_t samples, std::size_t text_bytes);
  void say(session_context& context, outbox::chunk chunk);
  void send_audio(session_context& context, outbox::chunk& chunk);
  void regulate(session_context& context);
  void stop(session_context& context);
  void end(session_context& context);
  void end_output(session_context& context, std::size_t index);
  void end_part(session_context& context, std::size_t index);
  void end_call(session_context& context, std::size_t index);
  void finish(session_context& context, std::size_t index);

  // Constant after construction
  protocol::response_id id_;
  protocol::epoch epoch_;
  response_settings settings_;

  playing_clock own_clock_;  // out of band
  outbox outbox_;
  std::vector<output> outputs_;
  std::optional<std::size_t> message_;  // index of the message item, once it is open
  std::int64_t made_samples_ = 0;       // by the model, released or not
  std::size_t made_text_bytes_ = 0;
  std::int64_t audio_samples_ = 0;  // released
  std::int64_t characters_ = 0;     // of the transcript released
  bool holds_call_ = false;
  bool opened_ = false;
  bool starved_ = false;             // what waits is too short to be sent yet
  bool held_up_ = false;             // ... or must stay until the writer has taken more of what was sent
  std::int64_t unsent_samples_ = 0;  // let out and not sequenced
  std::size_t unsent_events_ = 0;
  std::size_t unsent_low_ = 0;  // held up until no more than this are left
  bool model_waits_ = false;
  std::vector<std::int16_t> kept_audio_;  // of the message, for history; empty once it is too long for it
  bool keeps_audio_ = true;
  protocol::token_usage expected_;  // its input, estimated
  std::optional<protocol::token_usage> usage_;
  std::optional<outcome> outcome_;  // decided by the model; the ending waits for the outbox
  bool over_ = false;
};

}  // namespace parley::runtime
