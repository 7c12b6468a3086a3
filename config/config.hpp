// The whole configuration as plain structs: the defaults are the members' initial values. Read-only after load().
// config/default.yaml documents every key; a key that is not here does not exist.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parley::config {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class default_dialect : std::uint8_t { openai, duplex };
enum class overflow_policy : std::uint8_t { close_session, fail_response };
enum class log_level : std::uint8_t { trace, debug, info, warn, error, off };
enum class adapter_kind : std::uint8_t { local, scripted };

struct server_config {
  std::string listen = "127.0.0.1:8080";                              // HOST:PORT, port 0 = any free one
  int threads = 0;                                                    // 0 = one per core
  config::default_dialect dialect = config::default_dialect::openai;  // server.default_dialect
  std::vector<std::string>
      origins;  // whose pages may connect, `*` = all; empty: the server's own, on loopback local ones
  std::vector<std::string> hosts;  // names in Host, `*` = all; empty: loopback ones on loopback, else all
  seconds handshake_timeout{10};   // server.handshake_timeout_s
  seconds ping_interval{20};       // server.ping_interval_s: below 30 so that middle boxes keep the link
  seconds ping_timeout{20};        // server.ping_timeout_s: no pong for so long after a ping: the peer is lost
  seconds message_timeout{20};     // server.message_timeout_s: of each 256 KiB of a message that is not complete yet
  seconds drain_timeout{10};       // server.drain_timeout_s
};

struct auth_config {
  std::optional<std::string> keys_file;  // one key a line; `#` comments
  std::vector<std::string> env_keys;     // from PARLEY_API_KEYS, comma separated; never from the file
  std::optional<bool> allow_anonymous;   // absent: true on loopback, else the start fails without keys
  // 32 bytes that sign client secrets; servers with the same file take each other's. Absent: random at every start.
  std::optional<std::string> secret_key_file;
};

struct limits_config {
  int max_sessions = 1000;
  int max_connections = 4000;  // sockets, also those that are no sessions
  std::size_t frame_bytes = 21 * 1024 * 1024;
  std::size_t append_bytes = 15 * 1024 * 1024;
  std::size_t input_buffer_bytes = 32 * 1024 * 1024;
  std::size_t history_audio_bytes = 16 * 1024 * 1024;
  int history_items = 4096;
  int bad_messages_per_minute = 100;
  int out_of_band_responses = 4;
  seconds response_max_audio{3600};  // limits.response_max_audio_s
  std::size_t response_max_text_bytes = 1024 * 1024;
  std::optional<seconds> max_session;                  // limits.max_session_s; null = no limit
  std::size_t prompt_tokens = 28'000;                  // of the conversation in a prompt, estimated
  std::size_t pending_input_bytes = 16 * 1024 * 1024;  // duplex: decoded input that waits for the model
  int pending_commits = 4;                             // duplex: commits that wait for it
  std::optional<int> responses_per_minute;             // of one session; null = no limit
  std::optional<int> tokens_per_minute;                // likewise
};

struct session_config {  // defaults of a session that the client does not set
  std::string instructions;
  std::string voice = "default";
  double vad_threshold = 0.5;
  milliseconds vad_prefix_padding{300};             // session.vad_prefix_padding_ms
  milliseconds vad_silence{500};                    // session.vad_silence_ms
  milliseconds input_stall{3000};                   // session.input_stall_ms
  std::string playback_commit_policy = "estimate";  // ack_only | commit_all_on_done | estimate
  std::optional<seconds> idle_timeout{300};         // session.idle_timeout_s (duplex)
  seconds config_timeout{10};                       // session.config_timeout_s (duplex)
};

struct delivery_config {
  milliseconds pace_ahead{400};  // delivery.pace_ahead_ms
  std::size_t max_bytes = 2 * 1024 * 1024;
  std::size_t max_events = 512;
  std::size_t reserve_bytes = 64 * 1024;
  std::size_t reserve_events = 8;
  overflow_policy on_overflow = overflow_policy::close_session;
  seconds write_timeout{10};             // delivery.write_timeout_s
  milliseconds outbox_high_audio{5000};  // delivery.outbox_high_audio_ms
  std::size_t outbox_high_bytes = 1024 * 1024;
  seconds outbox_max_audio{300};  // delivery.outbox_max_audio_s
};

