#include "protocol/decode_duplex.hpp"

#include "protocol/decode_parts.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace parley::protocol {
namespace {

// Positions in audio: a thousand years, and exact in a double.
constexpr std::int64_t highest_ms = 1'000LL * 366 * 24 * 3600 * 1000;
// Numbers of events: exact in a double.
constexpr std::int64_t highest_sequence = std::int64_t{1} << 53;

template <class Id>
std::optional<Id> read_id(const json_value& id) {
  auto text = read_optional_name(id);
  if (!text || text->empty()) return std::nullopt;
  return Id{*std::move(text)};
}

// Of the events that are about one item.
item_id read_named_item(const json_value& id) {
  const std::string_view text = id.if_text().value_or(std::string_view{});
  if (text.empty() || character_count(text) > longest_id) {
    id.refuse("expected the id of an item, of at most 256 characters.", errc::missing_item_id);
  }
  return item_id{std::string{text}};
}

// ---- session ----------------------------------------------------------------------------------------------------

// The members may stand in the event itself: some clients open a session so.
command_body read_update(const json_value& event) {
  const auto [session] = event.members({"session"});
  return session_update{read_duplex_session(session.given() ? session : event)};
}

command_body read_heartbeat(const json_value&) { return session_heartbeat{}; }

command_body read_event_ack(const json_value& event) {
  const auto [sequence] = event.members({"server_event_seq"});
  return event_ack{static_cast<std::uint64_t>(sequence.integer(0, highest_sequence))};
}

command_body read_close(const json_value& event) {
  const auto [reason] = event.members({"reason"});
  session_close read;
  const std::string_view given = reason.if_text().value_or(std::string_view{});
  if (!given.empty()) read.reason = given;
  return read;
}

command_body read_resume(const json_value& event) {
  const auto [session, token, last] = event.members({"session_id", "resume_token", "last_received_server_event_seq"});
  constexpr std::size_t longest = 512;
  session_resume read{session_id{std::string{session.text_within(1, longest)}},
                      std::string{token.text_within(1, longest)}};
  if (last.given()) read.last_received = static_cast<std::uint64_t>(last.integer(0, highest_sequence));
  return read;
}

// ---- input ------------------------------------------------------------------------------------------------------

command_body read_append(const json_value& event) { return read_duplex_append(event); }

command_body read_commit(const json_value& event) {
  const auto [final, response_create, create_response, is_speech] =
      event.members({"final", "response_create", "create_response", "is_speech"});
  const std::optional<bool> wanted = response_create.if_boolean();
  return input_audio_commit{.create_response = wanted ? wanted : create_response.if_boolean(),
                            .is_speech = is_speech.if_boolean(),
                            .final = final.if_boolean().value_or(true)};
}

command_body read_answered_commit(const json_value& event) {
  auto read = std::get<input_audio_commit>(read_commit(event));
  read.create_response = read.create_response.value_or(true);
  return read;
}

// parley's own, and of no model's yet.
command_body read_video(const json_value& event) {
  event.refuse("video comes with the audio here: as video_frames of input_audio_buffer.append.", errc::unsupported);
  return {};
}

command_body read_clear(const json_value&) { return input_audio_clear{}; }
command_body read_input_cancel(const json_value&) { return input_cancel{}; }
command_body read_barge_in(const json_value&) { return barge_in{}; }

command_body read_text(const json_value& event) {
  const auto [text] = event.members({"text"});
  return input_text_append{text.string()};
}

command_body read_signal(const json_value& event) {
  const auto [name] = event.members({"event"});
  std::string signal{name.text_within(0, longest_id)};  // shown again in turn.event
  if (signal == "barge_in") return barge_in{};
  if (signal == "input.cancel" || signal == "input_cancel") return input_cancel{};
  return turn_signal{std::move(signal)};
}

// ---- items ------------------------------------------------------------------------------------------------------

command_body read_create(const json_value& event) {
  const auto [item, previous] = event.members({"item", "previous_item_id"});
  return item_create{read_duplex_item(item), read_optional_name(previous)};
}

command_body read_retrieve(const json_value& event) {
  const auto [id] = event.members({"item_id"});
  return item_retrieve{read_named_item(id)};
}

command_body read_delete(const json_value& event) {
  const auto [id] = event.members({"item_id"});
  return item_delete{read_named_item(id)};
}

command_body read_truncate(const json_value& event) {
  const auto [id, index, end] = event.members({"item_id", "content_index", "audio_end_ms"});
  item_truncate read{read_named_item(id)};
  if (index.given()) read.content_index = static_cast<int>(index.integer(0, std::numeric_limits<int>::max()));
  read.audio_end_ms = end.floored(0, highest_ms);
  return read;
}

// ---- output -----------------------------------------------------------------------------------------------------

command_body read_response_create(const json_value& event) {
  const auto [response] = event.members({"response"});
  return response_create{response.given() ? read_duplex_response(response) : response_options{}};
}

command_body read_response_cancel(const json_value& event) {
  const auto [id] = event.members({"response_id"});
  return response_cancel{read_id<response_id>(id)};
}

command_body read_output_clear(const json_value& event) {
  const auto [id] = event.members({"response_id"});
  return output_audio_clear{read_id<response_id>(id)};
}

command_body read_playback_ack(const json_value& event) {
  const auto [response, item, played, committed, truncate] =
      event.members({"response_id", "item_id", "played_ms", "committed_ms", "truncate"});
  playback_ack read{.response = read_id<response_id>(response),
                    .item = read_id<item_id>(item),
                    .played_ms = played.floored(0, highest_ms),
                    .truncate = truncate.if_boolean().value_or(false)};
  if (committed.given()) read.committed_ms = committed.floored(0, highest_ms);
  return read;
}

// ---- any event --------------------------------------------------------------------------------------------------

struct event_type {
  std::string_view name;
  command_body (*read)(const json_value& event);
  errc malformed = errc::bad_event;
};

constexpr event_type event_types[] = {
    {"input_audio_buffer.append", read_append},
    {"session.event_ack", read_event_ack, errc::invalid_event_ack},
    {"playback.ack", read_playback_ack},
    {"audio.playback_ack", read_playback_ack},
    {"input_video_buffer.append", read_video},
    {"input_audio_buffer.commit", read_commit},
    {"input.commit", read_answered_commit},
    {"input_audio_buffer.clear", read_clear},
    {"input.cancel", read_input_cancel},
    {"input.text.append", read_text},
    {"input_text.append", read_text},
    {"push_text", read_text},
    {"session.update", read_update, errc::invalid_session_config},
    {"session.heartbeat", read_heartbeat},
    {"session.close", read_close},
    {"close", read_close},
    {"close_session", read_close},
    {"session.resume", read_resume, errc::invalid_session_resume},
    {"conversation.item.create", read_create},
    {"conversation.item.retrieve", read_retrieve},
    {"conversation.item.delete", read_delete},
    {"conversation.item.truncate", read_truncate},
    {"response.create", read_response_create},
    {"response.cancel", read_response_cancel},
    {"output_audio_buffer.clear", read_output_clear},
    {"barge_in", read_barge_in},
    {"turn.signal", read_signal},
    {"signal_turn", read_signal},
};

}  // namespace

duplex_reading read_duplex_event(const json_value& event, const json_value& type) {
  const std::string_view name = type.text();
  const auto found = std::find_if(std::begin(event_types), std::end(event_types),
                                  [&](const event_type& each) { return each.name == name; });
  const bool known = found != std::end(event_types);
  // What is wrong already (the event_id, a text that is none) has the code of its event.
  if (type.failed()) return {{}, known ? found->malformed : errc::bad_event};
  if (known) return {found->read(event), found->malformed};
  type.refuse("there is no client event '" + shortened(name) + "'.", errc::unknown_event);
  return {};
}

errc duplex_code(errc recorded, errc malformed) noexcept {
  switch (recorded) {
    case errc::invalid_value:
    case errc::invalid_type:
    case errc::missing_required_parameter:
    case errc::unknown_parameter:
      return malformed;
    default:
      return recorded;
  }
}

}  // namespace parley::protocol
