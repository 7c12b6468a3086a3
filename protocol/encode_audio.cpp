#include "protocol/base64.hpp"
#include "protocol/encode.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/g711.hpp"

#include <algorithm>
#include <array>
#include <bit>

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

// More than the literals and the two indices of the prefix take.
constexpr std::size_t delta_text_bytes = 192;

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

std::string render_audio_delta(std::string_view type, const event_id& id, const audio_delta& delta) {
  const std::size_t ids = id.value.size() + delta.at.response.value.size() + delta.at.item.value.size();
  const std::size_t bytes = delta.samples.size() * bytes_per_sample(delta.format.encoding);
  std::string out;
  out.reserve(delta_text_bytes + ids + base64_encoded_size(bytes) + sequence_room_bytes);
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
  append_audio_base64(out, delta.format.encoding, delta.samples);
  out += "\"}";
  return out;
}

}  // namespace parley::protocol
