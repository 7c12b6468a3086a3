// What a client asks for: one typed command per client event. Made by decode.hpp, consumed by runtime's session.
#pragma once

#include "protocol/item.hpp"
#include "protocol/session_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parley::protocol {

struct session_update {
  session_patch patch;
};

// The base64 text is a view into the frame (or the decoder's scratch): valid until the next decode or frame.
struct input_audio_append {
  std::string_view audio_base64;
};
struct input_audio_commit {};
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
};

struct command {
  std::optional<std::string> client_event_id{};
  std::variant<session_update, input_audio_append, input_audio_commit, input_audio_clear, item_create, item_retrieve,
               item_delete, item_truncate, response_create, response_cancel, playback_ack>
      body;
};

}  // namespace parley::protocol
