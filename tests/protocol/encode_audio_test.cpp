#include "protocol/base64.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/g711.hpp"
#include "tests/protocol/rendered.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace parley::protocol {
namespace {

constexpr audio_format pcm{audio_encoding::pcm16, 24000};
constexpr audio_format ulaw{audio_encoding::g711_ulaw, 8000};
constexpr audio_format alaw{audio_encoding::g711_alaw, 8000};

audio_delta delta_of(audio_format format, std::vector<std::int16_t> samples) {
  return {{response_id{"resp_1"}, item_id{"item_1"}, 0, 1}, {}, format, std::move(samples), 0};
}

// The wire bytes one sample at a time, encoded in one piece.
std::string base64_of(audio_encoding encoding, const std::vector<std::int16_t>& samples) {
  std::vector<std::uint8_t> bytes;
  for (const auto sample : samples) {
    if (encoding == audio_encoding::g711_ulaw) bytes.push_back(ulaw_encode(sample));
    if (encoding == audio_encoding::g711_alaw) bytes.push_back(alaw_encode(sample));
    if (encoding != audio_encoding::pcm16) continue;
    bytes.push_back(static_cast<std::uint8_t>(sample));
    bytes.push_back(static_cast<std::uint8_t>(sample >> 8));
  }
  std::string text(base64_encoded_size(bytes.size()), ' ');
  base64_encode(base64_isa::scalar, bytes, text.data());
  return text;
}

std::vector<std::int16_t> ramp(std::size_t samples) {
  std::vector<std::int16_t> out(samples);
  for (std::size_t i = 0; i < samples; ++i) out[i] = static_cast<std::int16_t>(i * 77 - 30000);
  return out;
}

TEST_CASE("encode_audio: a GA delta is exactly this text", "[protocol][encode]") {
  CHECK(rendered_text(dialect::openai, delta_of(pcm, {1, -1, 32767})) ==
        R"({"type":"response.output_audio.delta","event_id":"event_1","response_id":"resp_1","item_id":"item_1",)"
        R"("output_index":0,"content_index":1,"delta":"AQD///9/"})");
}

TEST_CASE("encode_audio: a beta delta differs in its type only", "[protocol][encode]") {
  CHECK(rendered_text(dialect::openai_beta, delta_of(pcm, {1, -1, 32767})) ==
        R"({"type":"response.audio.delta","event_id":"event_1","response_id":"resp_1","item_id":"item_1",)"
        R"("output_index":0,"content_index":1,"delta":"AQD///9/"})");
}

TEST_CASE("encode_audio: a G.711 delta holds one byte a sample", "[protocol][encode]") {
  const auto ulaw_json = payload(dialect::openai, delta_of(ulaw, {-32124, 32124, 0}));
  CHECK(ulaw_json.at("delta").as_string() == "AID/");  // 00 80 ff
  const auto alaw_json = payload(dialect::openai, delta_of(alaw, {-32256, 8, -8, 32256}));
  CHECK(alaw_json.at("delta").as_string() == "KtVVqg==");  // 2a d5 55 aa
}

TEST_CASE("encode_audio: chunks join without a seam at any length", "[protocol][encode]") {
  for (const std::size_t size : {1u, 2u, 3u, 160u, 1535u, 1536u, 1537u, 3072u, 4800u, 24001u}) {
    const auto samples = ramp(size);
    for (const auto encoding : {audio_encoding::pcm16, audio_encoding::g711_ulaw, audio_encoding::g711_alaw}) {
      std::string out = "before";
      append_audio_base64(out, encoding, samples);
      REQUIRE(out == "before" + base64_of(encoding, samples));
    }
  }
}

TEST_CASE("encode_audio: a delta is allocated once, no larger than it needs", "[protocol][encode]") {
  const auto text = rendered_text(dialect::duplex, delta_of(pcm, ramp(4800)));
  CHECK(text.size() > base64_encoded_size(9600));
  CHECK(text.capacity() >= text.size() + sequence_room_bytes);
  CHECK(text.capacity() < text.size() + sequence_room_bytes + 192);

  audio_delta full = delta_of(pcm, ramp(4800));
  full.facts = delta_facts{.session = session_id{std::string(39, 's')}, .marks = std::vector<text_mark>(40)};
  const auto with_facts = rendered_text(dialect::duplex, full);
  CHECK(with_facts.capacity() >= with_facts.size() + sequence_room_bytes);
  CHECK(with_facts.capacity() < with_facts.size() + sequence_room_bytes + 2048);
}

}  // namespace
}  // namespace parley::protocol
