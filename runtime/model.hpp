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
  bool native = false;      // the model owns the turns: hears units, decides listen or speak
  bool can_wait = true;     // honours throttle(); one that can not is bounded instead
  bool takes_audio = true;  // wants the input audio (hear, end_turn); else turns are ready at once
  bool takes_images = false;
  bool calls_tools = false;
  bool adapts_speed = true;                   // speaks at response_request::speed; else a speed other than 1 is refused
  std::chrono::milliseconds chunk_period{0};  // native: length of one unit
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

// Words recognised so far of a turn that is being heard; the new part only. Worth sending as soon as they are sure,
// also before the turn has ended: semantic_vad listens to them.
struct turn_partial {
  protocol::item_id item{};
  std::string delta{};
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
// Native models: open a response that nobody asked for (`item` = the turn it answers, if any), or stay silent.
struct model_speak {
  std::optional<protocol::item_id> item{};
};
struct model_listen {
  std::string reason{};
};
// The model session is lost for good; nothing follows.
struct model_closed {
  std::string message{};
};

using model_output = std::variant<turn_partial, turn_ready, turn_blank, turn_failed, model_text, model_speech,
                                  model_tool_call, model_done, model_failed, model_speak, model_listen, model_closed>;

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
  virtual void hear(heard_audio audio) = 0;
  virtual void end_turn(ended_turn turn) = 0;
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