struct resume_config {  // duplex sessions
  std::size_t journal_bytes = 8 * 1024 * 1024;
  seconds journal_age{60};
  seconds disconnect_grace{30};  // resume.disconnect_grace_s
  seconds reaper{5};
};

struct llm_config {
  std::optional<std::string> url;  // .../v1/chat/completions of an OpenAI-compatible server; http:// only
  std::string model = "default";
  std::optional<std::string> key_env;  // environment variable that holds the bearer key
  milliseconds connect_timeout{5000};
  milliseconds first_byte_timeout{20000};
  milliseconds between_bytes_timeout{10000};
  std::size_t max_prompt_items = 64;  // oldest leave first
};

struct local_config {
  llm_config llm;
  std::string acoustic_model = "/usr/share/pocketsphinx/model/en-us/en-us";
  std::string language_model = "/usr/share/pocketsphinx/model/en-us/en-us.lm.bin";
  std::string dictionary = "/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict";
  int decoders = 2;                     // pocketsphinx decoders (92 MB each) = turns recognised at once
  milliseconds decoder_wait{10000};     // a turn that gets no decoder for so long fails
  seconds max_turn_audio{60};           // a turn's audio beyond this is not recognised
  int voices = 2;                       // flite threads = answers spoken at once
  std::string voice = "slt";            // slt, rms, awb, kal16
  bool drop_marker_transcripts = true;  // [NOISE] and the like count as blank (C17)
};

struct scripted_reply {
  std::string text;
  std::optional<std::string> when;  // said when the user's text contains this (no case); absent: in turn
};

enum class scripted_mode : std::uint8_t { reply, echo };
enum class video_use : std::uint8_t { none, optional, required };
// What a model-native scripted talker decides, by the number of the unit in the session, from 1. With none of these it
// speaks when a unit ends a turn, or is quiet after one that was not.
struct scripted_decisions {
  milliseconds chunk_period{1000};   // scripted.chunk_period_ms: length of a unit
  std::vector<int> speak_on_units;   // speaks on these and listens to all others
  bool keep_listening = false;       // never speaks
  std::optional<int> fail_on_unit;   // does not take it (model_unit_failed)
  std::optional<int> stall_on_unit;  // decides nothing on it and what follows
  std::optional<int> lose_on_unit;   // the model session is lost
};
// scripted.capabilities: what it says it can, to see what sessions refuse.
struct scripted_capabilities {
  bool barge_in = true;
  bool resume = true;
  bool text = true;
  bool text_appends = false;
  bool images = true;
  video_use video = video_use::optional;
  bool audio_truncate = true;
  bool instructions_update = true;
  bool response_options = true;
  bool reference_voice = false;  // needs one to speak
};
struct scripted_config {
  bool native = false;           // model-native instead of turn-based
  scripted_decisions decisions;  // keys beside the others, e.g. scripted.keep_listening
  scripted_capabilities capabilities;
  scripted_mode mode = scripted_mode::reply;
  double rate = 1.0;              // audio made per second of playing time; 0 = at once
  milliseconds delta{200};        // length of one piece of speech
  milliseconds think{0};          // before the first piece
  milliseconds ms_per_word{300};  // playing time of a word
  bool ignore_flow_control = false;
  std::string transcript = "hello";  // what every turn is heard as; "" = blank
  std::vector<scripted_reply> replies;
};

struct model_config {
  adapter_kind adapter = adapter_kind::scripted;
  std::vector<std::string> aliases;  // a trailing * matches any rest
  local_config local;
  scripted_config scripted;
};

struct metrics_config {
  bool enabled = true;
};
struct log_config {
  log_level level = log_level::info;
};

struct config {
  server_config server;
  auth_config auth;
  limits_config limits;
  session_config session;
  delivery_config delivery;
  resume_config resume;
  std::map<std::string, std::string> prompts;  // id -> text with {{name}} for what the client fills in
  std::map<std::string, model_config> models;
  std::string default_model = "local";  // --model NAME, or the top-level key default_model
  metrics_config metrics;
  log_config log;
};

}  // namespace parley::config
