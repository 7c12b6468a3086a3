// One conversation as a sans-I/O state machine: what comes in is a command, an output of the model, a receipt of the
// writer or the time; what goes out are actions, in order, appended to the caller's list. It never touches a socket, a
// clock or a thread, so a recorded input replays to the same output. Thread safety: none; owned by one executor (its
// session_host).
#pragma once

#include "protocol/command.hpp"
#include "protocol/dialect.hpp"
#include "runtime/action.hpp"
#include "runtime/clock.hpp"
#include "runtime/delivery_buffer.hpp"
#include "runtime/speech_detector.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parley::runtime {

// Bounds of one session; each with its unit.
struct session_limits {
  std::size_t append_bytes = 15 * 1024 * 1024;         // decoded audio of one append
  std::size_t input_buffer_bytes = 32 * 1024 * 1024;   // uncommitted audio, as int16
  std::size_t history_audio_bytes = 16 * 1024 * 1024;  // sound and pictures kept; the oldest go first
  std::size_t history_text_bytes = 16 * 1024 * 1024;   // words, arguments and results; the oldest item goes first
  std::size_t items = 4096;                            // of the conversation; the oldest goes first
  std::int64_t response_audio_ms = 3'600'000;          // of one response; then it ends incomplete, max_output_tokens
  std::size_t response_text_bytes = 1024 * 1024;       // the same for its words and tool arguments
  int out_of_band_responses = 4;                       // at once
  std::int64_t outbox_high_audio_ms = 5000;            // a model that can wait waits above this ...
  std::size_t outbox_high_bytes = 1024 * 1024;         // ... or this, until half of it is left
  std::int64_t outbox_max_audio_ms = 300'000;          // a model that can not wait: the response fails beyond this
  std::size_t unsent_audio_bytes = 128 * 1024;         // a model that can wait: sound (base64) of one response that the
  std::size_t unsent_audio_events = 128;               // ... writer has not taken yet; the rest stays in the outbox
  int bad_messages = 100;                              // of one minute: then close 1008
  std::size_t prompt_tokens = 28'000;                  // estimated, after the instructions; what is older leaves first
  std::optional<int> responses_per_minute{};           // of this session; empty = no limit
  std::optional<int> tokens_per_minute{};
  std::size_t pending_turns = 64;  // committed and not understood yet; then the next is refused, or the oldest given up
  // duplex
  std::size_t pending_input_bytes = 16 * 1024 * 1024;  // all that waits for the model, with what keeping it costs
  std::size_t waiting_inputs = 32'768;                 // the same in pieces: eleven minutes in appends of 20 ms
  std::size_t hint_bytes = 256 * 1024;                 // of the transcript hints of one turn
  int pending_commits = 4;
  std::size_t waiting_commands = 256;              // of any kind, while the model decides on a unit
  std::chrono::milliseconds unit_timeout{30'000};  // no decision for so long: the unit has failed
  std::size_t context_images = 8;                  // of all items
  std::size_t context_image_bytes = 4 * 1024 * 1024;
};

// Converts audio of one rate into another, piece by piece; made by adapters. Thread safety: none.
class sample_converter {
 public:
  virtual ~sample_converter() = default;
  // What is complete so far; the filter may hold the last few milliseconds back.
  [[nodiscard]] virtual std::vector<std::int16_t> convert(std::span<const std::int16_t> samples) = 0;
};
using sample_converter_factory = std::function<std::unique_ptr<sample_converter>(int from_hz, int to_hz)>;

// Texts that prompt_template names, by id or, for one version of it, ID@VERSION; {{name}} in them is replaced by the
// variable of that name.
using prompt_library = std::map<std::string, std::string>;

struct session_options {
  protocol::session_id id;
  protocol::dialect dialect = protocol::dialect::openai;
  protocol::session_settings settings;
  session_limits limits;
  model_capabilities capabilities;
  speech_detector_factory make_detector;         // may be empty: then turn detection never fires
  noise_reducer_factory make_reducer;            // may be empty: then input stays as it came
  sample_converter_factory make_converter{};     // duplex; may be empty: then other rates than 16 kHz are refused
  std::optional<protocol::attachment> resume{};  // duplex: of the first socket, for session.created
  duration disconnect_grace = std::chrono::seconds{30};  // duplex: how long a detached session waits
  duration reaper_period = std::chrono::seconds{5};  // ... and how much later than due that, and the lease, may be seen
  std::shared_ptr<const prompt_library> prompts{};   // may be null: none
  std::chrono::milliseconds pace_ahead{400};         // 0 = audio is released at once
  std::chrono::milliseconds input_stall{3000};       // speaking and no audio for so long: the turn ends (C16)
  std::optional<duration> max_duration;              // from start(); empty = no limit
  std::int64_t started_unix_s = 0;                   // wall clock at start(), for expires_at
  bool fail_response_on_overflow = false;            // else the session closes
  std::uint64_t id_seed = 0;                         // random: ids must not repeat between sessions
};

// Events that the delivery buffer refused: of a response, or of none.
struct output_overflow {
  std::optional<protocol::response_id> response{};
  // The response ended by itself in the same batch; its response.done was held back.
  std::optional<protocol::response_done> ending{};
};

class session {
 public:
  explicit session(session_options options);
  ~session();
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;

  void start(time_point now, actions& out);  // emits session.created
  void on(const protocol::command& command, time_point now, actions& out);
  // A message that could not be decoded.
  void on(protocol::wire_error error, time_point now, actions& out);
  void on(model_output output, time_point now, actions& out);
  // The writer sequenced an event for the wire.
  void on(const receipt& sent, time_point now);
  // The client learns of it in any case: the response ends failed, and by the policy the session goes with it.
  void on_overflow(const output_overflow& what, time_point now, actions& out);
  // The deadline passed.
  void wake(time_point now, actions& out);
  // duplex: the socket was lost. What the model does goes on; after the grace time the session ends.
  void detach(time_point now);
  // duplex: another socket is there. False when the session has ended or its grace was over: then it ends now.
  [[nodiscard]] bool attach(time_point now, actions& out);
  // The server is going: nothing new is begun; closes (close_session shutdown) once idle.
  void drain(time_point now, actions& out);
  // The host ends the session: open responses are ended, their model work is cancelled.
  void close(close_reason reason, time_point now, actions& out);

  // When wake() is next due; empty = nothing waits for the time.
  [[nodiscard]] std::optional<time_point> deadline() const;
  [[nodiscard]] bool closed() const;
  // What session.created and session.resumed show.
  [[nodiscard]] protocol::session_view view() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace parley::runtime
