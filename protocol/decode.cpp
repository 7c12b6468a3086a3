#include "protocol/decode.hpp"

#include "protocol/append_reader.hpp"
#include "protocol/decode_duplex.hpp"
#include "protocol/decode_parts.hpp"
#include "protocol/json_reader.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace parley::protocol {
namespace {

// Positions in audio: a thousand years, and exact in a double.
constexpr std::int64_t highest_ms = 1'000LL * 366 * 24 * 3600 * 1000;
// Bytes of a transcript hint that is kept for the next append, which may say the same.
constexpr std::size_t longest_kept_hint = 1024;

// ---- one reader an event type -----------------------------------------------------------------------------------
// Members that an event does not have are ignored, except in `session` and `response` (decode_parts.hpp).

item_id read_item_id(const json_value& id) { return item_id{std::string{id.text_within(1, longest_id)}}; }

command_body read_session_update(const json_value& event) {
  const auto [session] = event.members({"session"});
  return session_update{read_session(session)};
}

// The beta event for sessions that only hear: it says by its name what they are.
command_body read_transcription_update(const json_value& event) {
  const auto [session] = event.members({"session"});
  session_patch patch = read_session(session);
  patch.kind = session_kind::transcription;
  return session_update{std::move(patch)};
}

command_body read_append(const json_value& event) {
  const auto [audio] = event.members({"audio"});
  return input_audio_append{audio.text()};
}

command_body read_commit(const json_value&) { return input_audio_commit{}; }
command_body read_clear(const json_value&) { return input_audio_clear{}; }

command_body read_item_create(const json_value& event) {
  const auto [item, previous] = event.members({"item", "previous_item_id"});
  return item_create{read_item(item), read_optional_name(previous)};
}

command_body read_item_retrieve(const json_value& event) {
  const auto [id] = event.members({"item_id"});
  return item_retrieve{read_item_id(id)};
}

command_body read_item_delete(const json_value& event) {
  const auto [id] = event.members({"item_id"});
  return item_delete{read_item_id(id)};
}

command_body read_item_truncate(const json_value& event) {
  const auto [id, content_index, audio_end_ms] = event.members({"item_id", "content_index", "audio_end_ms"});
  return item_truncate{read_item_id(id), static_cast<int>(content_index.integer(0, std::numeric_limits<int>::max())),
                       audio_end_ms.floored(0, highest_ms)};
}

command_body read_response_create(const json_value& event) {
  const auto [response] = event.members({"response"});
  return response_create{response.given() ? read_response(response) : response_options{}};
}

template <class Id>
std::optional<Id> read_optional_id(const json_value& id) {
  auto text = read_optional_name(id);
  if (!text) return std::nullopt;
  return Id{*std::move(text)};
}

command_body read_response_cancel(const json_value& event) {
  const auto [id] = event.members({"response_id"});
  return response_cancel{read_optional_id<response_id>(id)};
}

command_body read_playback_ack(const json_value& event) {
  const auto [response, item, played_ms, truncate] = event.members({"response_id", "item_id", "played_ms", "truncate"});
  return playback_ack{read_optional_id<response_id>(response), read_optional_id<item_id>(item),
                      played_ms.floored(0, highest_ms), truncate.present() && truncate.boolean()};
}

enum class spoken_in : std::uint8_t { both, ga, beta };

struct event_type {
  std::string_view name;
  command_body (*read)(const json_value& event);
  spoken_in where = spoken_in::both;
};

constexpr event_type event_types[] = {
    {"input_audio_buffer.append", read_append},
    {"input_audio_buffer.commit", read_commit},
    {"input_audio_buffer.clear", read_clear},
    {"session.update", read_session_update},
    {"conversation.item.create", read_item_create},
    {"conversation.item.retrieve", read_item_retrieve},
    {"conversation.item.delete", read_item_delete},
    {"conversation.item.truncate", read_item_truncate},
    {"response.create", read_response_create},
    {"response.cancel", read_response_cancel},
    {"playback.ack", read_playback_ack, spoken_in::ga},
    {"transcription_session.update", read_transcription_update, spoken_in::beta},
};

// ---- any event --------------------------------------------------------------------------------------------------

const event_type* find_type(const json_value& type, dialect spoken) {
  const std::string_view name = type.text();
  if (type.failed()) return nullptr;
  const auto found = std::find_if(std::begin(event_types), std::end(event_types), [&](const event_type& each) {
    const bool beta = spoken == dialect::openai_beta;
    return each.name == name && each.where != (beta ? spoken_in::ga : spoken_in::beta);
  });
  if (found != std::end(event_types)) return &*found;
  type.refuse("there is no client event '" + shortened(name) + "'.");
  return nullptr;
}

void read_event_id(const json_value& id, command& read) {
  const std::string_view text = id.text();
  if (text.size() > max_event_id_bytes) id.refuse("expected at most 512 bytes.");
  if (!id.failed()) read.client_event_id = text;
}

// Sets the event id first, so that every later error can name it. What it returns: see duplex_code.
errc read_event(const json_value& event, dialect spoken, command& read) {
  const auto [type, id] = event.members({"type", "event_id"});
  if (id.given()) read_event_id(id, read);
  if (spoken == dialect::duplex) {
    duplex_reading here = read_duplex_event(event, type);
    read.body = std::move(here.body);
    return here.malformed;
  }
  if (const event_type* known = find_type(type, spoken)) read.body = known->read(event);
  return errc::invalid_value;
}

}  // namespace

