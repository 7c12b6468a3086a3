// The objects that server events show (session, response, item, content part, audio), each written at the place where a
// json_writer stands, in the names of a dialect. Internal to encode*.cpp; where the duplex dialect has no form of its
// own (encode_duplex.hpp) it uses those of GA.
//
// In encode_session, encode_settings (what sessions of every dialect show alike), encode_response, encode_item and
// encode_audio.
// Thread safety: all are pure functions of their arguments.
#pragma once

#include "protocol/audio_format.hpp"
#include "protocol/dialect.hpp"
#include "protocol/event.hpp"
#include "protocol/item.hpp"
#include "protocol/json_writer.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace parley::protocol {

[[nodiscard]] constexpr bool is_beta(dialect spoken) noexcept { return spoken == dialect::openai_beta; }

void write_session(json_writer& json, dialect spoken, const session_view& session);
void write_response(json_writer& json, dialect spoken, const response_view& response);
void write_usage(json_writer& json, dialect spoken, const std::optional<token_usage>& usage);
void write_tools(json_writer& json, const session_settings& settings);
void write_transcription(json_writer& json, const std::optional<transcription>& value);
void write_noise_reduction(json_writer& json, const std::optional<noise_reduction>& value);
[[nodiscard]] const char* name_of(response_status status) noexcept;
// Empty: the dialect has no word for it and the member stays away.
[[nodiscard]] std::string_view name_of(status_reason reason, dialect spoken) noexcept;
[[nodiscard]] const char* name_of(playback_policy policy) noexcept;

enum class audio_data : bool { left_out, included };
void write_item(json_writer& json, dialect spoken, const item& value, audio_data audio = audio_data::left_out);
// The `part` of response.content_part.*: its type names differ from those of an item's content.
void write_part(json_writer& json, const content_part& part);

// GA: {"type":"audio/pcm","rate":24000}.
void write_format(json_writer& json, const audio_format& format);
// Beta: pcm16, g711_ulaw, g711_alaw. The duplex dialect has wav and pcm_f32le too.
[[nodiscard]] const char* format_name(audio_encoding encoding) noexcept;
// The array of modalities: beta and duplex list text beside audio, GA does not.
void write_modalities(json_writer& json, dialect spoken, output_modality modality);
// A count or the string "inf".
void write_token_limit(json_writer& json, const std::optional<int>& limit);

// Appends the base64 of the samples in their wire encoding.
void append_audio_base64(std::string& out, audio_encoding encoding, std::span<const std::int16_t> samples);
// The whole event, in one allocation: it is nearly all of what a server sends.
[[nodiscard]] std::string render_audio_delta(dialect spoken, std::string_view type, const event_id& id,
                                             const audio_delta& delta);

}  // namespace parley::protocol
