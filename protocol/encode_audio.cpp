#include "protocol/base64.hpp"
#include "protocol/encode.hpp"
#include "protocol/encode_duplex.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/g711.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace parley::protocol {
namespace {

// A multiple of 3, so that no chunk but the last ends in padding; at most 3,072 bytes on the stack.
constexpr std::size_t chunk_samples = 1536;

void encode_in_chunks(audio_encoding encoding, std::span<const std::int16_t> samples, char* out) noexcept {
  std::array<std::uint8_t, chunk_samples * 2> wire;
  while (!samples.empty()) {
    const auto chunk = samples.first(std::min(samples.size(), chunk_samples));
    const std::size_t bytes = chunk.size() * bytes_per_sample(encoding);
    encode_samples(encoding, chunk, wire.data());
    base64_encode(std::span{wire.data(), bytes}, out);
    out += base64_encoded_size(bytes);
    samples = samples.subspan(chunk.size());
  }
}

// In memory PCM16 already has its wire form, given the byte order.
constexpr bool is_wire_form(audio_encoding encoding) noexcept {
  return encoding == audio_encoding::pcm16 && std::endian::native == std::endian::little;
}

// A header of the plainest kind: RIFF, one format chunk, one data chunk.
constexpr std::size_t wav_header_bytes = 44;

void append_number(std::vector<std::uint8_t>& out, std::size_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i) & 0xffU));
}

void append_text(std::vector<std::uint8_t>& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}

std::vector<std::uint8_t> wav_header(std::size_t data_bytes, int rate_hz) {
  const auto rate = static_cast<std::size_t>(rate_hz);
  std::vector<std::uint8_t> header;
  header.reserve(wav_header_bytes + data_bytes);
  append_text(header, "RIFF");
  append_number(header, wav_header_bytes - 8 + data_bytes, 4);
  append_text(header, "WAVEfmt ");
  append_number(header, 16, 4);  // of the format chunk
  append_number(header, 1, 2);   // PCM
  append_number(header, 1, 2);   // mono
  append_number(header, rate, 4);
  append_number(header, rate * 2, 4);  // bytes a second
  append_number(header, 2, 2);         // bytes a sample
  append_number(header, 16, 2);        // bits a sample
  append_text(header, "data");
  append_number(header, data_bytes, 4);
  return header;
}

// Not the fast way: the file is put together first, because base64 does not let the header be encoded by itself.
void append_wav_base64(std::string& out, int rate_hz, std::span<const std::int16_t> samples) {
  std::vector<std::uint8_t> file = wav_header(samples.size_bytes(), rate_hz);
  file.resize(wav_header_bytes + samples.size_bytes());
  encode_samples(audio_encoding::pcm16, samples, file.data() + wav_header_bytes);
  const std::size_t start = out.size();
  out.resize(start + base64_encoded_size(file.size()));
  base64_encode(file, out.data() + start);
}

// More than the literals and the two indices of the prefix take.
constexpr std::size_t delta_text_bytes = 192;
// The same of what stands behind the payload in the duplex dialect: six counters and twelve names; one mark.
constexpr std::size_t facts_text_bytes = 448;
constexpr std::size_t mark_text_bytes = 64;

std::size_t facts_room(const audio_delta& delta) {
  if (!delta.facts) return mark_text_bytes;
  return facts_text_bytes + delta.facts->session.value.size() + delta.facts->marks.size() * mark_text_bytes;
}

void write_marks(json_writer& json, const std::vector<text_mark>& marks) {
  json.begin_array("audio_text_marks");
  for (const text_mark& each : marks) {
    json.begin_object();
    json.member("text_chars", each.text_chars);
    json.member("audio_end_ms", each.audio_end_ms);
    json.end_object();
  }
  json.end_array();
}

void write_facts(json_writer& json, const audio_delta& delta) {
  json.member("format", format_name(delta.format.encoding));
  json.member("sample_rate_hz", delta.format.rate_hz);
  if (!delta.facts) return;
  json.begin_object("metadata");
  json.member("session_id", delta.facts->session);
  json.member("epoch", delta.epoch.value);
  json.member("model_speak", true);
  json.member("end_of_turn", delta.facts->end_of_turn);
  json.member("audio_duration_ms", delta.facts->audio_duration_ms);
  write_marks(json, delta.facts->marks);
  write_playback(json, delta.facts->playback);
  json.end_object();
}

std::size_t room_of(dialect spoken, const event_id& id, const audio_delta& delta) {
  const bool wav = delta.format.encoding == audio_encoding::wav;
  const std::size_t ids = id.value.size() + delta.at.response.value.size() + delta.at.item.value.size();
  const std::size_t bytes = delta.samples.size() * bytes_per_sample(delta.format.encoding);
  return delta_text_bytes + ids + base64_encoded_size(bytes + (wav ? wav_header_bytes : 0)) + sequence_room_bytes +
         (spoken == dialect::duplex ? facts_room(delta) : 0);
}

}  // namespace

void append_audio_base64(std::string& out, audio_encoding encoding, std::span<const std::int16_t> samples) {
  const std::size_t start = out.size();
  out.resize(start + base64_encoded_size(samples.size() * bytes_per_sample(encoding)));
  char* const text = out.data() + start;
  if (is_wire_form(encoding)) {
    base64_encode(std::span{reinterpret_cast<const std::uint8_t*>(samples.data()), samples.size_bytes()}, text);
  } else {
    encode_in_chunks(encoding, samples, text);
  }
}

std::string render_audio_delta(dialect spoken, std::string_view type, const event_id& id, const audio_delta& delta) {
  std::string out;
  out.reserve(room_of(spoken, id, delta));
  json_writer json(out);
  json.begin_object();
  json.member("type", type);
  json.member("event_id", id);
  json.member("response_id", delta.at.response);
  json.member("item_id", delta.at.item);
  json.member("output_index", delta.at.output_index);
  json.member("content_index", delta.at.content_index);
  json.key("delta");
  out += '"';
  if (delta.format.encoding == audio_encoding::wav) {
    append_wav_base64(out, delta.format.rate_hz, delta.samples);
  } else {
    append_audio_base64(out, delta.format.encoding, delta.samples);
  }
  out += '"';
  if (spoken == dialect::duplex) write_facts(json, delta);
  json.end_object();
  return out;
}

}  // namespace parley::protocol
