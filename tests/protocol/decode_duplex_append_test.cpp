#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

std::string append(std::string_view more) { return R"({"type":"input_audio_buffer.append")" + std::string{more} + "}"; }
std::string sound(std::string_view more) { return append(R"(,"audio":"AAAA")" + std::string{more}); }

// What a client says beside its audio, read the usual way; a member that is unknown makes the frame unusual.
append_details said(std::string_view more) {
  test_client client{dialect::duplex};
  const auto read = client.accepted<input_audio_append>(sound(more));
  CHECK(read.audio_base64 == "AAAA");
  const append_details fast = read.details ? *read.details : append_details{};
  const auto whole = client.accepted<input_audio_append>(sound(std::string{more} + R"(,"unknown":1)"));
  CHECK((whole.details ? *whole.details : append_details{}) == fast);
  return fast;
}

void check_code(std::string_view json, errc code) {
  INFO(json.substr(0, 300));
  test_client client{dialect::duplex};
  CHECK(wire_name(client.refused(json).code) == wire_name(code));
}

constexpr const char* png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
constexpr const char* jpeg = "/9j/4AAQSkZJRg==";

TEST_CASE("statement 42: an append with neither audio nor frames is bad_event", "[protocol][decode]") {
  for (const char* bad :
       {"", R"(,"audio":null)", R"(,"video_frames":[])", R"(,"video_frames":[null])", R"(,"audio":7)"}) {
    check_code(append(bad), errc::bad_event);
  }
}

TEST_CASE("decode_duplex: delta is another name of audio", "[protocol][decode]") {
  test_client client{dialect::duplex};
  CHECK(client.accepted<input_audio_append>(append(R"(,"delta":"BBBB")")).audio_base64 == "BBBB");
  CHECK(client.accepted<input_audio_append>(append(R"(,"delta":"BBBB","x":1)")).audio_base64 == "BBBB");
  test_client other{dialect::openai};
  CHECK(other.refused(append(R"(,"delta":"BBBB")")).code == errc::missing_required_parameter);
}

TEST_CASE("decode_duplex: an append of audio alone has no details", "[protocol][decode]") {
  test_client client{dialect::duplex};
  for (const char* more : {"", R"(,"event_id":"e")", R"(,"duration_ms":200)", R"(,"format":null,"x":1)"}) {
    CHECK(client.accepted<input_audio_append>(sound(more)).details == nullptr);
  }
}

TEST_CASE("decode_duplex: equal details are shared between appends", "[protocol][decode]") {
  test_client client{dialect::duplex};
  const auto usual = sound(R"(,"event_id":"e","input_audio_format":"pcm16","sample_rate_hz":16000,"duration_ms":200)");
  const auto first = client.accepted<input_audio_append>(usual);
  CHECK(client.client_event_id == "e");
  REQUIRE(first.details != nullptr);
  CHECK(client.accepted<input_audio_append>(usual).details == first.details);
  const auto other = client.accepted<input_audio_append>(sound(R"(,"sample_rate_hz":8000)"));
  CHECK(other.details != first.details);
  CHECK(first.details->rate_hz == 16000);
}

TEST_CASE("decode_duplex: format and rate of an append", "[protocol][decode]") {
  const std::pair<const char*, audio_encoding> names[] = {
      {"pcm16", audio_encoding::pcm16},         {"pcm_s16le", audio_encoding::pcm16},
      {"s16le", audio_encoding::pcm16},         {"pcm_f32le", audio_encoding::pcm_f32},
      {"g711_ulaw", audio_encoding::g711_ulaw}, {"g711_alaw", audio_encoding::g711_alaw},
  };
  for (const auto& [name, encoding] : names) {
    CHECK(said(R"(,"format":")" + std::string{name} + "\"").encoding == encoding);
    CHECK(said(R"(,"input_audio_format":")" + std::string{name} + "\"").encoding == encoding);
  }
  CHECK(said(R"(,"input_audio_format":"pcm16","format":"g711_ulaw")").encoding == audio_encoding::g711_ulaw);
  const append_details object = said(R"(,"format":{"type":"audio/pcm","rate":24000})");
  CHECK(object.encoding == audio_encoding::pcm16);
  CHECK(object.rate_hz == 24000);
  CHECK(said(R"(,"sample_rate_hz":8000)").rate_hz == 8000);
  CHECK(said(R"(,"sample_rate_hz":192000.0)").rate_hz == 192000);
  CHECK_FALSE(said(R"(,"sample_rate_hz":null)").rate_hz.has_value());
}

