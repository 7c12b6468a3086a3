// What the server tells a client: one typed event per server event of the dialogue. Names are those of the GA
// Realtime API; encode.hpp turns an event into the bytes of a dialect. Events are values: no pointers into a session.
#pragma once

#include "protocol/ids.hpp"
#include "protocol/item.hpp"
#include "protocol/session_settings.hpp"
#include "protocol/wire_error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parley::protocol {

// ---- session ----------------------------------------------------------------------------------------------------
struct session_view {
  session_id id;
  std::shared_ptr<const session_settings> settings;
  std::optional<std::int64_t> expires_at{};  // unix seconds; absent = no limit
};
struct session_created {
  session_view session;
};
struct session_updated {
  session_view session;
};
struct error_event {
  wire_error error;
};

// ---- input audio buffer -----------------------------------------------------------------------------------------
struct speech_started {
  item_id item;
  std::int64_t audio_start_ms = 0;
};
struct speech_stopped {
  item_id item;
  std::int64_t audio_end_ms = 0;
};
struct input_committed {
  item_id item;
  std::optional<item_id> previous{};  // empty = first of the conversation: wire null
};
struct input_cleared {};
// Nobody spoke for turn_detection.idle_timeout_ms: the silent audio becomes an item and is answered.
struct timeout_triggered {
  item_id item;
  std::int64_t audio_start_ms = 0;
  std::int64_t audio_end_ms = 0;
};

// ---- conversation items -----------------------------------------------------------------------------------------
struct item_added {
  item value;
  std::optional<item_id> previous{};
};
struct item_done {
  item value;
  std::optional<item_id> previous{};
};
struct item_retrieved {
  item value;  // with audio, in the format of its clip
};
struct item_deleted {
  item_id id;
};
struct item_truncated {
  item_id id;
  int content_index = 0;
  std::int64_t audio_end_ms = 0;
};
struct transcription_delta {
  item_id item;
  int content_index = 0;
  std::string delta;
};
// How sure the recogniser is of one piece of its transcript.
struct token_logprob {
  std::string token;
  double logprob = 0;  // natural
  friend bool operator==(const token_logprob&, const token_logprob&) = default;
};
struct transcription_completed {
  item_id item;
  int content_index = 0;
  std::string transcript;
  double audio_seconds = 0;                              // usage {type: duration, seconds}
  std::optional<std::vector<token_logprob>> logprobs{};  // only when the client asked for them
};
struct transcription_failed {
  item_id item;
  int content_index = 0;
  wire_error error;
};

// ---- responses --------------------------------------------------------------------------------------------------
enum class response_status : std::uint8_t { in_progress, completed, cancelled, incomplete, failed };
enum class status_reason : std::uint8_t {
  none,
  turn_detected,      // cancelled
  client_cancelled,   // cancelled
  session_closed,     // cancelled
  max_output_tokens,  // incomplete
  content_filter,     // incomplete
};

struct token_usage {
  int input_text_tokens = 0;
  int input_audio_tokens = 0;
  int output_text_tokens = 0;
  int output_audio_tokens = 0;
  friend bool operator==(const token_usage&, const token_usage&) = default;
};

struct response_view {
  response_id id;
  std::optional<conversation_id> conversation{};  // empty out of band: wire null
  response_status status = response_status::in_progress;
  status_reason reason = status_reason::none;
  std::optional<wire_error> failure{};  // status failed
  output_modality modality = output_modality::audio;
  audio_format output_format{};
  std::string voice{};
  std::optional<int> max_output_tokens{};
  double temperature = 0.8;  // beta only
  std::optional<raw_json> metadata{};
  std::vector<item> output{};  // final items, without audio data
  std::optional<token_usage> usage{};
};

struct response_created {
  response_view response;
};
struct response_done {
  response_view response;
};

// Where inside a response an event belongs.
struct part_ref {
  response_id response;
  item_id item;
  int output_index = 0;
  int content_index = 0;
};

struct output_item_added {
  response_id response;
  int output_index = 0;
  item value;
};
struct output_item_done {
  response_id response;
  int output_index = 0;
  item value;
};
struct content_part_added {
  part_ref at;
  content_part part;
};
struct content_part_done {
  part_ref at;
  content_part part;
};
struct text_delta {
  part_ref at;
  std::string delta;
};
struct text_done {
  part_ref at;
  std::string text;
};
struct transcript_delta {
  part_ref at;
  std::string delta;
};
struct transcript_done {
  part_ref at;
  std::string transcript;
};
struct audio_delta {
  part_ref at;
  protocol::epoch epoch;
  audio_format format;
  std::vector<std::int16_t> samples;  // never empty; at format.rate_hz
  std::int64_t first_sample = 0;      // position of samples[0] in the item's audio
};
struct audio_done {
  part_ref at;
};
struct arguments_delta {
  part_ref at;
  protocol::call_id call;
  std::string delta;
};
struct arguments_done {
  part_ref at;
  protocol::call_id call;
  std::string name;
  std::string arguments;
};
struct playback_acknowledged {
  response_id response;
  item_id item;
  std::int64_t played_ms = 0;
  bool history_committed = false;
};
enum class rate_limit_name : std::uint8_t { requests, tokens };
struct rate_limit {
  rate_limit_name name = rate_limit_name::requests;
  std::int64_t limit = 0;
  std::int64_t remaining = 0;
  double reset_seconds = 0;
};
struct rate_limits_updated {
  std::vector<rate_limit> limits;
};

using event_body =
    std::variant<session_created, session_updated, error_event, speech_started, speech_stopped, input_committed,
                 input_cleared, timeout_triggered, item_added, item_done, item_retrieved, item_deleted, item_truncated,
                 transcription_delta, transcription_completed, transcription_failed, response_created, response_done,
                 output_item_added, output_item_done, content_part_added, content_part_done, text_delta, text_done,
                 transcript_delta, transcript_done, audio_delta, audio_done, arguments_delta, arguments_done,
                 playback_acknowledged, rate_limits_updated>;

// The last event of a session that has one (duplex: session.closed, session.expired). The openai dialect has none.
struct terminal_event {
  std::string type;  // session.closed or session.expired
  session_id session;
  std::string reason;
  raw_json details{"{}"};  // wire member `event`
};

struct server_event {
  event_id id;
  event_body body;
};

// The response an event belongs to; null for events of none.
[[nodiscard]] const response_id* response_of(const event_body& body) noexcept;
// The wire type in GA names, e.g. "response.output_audio.delta".
[[nodiscard]] std::string_view type_name(const event_body& body) noexcept;

}  // namespace parley::protocol
