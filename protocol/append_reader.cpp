#include "protocol/append_reader.hpp"

#include "protocol/decode_duplex.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parley::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

// Frames above this size are rare; the parser that read one (about 6 bytes for each of its own) is given back.
constexpr std::size_t kept_capacity_bytes = 1024 * 1024;

// The members as they stand in the frame, between their quotes.
struct members {
  std::optional<std::string_view> type, event_id, audio;
  // duplex
  std::optional<std::string_view> format, input_format;
  std::optional<double> rate_hz, start_ms, end_ms, duration_ms;
  std::optional<bool> is_speech;
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

// Each is null for a key that is none of its kind.
std::optional<std::string_view>* text_slot(ondemand::raw_json_string key, dialect spoken, members& found) {
  if (key == "audio") return &found.audio;
  if (key == "type") return &found.type;
  if (key == "event_id") return &found.event_id;
  if (spoken != dialect::duplex) return nullptr;
  if (key == "format") return &found.format;
  if (key == "input_audio_format") return &found.input_format;
  return key == "delta" ? &found.audio : nullptr;
}

std::optional<double>* number_slot(ondemand::raw_json_string key, members& found) {
  if (key == "sample_rate_hz") return &found.rate_hz;
  if (key == "audio_end_ms") return &found.end_ms;
  if (key == "audio_start_ms") return &found.start_ms;
  return key == "duration_ms" ? &found.duration_ms : nullptr;
}

// False when there is no such slot, it is taken, or the value is of another type.
template <class T, class Read>
bool fill(std::optional<T>* slot, Read read) {
  if (slot == nullptr || slot->has_value()) return false;
  *slot = read();
  return slot->has_value();
}

template <class T>
std::optional<T> plain(simdjson::simdjson_result<T> read) {
  T value{};
  if (std::move(read).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

// False when the member is unknown, repeated, or of another type than usual.
bool read_member(ondemand::field& member, dialect spoken, members& found) {
  const ondemand::raw_json_string key = member.key();
  ondemand::value& value = member.value();
  if (auto* text = text_slot(key, spoken, found)) return fill(text, [&] { return text_of(value); });
  if (spoken != dialect::duplex) return false;
  if (key == "is_speech") return fill(&found.is_speech, [&] { return plain(value.get_bool()); });
  return fill(number_slot(key, found), [&] { return plain(value.get_double()); });
}

// Into what a session reads. False: a value is not what it should be, and the whole parse says how.
bool read_encoding(std::optional<std::string_view> name, append_details& read) {
  if (!name) return true;
  read.encoding = duplex_encoding(*name, audio_direction::input);
  return read.encoding.has_value();
}

bool read_position(std::optional<double> found, std::optional<std::int64_t>& ms) {
  constexpr double highest = 1e15;
  if (!found) return true;
  ms = static_cast<std::int64_t>(std::floor(std::clamp(*found, 0.0, highest)));
  return *found >= 0 && *found <= highest;
}

bool read_details(const members& found, append_details& read) {
  read.is_speech = found.is_speech;
  if (found.rate_hz) {
    const double hz = *found.rate_hz;
    if (!(hz >= lowest_input_hz && hz <= highest_input_hz) || std::floor(hz) != hz) return false;
    read.rate_hz = static_cast<int>(hz);
  }
  return read_encoding(found.format ? found.format : found.input_format, read) &&
         read_position(found.start_ms, read.audio_start_ms) && read_position(found.end_ms, read.audio_end_ms);
}

bool read_members(ondemand::document& document, dialect spoken, members& found) {
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto next : object) {
    ondemand::field member;
    if (std::move(next).get(member) != simdjson::SUCCESS || !read_member(member, spoken, found)) return false;
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

std::optional<append_reader::append> append_reader::read(frame_view frame, dialect spoken) {
  ondemand::document document;
  const simdjson::padded_string_view text{frame.data, frame.size, frame.size + frame_padding_bytes};
  if (impl_->parser.iterate(text).get(document) != simdjson::SUCCESS) return std::nullopt;
  members found;
  if (!read_members(document, spoken, found)) return std::nullopt;
  if (!found.audio || found.type != "input_audio_buffer.append") return std::nullopt;
  if (found.event_id && found.event_id->size() > max_event_id_bytes) return std::nullopt;
  append read{*found.audio, {}, {}};
  if (!read_details(found, read.details)) return std::nullopt;
  if (found.event_id) read.event_id.emplace(*found.event_id);
  return read;
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
