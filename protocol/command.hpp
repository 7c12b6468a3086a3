// What a client asks for: one typed command per client event. Made by decode.hpp, consumed by runtime's session.
#pragma once

#include "protocol/item.hpp"
#include "protocol/session_settings.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parley::protocol {

struct session_update {
  session_patch patch;
};

// What a client of the duplex dialect wants done with speech over a running answer.
enum class overlap_wish : std::uint8_t { none, barge_in, listen, drop };

// What an append of the duplex dialect may say beside its audio.
struct append_details {
  bool has_audio = true;                     // else it carries frames alone
  std::optional<audio_encoding> encoding{};  // absent: the session's
  std::optional<int> rate_hz{};              // absent: the session's, 8000 for G.711
  std::optional<std::int64_t> audio_start_ms{}, audio_end_ms{};
  std::optional<bool> is_speech{};  // the client's word: is_speech, speech or vad.is_speech
  std::optional<double> speech_probability{};
  std::vector<std::string> video_frames{};  // base64 of JPEG or PNG, at most two
  std::string transcript{};                 // a hint
  overlap_wish overlap = overlap_wish::none;
  bool force_listen = false, force_barge_in = false;
  friend bool operator==(const append_details&, const append_details&) = default;
};

// The base64 text is a view into the frame (or the decoder's scratch): valid until the next decode or frame.
struct input_audio_append {
  std::string_view audio_base64;
  std::shared_ptr<const append_details> details{};  // null: nothing but audio
};
struct input_audio_commit {
  // duplex
  std::optional<bool> create_response{};  // input.commit: true unless the client says otherwise
  std::optional<bool> is_speech{};
  bool final = true;
};
struct input_audio_clear {};

struct item_create {
  item new_item;                                  // an empty id: the server chooses
  std::optional<std::string> previous_item_id{};  // absent = at the end, "root" = at the head, else after that item
};
struct item_retrieve {
  item_id id;
};
struct item_delete {
  item_id id;
};
struct item_truncate {
  item_id id;
  int content_index = 0;
  std::int64_t audio_end_ms = 0;
};

// Overrides for one response; what is absent comes from the session.
struct response_options {
  std::optional<std::string> instructions{}, voice{};
  std::optional<output_modality> modality{};
  std::optional<audio_format> output_format{};
  std::optional<std::vector<tool>> tools{};
  std::optional<tool_choice> choice{};
  nullable<int> max_output_tokens{};
  std::optional<double> temperature{};
  std::optional<raw_json> metadata{};
  nullable<std::string> reasoning_effort{};
  std::optional<bool> parallel_tool_calls{};
  nullable<prompt_template> prompt{};
  bool out_of_band = false;  // conversation: "none"
  // The prompt instead of the conversation. An item whose type is a reference holds only its id (see input_item).
  struct input_item {
    bool reference = false;
    item value{};
  };
  std::optional<std::vector<input_item>> input{};
};
struct response_create {
  response_options options;
};
struct response_cancel {
  std::optional<response_id> id{};
};

// An extension in the openai dialect: how much of a response the listener has heard.
struct playback_ack {
  std::optional<response_id> response{};
  std::optional<item_id> item{};
  std::int64_t played_ms = 0;
  bool truncate = false;
  std::optional<std::int64_t> committed_ms{};  // duplex; absent: played_ms
};

// ---- duplex only ------------------------------------------------------------------------------------------------
struct input_cancel {};
struct barge_in {};
struct output_audio_clear {
  std::optional<response_id> response{};
};
struct input_text_append {
  std::string text;
};
struct turn_signal {  // barge_in and input.cancel as events of it are decoded as those commands
  std::string event;
};
struct session_heartbeat {};
struct session_close {
  std::string reason = "client_close";
};
// The next two are the transport's: they never reach a session.
struct event_ack {
  std::uint64_t sequence = 0;
};
struct session_resume {
  session_id session;
  std::string token;
  std::uint64_t last_received = 0;
};

struct command {
  std::optional<std::string> client_event_id{};
  std::variant<session_update, input_audio_append, input_audio_commit, input_audio_clear, item_create, item_retrieve,
               item_delete, item_truncate, response_create, response_cancel, playback_ack, input_cancel, barge_in,
               output_audio_clear, input_text_append, turn_signal, session_heartbeat, session_close, event_ack,
               session_resume>
      body;
};

}  // namespace parley::protocol
