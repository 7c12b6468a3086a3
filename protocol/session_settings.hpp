// The effective configuration of a session, a change to it (session.update), and how the two merge.
// Absent = unchanged, null = switched off; a patch is applied whole or not at all.
#pragma once

#include "protocol/audio_format.hpp"
#include "protocol/ids.hpp"
#include "protocol/wire_error.hpp"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parley::protocol {

template <class T>
using result = boost::system::result<T, wire_error>;

// Absent (outer empty), null (inner empty) or a value.
template <class T>
using nullable = std::optional<std::optional<T>>;

enum class output_modality : std::uint8_t { text, audio };  // audio comes with its transcript
enum class turn_detection_type : std::uint8_t { server_vad, semantic_vad };
enum class eagerness : std::uint8_t { automatic, low, medium, high };
enum class microphone : std::uint8_t { near_field, far_field };
// A transcription session hears and never speaks; what kind a session is, is settled when it is opened.
enum class session_kind : std::uint8_t { realtime, transcription };
// How much of an answer history keeps.
enum class playback_policy : std::uint8_t { ack_only, commit_all_on_done, estimate };

struct turn_detection {
  turn_detection_type type = turn_detection_type::server_vad;
  double threshold = 0.5;                           // 0..1, speech probability
  std::chrono::milliseconds prefix_padding{300};    // audio kept before the detected start
  std::chrono::milliseconds silence_duration{500};  // silence that ends a turn (server_vad)
  eagerness eager = eagerness::automatic;           // semantic_vad
  std::optional<std::chrono::milliseconds> idle_timeout{};
  std::chrono::milliseconds minimum_speech{96};  // duplex: what is shorter is no utterance
  bool create_response = true;
  bool interrupt_response = true;
  friend bool operator==(const turn_detection&, const turn_detection&) = default;
};

struct noise_reduction {
  microphone type = microphone::near_field;
  double strength = 1.0;  // 0..1
  friend bool operator==(const noise_reduction&, const noise_reduction&) = default;
};

// All but the model's name are hints to the recogniser.
struct transcription {
  std::string model;
  std::string language{};  // ISO 639-1
  std::string prompt{};
  std::vector<std::string> keywords{}, languages{};
  std::string delay{};  // minimal, low, medium, high, xhigh
  friend bool operator==(const transcription&, const transcription&) = default;
};

struct tool {
  std::string name;
  raw_json definition;  // the whole tool object as the client sent it
  friend bool operator==(const tool&, const tool&) = default;
};

enum class tool_choice_mode : std::uint8_t { automatic, none, required, function };
struct tool_choice {
  tool_choice_mode mode = tool_choice_mode::automatic;
  std::string function{};  // mode function: its name
  friend bool operator==(const tool_choice&, const tool_choice&) = default;
};

// A text that the operator keeps under a name; the model gets it before the instructions.
struct prompt_template {
  std::string id;
  std::optional<std::string> version{};
  std::vector<std::pair<std::string, std::string>> variables{};
  friend bool operator==(const prompt_template&, const prompt_template&) = default;
};

// What leaves a conversation that is longer than its limit.
enum class truncation_type : std::uint8_t { automatic, disabled, retention_ratio };
struct truncation {
  truncation_type type = truncation_type::automatic;
  double retention_ratio = 1.0;            // of the limit: what is kept when something must go
  std::optional<int> post_instructions{};  // tokens; empty = the server's limit
  friend bool operator==(const truncation&, const truncation&) = default;
};

// What an append over a running answer does (duplex).
enum class overlap_policy : std::uint8_t { listen_only, barge_in_on_speech, by_length };

// What only sessions of the duplex dialect have.
struct duplex_settings {
  overlap_policy overlap = overlap_policy::listen_only;
  int overlap_short_ack_ms = 700;
  int overlap_barge_in_ms = 1200;
  double overlap_silence_rms = 0.003;       // 0..1 of full scale: what is below is silence
  std::optional<int> idle_timeout_s = 300;  // the lease; empty = never expires
  bool auto_response = false;               // extra_body.auto_response: the model answers without a commit
  int force_listen_count = 0;               // extra_body.force_listen_count: so many first units are listened to
  std::optional<raw_json> extra_body{};     // as the client sent it, for the model
  bool has_reference_voice = false;         // ref_audio was given
  friend bool operator==(const duplex_settings&, const duplex_settings&) = default;
};