TEST_CASE("decode_duplex: formats and rates that are refused", "[protocol][decode]") {
  for (const char* name : {R"("mp3")", R"("wav")", R"("pcm")", R"("")", "7", R"({"type":"audio/mpeg"})"}) {
    check_code(sound(R"(,"format":)" + std::string{name}), errc::unsupported_audio_format);
    check_code(sound(R"(,"input_audio_format":)" + std::string{name}), errc::unsupported_audio_format);
  }
  for (const char* rate : {"7999", "192001", "16000.5", "-1", R"("16000")"}) {
    for (const char* format : {"pcm16", "g711_ulaw"}) {
      check_code(sound(R"(,"format":")" + std::string{format} + R"(","sample_rate_hz":)" + rate), errc::bad_event);
    }
  }
}

TEST_CASE("decode_duplex: whether a client calls it speech", "[protocol][decode]") {
  CHECK(said(R"(,"is_speech":true)").is_speech == true);
  CHECK(said(R"(,"is_speech":false,"speech":true,"vad":{"is_speech":true,"probability":1})").is_speech == false);
  CHECK(said(R"(,"speech":true,"vad":{"is_speech":false})").is_speech == true);
  CHECK(said(R"(,"vad":{"is_speech":false})").is_speech == false);
  CHECK(said(R"(,"vad":{"probability":0.25},"speech_probability":0.75)").speech_probability == 0.25);
  CHECK(said(R"(,"speech_probability":0.75)").speech_probability == 0.75);
  CHECK_FALSE(said(R"(,"is_speech":"yes","vad":7)").is_speech.has_value());
}

TEST_CASE("decode_duplex: positions and hints", "[protocol][decode]") {
  const append_details read = said(R"(,"audio_start_ms":1000.5,"audio_end_ms":1200)");
  CHECK(read.audio_start_ms == 1000);
  CHECK(read.audio_end_ms == 1200);
  CHECK_FALSE(said(R"(,"audio_end_ms":-1)").audio_end_ms.has_value());
  CHECK_FALSE(said(R"(,"audio_end_ms":"soon")").audio_end_ms.has_value());
  CHECK(said(R"(,"transcript":"hello","text":"no")").transcript == "hello");
  CHECK(said(R"(,"text":"hello")").transcript == "hello");
}

TEST_CASE("decode_duplex: what a client wants done with speech over an answer", "[protocol][decode]") {
  for (const char* word : {"barge_in", "interrupt", "cancel"}) {
    CHECK(said(R"(,"overlap_action":")" + std::string{word} + "\"").overlap == overlap_wish::barge_in);
  }
  for (const char* word : {"listen", "continue", "continue_output", "ack"}) {
    CHECK(said(R"(,"overlap":")" + std::string{word} + "\"").overlap == overlap_wish::listen);
  }
  for (const char* word : {"drop", "ignore", "silence"}) {
    CHECK(said(R"(,"overlap_action":")" + std::string{word} + "\"").overlap == overlap_wish::drop);
  }
  CHECK(said(R"(,"overlap_action":"sing","overlap":"drop")").overlap == overlap_wish::drop);
  CHECK(said(R"(,"force_listen":true)").force_listen);
  CHECK(said(R"(,"force_barge_in":true)").force_barge_in);
  CHECK_FALSE(said(R"(,"force_barge_in":1)").force_barge_in);
}

TEST_CASE("decode_duplex: video frames", "[protocol][decode]") {
  const std::string pair =
      R"(,"max_slice_nums":1,"video_frames":[")" + std::string{png} + R"(",null,")" + jpeg + R"("])";
  CHECK(said(pair).video_frames == std::vector<std::string>{png, jpeg});
  test_client client{dialect::duplex};
  const auto alone = client.accepted<input_audio_append>(append(R"(,"video_frames":[")" + std::string{jpeg} + R"("])"));
  REQUIRE(alone.details != nullptr);
  CHECK_FALSE(alone.details->has_audio);
}

TEST_CASE("decode_duplex: frames that refuse their append", "[protocol][decode]") {
  const std::string quoted = "\"" + std::string{png} + "\"";
  const std::string large = "\"/9j/" + std::string(3'999'997, 'A') + "\"";
  for (const std::string& frames :
       {std::string{R"("x")"}, quoted, std::string{"{}"}, "[" + quoted + "," + quoted + "," + quoted + "]",
        std::string{"[7]"}, std::string{R"(["!"])"}, std::string{R"([""])"}, std::string{R"(["R0lGODlhIGFuZA=="])"},
        R"(["data:image/png;base64,)" + std::string{png} + R"("])", "[" + large + "]"}) {
    check_code(sound(R"(,"video_frames":)" + frames), errc::invalid_video_frames);
  }
  check_code(sound(R"(,"max_slice_nums":2,"video_frames":[)" + quoted + "]"), errc::invalid_video_frames);
  check_code(sound(R"(,"max_slice_nums":"1")"), errc::invalid_video_frames);
}

}  // namespace
}  // namespace parley::protocol
