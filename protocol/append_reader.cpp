#include "protocol/append_reader.hpp"

#include <simdjson.h>

#include <utility>

namespace parley::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

// Frames above this size are rare; the parser that read one (about 6 bytes for each of its own) is given back.
constexpr std::size_t kept_capacity_bytes = 1024 * 1024;

// The members as they stand in the frame, between their quotes.
struct members {
  std::optional<std::string_view> type, event_id, audio;
};

// The text of a string token without its quotes, if it is one without escapes. `token` may end in white space.
std::optional<std::string_view> plain_text(std::string_view token) {
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || last == 0 || token.front() != '"' || token[last] != '"') return std::nullopt;
  const std::string_view text = token.substr(1, last - 1);
  if (text.find('\\') != std::string_view::npos) return std::nullopt;
  return text;
}

std::optional<std::string_view> text_of(ondemand::value& value) {
  if (const auto plain = plain_text(value.raw_json_token())) return plain;
  std::string_view unescaped;
  if (value.get_string().get(unescaped) != simdjson::SUCCESS) return std::nullopt;
  return unescaped;
}

// False when the member is unknown, repeated, or no string.
bool read_member(ondemand::field& member, members& found) {
  const ondemand::raw_json_string key = member.key();
  std::optional<std::string_view>* slot = key == "audio"      ? &found.audio
                                          : key == "type"     ? &found.type
                                          : key == "event_id" ? &found.event_id
                                                              : nullptr;
  if (slot == nullptr || slot->has_value()) return false;
  *slot = text_of(member.value());
  return slot->has_value();
}

bool read_members(ondemand::document& document, members& found) {
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto next : object) {
    ondemand::field member;
    if (std::move(next).get(member) != simdjson::SUCCESS || !read_member(member, found)) return false;
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind the object
}

}  // namespace

struct append_reader::impl {
  ondemand::parser parser;
};

append_reader::append_reader() : impl_(std::make_unique<impl>()) {}
append_reader::~append_reader() = default;
append_reader::append_reader(append_reader&&) noexcept = default;
append_reader& append_reader::operator=(append_reader&&) noexcept = default;

std::optional<append_reader::append> append_reader::read(frame_view frame) {
  ondemand::document document;
  const simdjson::padded_string_view text{frame.data, frame.size, frame.size + frame_padding_bytes};
  if (impl_->parser.iterate(text).get(document) != simdjson::SUCCESS) return std::nullopt;
  members found;
  if (!read_members(document, found)) return std::nullopt;
  if (!found.audio || found.type != "input_audio_buffer.append") return std::nullopt;
  if (found.event_id && found.event_id->size() > max_event_id_bytes) return std::nullopt;
  return append{*found.audio, found.event_id ? std::optional<std::string>{*found.event_id} : std::nullopt};
}

std::optional<std::string> append_reader::find_event_id(frame_view frame) {
  ondemand::document document;
  ondemand::object object;
  const simdjson::padded_string_view text{frame.data, frame.size, frame.size + frame_padding_bytes};
  if (impl_->parser.iterate(text).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
  for (auto next : object) {
    ondemand::field member;
    if (std::move(next).get(member) != simdjson::SUCCESS) return std::nullopt;
    if (!(member.key() == "event_id")) continue;
    const auto id = text_of(member.value());
    if (!id || id->size() > max_event_id_bytes) return std::nullopt;
    return std::string{*id};
  }
  return std::nullopt;
}

void append_reader::release() {
  if (impl_->parser.capacity() > kept_capacity_bytes) impl_ = std::make_unique<impl>();
}

}  // namespace parley::protocol