struct session_settings {
  session_kind kind = session_kind::realtime;
  std::string model{};  // as the client asked for it
  std::string instructions{};
  output_modality modality = output_modality::audio;
  std::optional<int> max_output_tokens{};  // empty = "inf"
  double temperature = 0.8;                // beta only on the wire
  std::vector<tool> tools{};
  protocol::tool_choice choice{};
  audio_format input_format{};
  std::optional<protocol::transcription> transcription{};
  std::optional<protocol::noise_reduction> noise{};
  std::optional<protocol::turn_detection> detection = protocol::turn_detection{};
  audio_format output_format{};
  std::string voice = "default";
  double speed = 1.0;  // 0.25..1.5
  playback_policy playback = playback_policy::estimate;
  std::optional<bool> parallel_tool_calls{};
  std::optional<std::string> reasoning_effort{};  // minimal, low, medium, high, xhigh
  std::optional<prompt_template> prompt{};
  protocol::truncation truncation{};
  bool include_logprobs = false;      // of the transcription
  std::optional<raw_json> tracing{};  // "auto" or {workflow_name, group_id, metadata}: the server logs every turn
  duplex_settings duplex{};
  friend bool operator==(const session_settings&, const session_settings&) = default;
};

struct turn_detection_patch {
  std::optional<turn_detection_type> type{};
  std::optional<double> threshold{};
  std::optional<std::chrono::milliseconds> prefix_padding{}, silence_duration{};
  nullable<std::chrono::milliseconds> idle_timeout{};
  std::optional<eagerness> eager{};
  std::optional<std::chrono::milliseconds> minimum_speech{};
  std::optional<bool> create_response{}, interrupt_response{};
  std::string path{"session.audio.input.turn_detection"};  // where the client wrote it: errors name it so
};

struct transcription_patch {
  std::optional<std::string> model{}, language{}, prompt{}, delay{};
  std::optional<std::vector<std::string>> keywords{}, languages{};
};

struct noise_reduction_patch {
  std::optional<microphone> type{};
  std::optional<double> strength{};
  std::string path{"session.audio.input.noise_reduction"};  // as above
};

struct duplex_patch {
  bool spoken = false;  // the patch came in this dialect: its rules hold where it is merged
  // Encoding and rate are changed apart; input_format and output_format stay empty.
  std::optional<audio_encoding> input_encoding{}, output_encoding{};
  std::optional<int> input_rate_hz{}, output_rate_hz{};
  std::optional<overlap_policy> overlap{};
  std::optional<int> overlap_short_ack_ms{}, overlap_barge_in_ms{};
  std::optional<double> overlap_silence_rms{};
  nullable<int> idle_timeout_s{};
  std::optional<bool> auto_response{};
  std::optional<int> force_listen_count{};
  std::optional<raw_json> extra_body{};
  // The first key of extra_body that is none of a client's business: it starts with `_`, `runtime_` or `duplex_`, or is
  // session_id, request_id or epoch.
  std::optional<std::string> private_key{};
  bool ref_audio = false;        // a string was given
  bool detection_named = false;  // turn_detection is in the patch, null or not: it decides on the overlap policy
};

struct session_patch {
  std::optional<session_kind> kind{};
  std::optional<std::string> model{}, instructions{}, voice{};
  std::optional<output_modality> modality{};
  nullable<int> max_output_tokens{};  // inner empty = "inf"
  std::optional<double> temperature{}, speed{};
  std::optional<std::vector<tool>> tools{};
  std::optional<tool_choice> choice{};
  std::optional<audio_format> input_format{}, output_format{};
  nullable<transcription_patch> transcription{};
  nullable<noise_reduction_patch> noise{};
  nullable<turn_detection_patch> detection{};
  std::optional<playback_policy> playback{};
  nullable<bool> parallel_tool_calls{};
  nullable<std::string> reasoning_effort{};
  nullable<prompt_template> prompt{};
  nullable<protocol::truncation> truncation{};
  std::optional<bool> include_logprobs{};
  nullable<raw_json> tracing{};
  duplex_patch duplex{};
};

// The settings after the patch, or what is wrong with it as a whole (a turn_detection without a type where none was
// on, a tool_choice that names a missing function). Rules that depend on the session's life (voice after the first
// audio, another model) are the session's.
[[nodiscard]] result<session_settings> merged(session_settings base, const session_patch& patch);

}  // namespace parley::protocol
