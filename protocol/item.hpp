// A conversation item: message, function call or its output, as types. Content parts carry text in UTF-8; audio is
// shared and immutable, so that items are cheap to copy into a prompt.
#pragma once

#include "protocol/audio_format.hpp"
#include "protocol/ids.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parley::protocol {

enum class item_type : std::uint8_t { message, function_call, function_call_output };
enum class item_role : std::uint8_t { system, user, assistant };
enum class item_status : std::uint8_t { in_progress, completed, incomplete };
enum class part_type : std::uint8_t { input_text, input_audio, input_image, output_text, output_audio };

struct audio_clip {
  audio_format format;                // the wire format it came in
  std::vector<std::int16_t> samples;  // at format.rate_hz
};

struct content_part {
  part_type type = part_type::input_text;
  std::string text{};                       // input_text, output_text; the data URL of an input_image
  std::optional<std::string> transcript{};  // input_audio: null until recognised; output_audio: what was said
  std::shared_ptr<const audio_clip> audio{};
  std::string detail{};  // of an input_image: auto, low or high; empty = not said
  // input_audio: nobody asked for the transcript. It is the model's alone and no client is shown it.
  bool untold = false;
  friend bool operator==(const content_part&, const content_part&) = default;
};

struct item {
  item_id id{};
  item_type type = item_type::message;
  item_role role = item_role::user;  // of a message
  item_status status = item_status::completed;
  std::vector<content_part> content{};  // of a message
  std::string name{};                   // of a function_call
  protocol::call_id call{};             // of a function_call and its output
  std::string arguments{};              // of a function_call: JSON text
  std::string output{};                 // of a function_call_output
  friend bool operator==(const item&, const item&) = default;
};

}  // namespace parley::protocol
