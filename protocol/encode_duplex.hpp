// What server events look like in the duplex dialect where they differ from the GA form: the bodies that only it has,
// the internal event that it shows beside a GA body (`event`, `metadata`), its session object and its response object.
// Internal to encode.cpp, which asks here first. The files: encode_duplex (events), encode_duplex_session,
// encode_duplex_response.
// Thread safety: all are pure functions of their arguments.
#pragma once

#include "protocol/event.hpp"
#include "protocol/json_writer.hpp"

#include <string_view>

namespace parley::protocol {

// Writes the members behind type and event_id. False: nothing was written, the event has the GA form.
[[nodiscard]] bool write_duplex_body(json_writer& json, const event_body& body);

void write_duplex_session(json_writer& json, const session_view& session);
// `type` is the event's: response.created shows what was started, response.done how it ended.
void write_duplex_response(json_writer& json, std::string_view type, const response_view& response);

void write_playback(json_writer& json, const playback_counters& counters);  // member `playback`
// {"type":"audio/pcm","rate":24000}, with the rate whatever the encoding.
void write_duplex_format(json_writer& json, const audio_format& format);

[[nodiscard]] std::string_view name_of(turn_state state) noexcept;
[[nodiscard]] std::string_view name_of(overlap_policy policy) noexcept;

}  // namespace parley::protocol
