// What a model is to parley. A `model` (one per configured name, shared) opens a `model_session` per conversation. The
// session runtime calls the model_session on the session's executor; the model answers through its sink, from any
// thread, each answer naming the response and epoch it belongs to, so that what is stale is dropped on arrival.
// No call may block: what waits inside an adapter is bounded and has a deadline.
#pragma once

#include "protocol/event.hpp"
#include "protocol/item.hpp"
#include "protocol/session_settings.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace parley::runtime {

struct model_capabilities {
  bool native = false;      // the model owns the turns: hears units (hear_unit), decides listen or speak
  bool can_wait = true;     // honours throttle(); one that can not is bounded instead
  bool takes_audio = true;  // wants the input audio (hear, end_turn); else turns are ready at once
  bool takes_images = false;
  bool calls_tools = false;
  bool adapts_speed = true;                   // speaks at response_request::speed; else a speed other than 1 is refused
  std::chrono::milliseconds chunk_period{0};  // native: length of one unit; 0 = turn-based
  // What sessions of the duplex dialect offer and refuse by.
  bool barge_in = true;                // may be interrupted
  bool resumes = true;                 // its session outlives the socket
  bool takes_text = true;              // can be prompted by text items alone
  bool takes_text_appends = false;     // input.text.append
  bool takes_video = false;            // frames belong to units
  bool video_required = false;         // ... and to every one of them
  bool truncates_audio = true;         // history can be cut
  bool updates_instructions = true;    // also after it heard the first unit
  bool takes_overrides = true;         // response.create with options of its own
  bool needs_reference_voice = false;  // speaks only with ref_audio
  std::string implementation_level = "full";
};

// ---- session -> model -------------------------------------------------------------------------------------------

// A piece of input audio of one turn, in order, at the session's input rate.
struct heard_audio {
  protocol::item_id item;
  int rate_hz = 24000;
  std::vector<std::int16_t> samples;
};

// All audio of the turn was given. The model answers with exactly one turn_ready, turn_blank or turn_failed for it.
struct ended_turn {
  protocol::item_id item;
  // The client asked for transcription events: what it said of them, hints for the recogniser.
  std::optional<protocol::transcription> transcription{};
};

// One unit of a model-native conversation: what came in in one chunk_period, silence filled up where a commit cut it
// short. Units are given one at a time: the next only after the decision on this one.
struct audio_unit {
  std::uint64_t number = 0;  // from 1, in the order given
  int rate_hz = 16000;
  std::vector<std::int16_t> samples{};
  std::vector<std::string> frames{};  // base64 of JPEG or PNG
  protocol::item_id item{};           // the input item it belongs to; empty: none is open
  bool force_listen = false;          // the decision must be to listen
  bool buffering = false;             // part of a turn that is not over: it may only listen
  bool ends_turn = false;             // the client committed
};

// Everything a model needs for one answer. Text of a message that was interrupted is already cut at what was heard.
struct response_request {
  protocol::response_id id;
  protocol::epoch epoch;
  std::string instructions;
  std::vector<std::shared_ptr<const protocol::item>> prompt;  // oldest first
  std::vector<protocol::tool> tools;
  protocol::tool_choice choice;
  protocol::output_modality modality = protocol::output_modality::audio;
  std::string voice;
  double speed = 1.0;
  double temperature = 0.8;
  int output_rate_hz = 24000;  // speech must be delivered at this rate
  std::optional<int> max_output_tokens;
  std::optional<std::string> reasoning_effort{};
  std::optional<bool> parallel_tool_calls{};
};

// ---- model -> session -------------------------------------------------------------------------------------------