struct decoder::impl {
  explicit impl(dialect spoken_dialect) : spoken(spoken_dialect) {}

  [[nodiscard]] result<command> decode_whole(frame_view frame);
  errc read_document(frame_view frame, command& read, first_error& error);
  [[nodiscard]] input_audio_append shared(append_reader::append& read);

  dialect spoken;
  append_reader appends;
  json_document document;
  std::string kept_audio;  // of an append that was parsed whole: its view must outlive the document
  std::shared_ptr<const append_details> last_details;  // of the appends so far: most say the same as the one before
};

errc decoder::impl::read_document(frame_view frame, command& read, first_error& error) {
  const std::optional<json_value> event = document.parse(frame, error);
  if (!event) return errc::bad_event;
  if (!event->is_object()) {
    error.record(errc::invalid_value, "The message is not a JSON object.", {});
    return errc::bad_event;
  }
  const errc malformed = read_event(*event, spoken, read);
  if (auto* append = std::get_if<input_audio_append>(&read.body)) {
    kept_audio = append->audio_base64;
    append->audio_base64 = kept_audio;
  }
  return malformed;
}

input_audio_append decoder::impl::shared(append_reader::append& read) {
  if (read.details == append_details{}) return {read.audio_base64};
  // What is long says nothing again, and would be held for as long as the connection is quiet.
  if (!read.details.video_frames.empty() || read.details.transcript.size() > longest_kept_hint) {
    return {read.audio_base64, std::make_shared<const append_details>(std::move(read.details))};
  }
  if (!last_details || !(*last_details == read.details)) {
    last_details = std::make_shared<const append_details>(std::move(read.details));
  }
  return {read.audio_base64, last_details};
}

result<command> decoder::impl::decode_whole(frame_view frame) {
  command read;
  first_error error{spoken == dialect::duplex ? unknown_members::ignored : unknown_members::refused};
  const errc malformed = read_document(frame, read, error);
  document.release();
  if (!error.failed()) return read;
  wire_error refusal = error.take();
  if (spoken == dialect::duplex) refusal.code = duplex_code(refusal.code, malformed);
  refusal.client_event_id = std::move(read.client_event_id);
  // Clients match a refusal with what they sent: the id is wanted even where the rest is no JSON or no text.
  if (!refusal.client_event_id) {
    refusal.client_event_id = appends.find_event_id(frame);
    appends.release();
  }
  return refusal;
}

decoder::decoder(dialect spoken) : impl_(std::make_unique<impl>(spoken)) {}
decoder::~decoder() = default;
decoder::decoder(decoder&&) noexcept = default;
decoder& decoder::operator=(decoder&&) noexcept = default;

result<command> decoder::decode(frame_view frame) {
  impl_->kept_audio = {};
  impl_->appends.release();
  if (auto append = impl_->appends.read(frame, impl_->spoken)) {
    return command{std::move(append->event_id), impl_->shared(*append)};
  }
  impl_->appends.release();
  return impl_->decode_whole(frame);
}

}  // namespace parley::protocol
