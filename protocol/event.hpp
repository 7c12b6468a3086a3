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

// ---- what events of the duplex dialect tell of the session -------------------------------------------------------
// Of one response, or of the one that plays. generated >= sent >= played >= committed.
struct playback_counters {
  std::int64_t generated_ms = 0, sent_ms = 0, played_ms = 0, committed_ms = 0;
  friend bool operator==(const playback_counters&, const playback_counters&) = default;
};
enum class turn_state : std::uint8_t {
  idle,
  user_speaking,
  user_committed,
  assistant_generating,
  assistant_playing,
  barge_in,
};
// `capabilities` of the session object: clients branch on them.
struct capability_view {
  std::string implementation_level{};
  bool barge_in = true, resume = true;
  int chunk_period_ms = 1000;
  bool takes_audio = true, takes_video = false, takes_images = false, takes_text = true;
  bool takes_text_appends = false;  // input.text.append
  bool video_required = false;      // frames belong to every unit
  bool truncates_audio = true;
};
struct duplex_view {
  protocol::turn_state turn_state = protocol::turn_state::idle;
  protocol::epoch epoch{};
  std::int64_t turn_id = 0;  // finished turns of the model
  std::optional<response_id> active_response{};
  playback_counters playback{};
  capability_view capabilities{};
};
// How to come back: the generation counts attachments from 1, the token is good for one resume.
struct attachment {
  std::int64_t generation = 1;
  std::string resume_token{};
};

// ---- session ----------------------------------------------------------------------------------------------------
struct session_view {
  session_id id;
  std::shared_ptr<const session_settings> settings;
  std::optional<std::int64_t> expires_at{};  // unix seconds; absent = no limit
  std::optional<duplex_view> duplex{};       // in that dialect
};
struct session_created {
  session_view session;
  std::optional<attachment> resume{};  // duplex, where the model supports it
};
struct session_updated {
  session_view session;
};
struct error_event {
  wire_error error;
  bool of_transport = false;  // duplex: answered by the transport itself, neither numbered nor journaled
};
// Outside the journal, as are session.created and session.replaced: what a resumed or replaced socket is told.
struct session_resumed {
  session_view session;
  attachment resume;
};
struct session_replaced {
  session_id session;
  std::int64_t generation = 1;  // of the socket that is told
};
struct resync_required {
  session_id session;
  std::string_view reason;  // journal_gap, journal_overflow
};
struct heartbeat_ack {
  session_id session;
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
// The internal event that a commit of the duplex dialect carries as `event`.
struct commit_facts {
  session_id session;
  std::int64_t turn_id = 0;
  protocol::epoch epoch{};
  std::size_t history_len = 0;
  std::string message{};
  bool final = true;
  bool empty = false;  // declared silence, or an acknowledgement (`overlap_ack`): no turn
  bool overlap_ack = false;
  bool is_speech = true;
  bool no_response = false;
  bool overlap_deferred = false;  // it waits for the end of the answer it spoke over
  bool response_create_deferred = false;
};
struct input_committed {
  item_id item;                       // duplex: empty where no turn was made of it, so that no item is told either
  std::optional<item_id> previous{};  // empty = first of the conversation: wire null
  std::optional<commit_facts> facts{};
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
// duplex: follows item_added with the same content.
struct item_created {
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
  std::optional<session_id> session{};  // duplex: for its `event`
};
struct item_truncated {
  item_id id;
  int content_index = 0;
  std::int64_t audio_end_ms = 0;
  std::optional<session_id> session{};  // duplex: for its `event`
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
  turn_detected,              // cancelled
  client_cancelled,           // cancelled
  session_closed,             // cancelled
  max_output_tokens,          // incomplete
  content_filter,             // incomplete
  barge_in,                   // cancelled; this and what follows: duplex
  input_cancel,               // cancelled
  output_audio_buffer_clear,  // cancelled
  model_listen,               // completed: a response that was opened and stayed empty
};

struct token_usage {
  int input_text_tokens = 0;
  int input_audio_tokens = 0;
  int output_text_tokens = 0;
  int output_audio_tokens = 0;
  friend bool operator==(const token_usage&, const token_usage&) = default;
};

// `metadata` of a response in the duplex dialect.
struct duplex_response {
  session_id session;
  protocol::epoch epoch{};  // of the session now
  std::int64_t turn_id = 0;
  std::optional<protocol::epoch> cancelled_epoch{};  // that it was cancelled in
  bool committed = false;                            // history holds some of it
  playback_counters playback{};
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
  std::optional<duplex_response> duplex{};
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
struct text_mark {
  std::int64_t text_chars = 0;  // of the transcript so far, code points
  std::int64_t audio_end_ms = 0;
};
// `metadata` of an audio delta in the duplex dialect.
struct delta_facts {
  session_id session;
  bool end_of_turn = false;            // the last of the response
  std::int64_t audio_duration_ms = 0;  // of the response so far
  std::vector<text_mark> marks{};      // the newest; one with the same text_chars replaces the one before
  playback_counters playback{};        // this delta counted as sent
};
struct audio_delta {
  part_ref at;
  protocol::epoch epoch;
  audio_format format;
  std::vector<std::int16_t> samples;  // never empty; at format.rate_hz
  std::int64_t first_sample = 0;      // position of samples[0] in the item's audio
  std::optional<delta_facts> facts{};
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
  // duplex: everything stands under `event`
  session_id session{};
  protocol::epoch epoch{};
  std::int64_t committed_ms = 0;
  bool truncate = false;
  playback_counters playback{};
};

// ---- duplex only ------------------------------------------------------------------------------------------------
struct response_speak {
  part_ref at;
  session_id session;
  protocol::epoch epoch{};
};
struct response_listen {
  session_id session;
  protocol::epoch epoch{};
  std::optional<response_id> listened{};  // only when it ends a response that was opened before the decision
  std::string reason{"model_listen"};
  bool model_listen = true;  // a decision of the model
  bool buffering = false;    // made while a turn is still being given: does not count
};
enum class overlap_action : std::uint8_t { drop, listen, barge_in };
struct overlap_decision {
  session_id session;
  protocol::epoch epoch{};
  overlap_policy policy = overlap_policy::listen_only;
  overlap_action action = overlap_action::listen;
  std::string_view reason;
  std::int64_t duration_ms = 0, overlap_speech_ms = 0;  // of the append; of the overlap so far
  bool buffer_audio = false, defer_runtime_append = false, force_listen = false;
};
struct turn_event {
  session_id session;
  std::string event;
  protocol::turn_state state = protocol::turn_state::idle;
  protocol::epoch epoch{};
};
struct output_cleared {
  std::optional<response_id> cleared{};
};
// A call without a name or an id: it becomes no item and no response.
struct nameless_call_done {
  protocol::call_id call;
  std::string name, arguments;
};

// ---- limits -----------------------------------------------------------------------------------------------------
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
                 playback_acknowledged, rate_limits_updated, session_resumed, session_replaced, resync_required,
                 heartbeat_ack, item_created, response_speak, response_listen, overlap_decision, turn_event,
                 output_cleared, nameless_call_done>;

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
// The wire type in GA names, e.g. "response.output_audio.delta"; of an event that only the duplex dialect has, there.
[[nodiscard]] std::string_view type_name(const event_body& body) noexcept;
// duplex: numbered and journaled, so that a resumed socket gets it again.
[[nodiscard]] bool is_journaled(const event_body& body) noexcept;

}  // namespace parley::protocol