// Words recognised so far of a turn that is being heard; the new part only. Worth sending as soon as they can no longer
// change, also before the turn has ended: all of a turn, joined, are the beginning of its transcript.
struct turn_partial {
  protocol::item_id item{};
  std::string delta{};
};
// The words that seem to follow those of the turn_partials; may still change. Each replaces the one before, and a
// turn_partial replaces it too. Clients never see them; semantic_vad listens to them.
struct turn_guess {
  protocol::item_id item{};
  std::string words{};
};
// The turn was understood. An empty transcript where the model hears sound directly.
struct turn_ready {
  protocol::item_id item{};
  std::optional<std::string> transcript{};
  std::optional<std::vector<protocol::token_logprob>> logprobs{};  // of the transcript, where the recogniser has them
};
// Nothing was said (C17): recorded with an empty transcript, answered by nobody.
struct turn_blank {
  protocol::item_id item{};
};
struct turn_failed {
  protocol::item_id item{};
  std::string message{};  // for the client: no URL, secret or exception text
};

// Text of a text response.
struct model_text {
  protocol::response_id response{};
  protocol::epoch epoch{};
  std::string text{};
};
// The model has begun to say something: its message takes its place among the items of the answer now, also when the
// first of the speech is still being made. Only needed where other output may overtake it.
struct model_message_begun {
  protocol::response_id response{};
  protocol::epoch epoch{};
};
// Speech and the words that belong to it (either may be empty): the words are released with the first of the samples.
struct model_speech {
  protocol::response_id response{};
  protocol::epoch epoch{};
  std::vector<std::int16_t> samples{};  // at the request's output_rate_hz
  std::string transcript{};
};
// A piece of one tool call; the first names it, `last` completes it.
struct model_tool_call {
  protocol::response_id response{};
  protocol::epoch epoch{};
  protocol::call_id call{};
  std::string name{};
  std::string arguments_delta{};
  bool last = false;
};
enum class finish_reason : std::uint8_t { stop, max_output_tokens, content_filter };
struct model_done {
  protocol::response_id response{};
  protocol::epoch epoch{};
  finish_reason reason = finish_reason::stop;
  std::optional<protocol::token_usage> usage{};
};
struct model_failed {
  protocol::response_id response{};
  protocol::epoch epoch{};
  std::string message{};  // for the client, as above
};
// Native models: the decision on a unit, exactly one for each. To speak: respond() follows with the id of the answer,
// unless one of this model is going on already, which then simply goes on. Also when the turn of the answer is over
// (model_done first). `unit` 0: a decision that belongs to no unit.
struct model_speak {
  std::uint64_t unit = 0;
};
struct model_listen {
  std::uint64_t unit = 0;
};
// The unit was not taken: what waits behind it is given up, the session goes on.
struct model_unit_failed {
  std::uint64_t unit = 0;
  std::string message{};  // for the client, as above
};
// The model session is lost for good; nothing follows.
struct model_closed {
  std::string message{};
};

using model_output = std::variant<turn_partial, turn_guess, turn_ready, turn_blank, turn_failed, model_text,
                                  model_message_begun, model_speech, model_tool_call, model_done, model_failed,
                                  model_speak, model_listen, model_unit_failed, model_closed>;

// Thread safety: post() may be called from any thread, also after the session went (then it is dropped).
class model_sink {
 public:
  virtual ~model_sink() = default;
  virtual void post(model_output output) = 0;
};

// Thread safety: called on the session's executor only. Destroying it cancels everything it runs; nothing is posted
// to the sink after the destructor returned.
class model_session {
 public:
  virtual ~model_session() = default;
  // Turn-based models hear turns, native ones units; each gets only its own.
  virtual void hear(heard_audio audio) = 0;
  virtual void end_turn(ended_turn turn) = 0;
  virtual void hear_unit(audio_unit) {}
  virtual void drop_turn(const protocol::item_id& item) = 0;  // cleared or superseded: no answer for it
  virtual void respond(response_request request) = 0;
  virtual void cancel(const protocol::response_id& response) = 0;  // unknown or finished: ignored
  // Flow control of one response: true = stop producing until false comes (a model that can_wait).
  virtual void throttle(const protocol::response_id& response, bool wait) = 0;
};

// Thread safety: open() may be called from any I/O thread at once.
class model {
 public:
  virtual ~model() = default;
  [[nodiscard]] virtual model_capabilities capabilities() const = 0;
  [[nodiscard]] virtual std::unique_ptr<model_session> open(std::shared_ptr<model_sink> sink) = 0;
};

}  // namespace parley::runtime
