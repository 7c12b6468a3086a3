#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

TEST_CASE("decode: an append is read whatever the order and spacing of its members", "[protocol][decode]") {
  test_client client;
  const std::string json =
      GENERATE(R"({"type":"input_audio_buffer.append","audio":"AAEC","event_id":"e1"})",
               R"({"event_id":"e1","audio":"AAEC","type":"input_audio_buffer.append"})",
               "\t{ \"audio\" : \"AAEC\" \r\n, \"type\" : \"input_audio_buffer.append\" ,\n\"event_id\" : \"e1\" } \n",
               R"({"audio":"AAEC","x":{"y":[1,"audio"]},"type":"input_audio_buffer.append","event_id":"e1"})",
               R"({"\u0061udio":"AAEC","type":"input_audio_buffer.append","event_id":"e1"})",
               R"({"audio":"AAEC","type":"input_audio_buffer.\u0061ppend","event_id":"\u00651"})");
  CHECK(client.accepted<input_audio_append>(json).audio_base64 == "AAEC");
  CHECK(client.client_event_id == "e1");
}

TEST_CASE("decode: base64 with escapes is given as the text it means", "[protocol][decode]") {
  test_client client;
  const std::string json = GENERATE(R"({"type":"input_audio_buffer.append","audio":"a\/b\u002b"})",
                                    R"({"type":"input_audio_buffer.append","audio":"a\/b\u002b","more":0})");
  CHECK(client.accepted<input_audio_append>(json).audio_base64 == "a/b+");
  CHECK_FALSE(client.client_event_id.has_value());
}

TEST_CASE("decode: a plain append is a view into its frame", "[protocol][decode]") {
  std::string frame = R"({"type":"input_audio_buffer.append","audio":"AAEC"})";
  const std::size_t size = frame.size();
  frame.append(frame_padding_bytes, '\0');
  decoder fast{dialect::openai};
  const result<command> read = fast.decode({frame.data(), size});
  REQUIRE(read.has_value());
  const std::string_view audio = std::get<input_audio_append>(read->body).audio_base64;
  CHECK(audio.data() == frame.data() + frame.find("AAEC"));
}

TEST_CASE("C7: audio that is not base64 reaches the session as it was sent", "[protocol][decode]") {
  test_client client;
  for (const std::string audio : {"aGVs!bG8=", "data:audio/wav;base64,AAAA", "====", "A", ""}) {
    const auto append =
        client.accepted<input_audio_append>(R"({"type":"input_audio_buffer.append","audio":")" + audio + R"("})");
    CHECK(append.audio_base64 == audio);
  }
  const auto lines = client.accepted<input_audio_append>(R"({"type":"input_audio_buffer.append","audio":"AA\r\nAA"})");
  CHECK(lines.audio_base64 == "AA\r\nAA");
}

TEST_CASE("C7: audio that is missing or no string is refused", "[protocol][decode]") {
  test_client client;
  check_refusal(client, {R"({"type":"input_audio_buffer.append"})", errc::missing_required_parameter, "audio"});
  for (const std::string audio : {"null", "123", "[\"AAAA\"]", "{}", "true"}) {
    check_refusal(client,
                  {R"({"type":"input_audio_buffer.append","audio":)" + audio + "}", errc::invalid_type, "audio"});
  }
  CHECK(client.refused(R"({"type":"input_audio_buffer.append","event_id":"e7"})").client_event_id == "e7");
}

TEST_CASE("C59: a message that is no event is refused and the next one works", "[protocol][decode]") {
  test_client client;
  const refusal row = GENERATE(
      refusal{"", errc::invalid_json, ""}, refusal{"   ", errc::invalid_json, ""},
      refusal{"null", errc::invalid_value, ""}, refusal{"[]", errc::invalid_value, ""},
      refusal{"42", errc::invalid_value, ""}, refusal{"\"type\"", errc::invalid_value, ""},
      refusal{"{}", errc::missing_required_parameter, "type"}, refusal{R"({"type":5})", errc::invalid_type, "type"},
      refusal{R"({"type":null})", errc::invalid_type, "type"},
      refusal{R"({"type":"foo.bar"})", errc::invalid_value, "type"},
      refusal{R"({"type": "session.update", )", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"AAAA")", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"AAAA"} x)", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"AAAA"}})", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"AAAA" "x"})", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"AAAA"x})", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"AAAA",})", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append" "audio":"AAAA"})", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.commit"}{"type":"input_audio_buffer.commit"})", errc::invalid_json, ""},
      refusal{"{\"type\":\"input_audio_buffer.append\",\"audio\":\"\xff\xfe\"}", errc::invalid_json, ""},
      refusal{"{\"type\":\"input_audio_buffer.append\",\"audio\":\"a\nb\"}", errc::invalid_json, ""},
      refusal{"{\"type\":\"input_audio_buffer.append\",\"audio\":\"\\x\"}", errc::invalid_json, ""},
      refusal{R"({"type":"input_audio_buffer.append","audio":"\ud800"})", errc::invalid_value, "audio"});
  check_refusal(client, row);
  (void)client.accepted<input_audio_commit>(R"({"type":"input_audio_buffer.commit"})");
}

TEST_CASE("C59: two appends in one frame are refused", "[protocol][decode]") {
  test_client client;
  const std::string one = R"({"type":"input_audio_buffer.append","audio":"AAAA"})";
  check_refusal(client, {one + one, errc::invalid_json, ""});
  check_refusal(client, {one + "\n" + one, errc::invalid_json, ""});
}

TEST_CASE("C59: an unknown type is named in the message, shortened between characters", "[protocol][decode]") {
  test_client client;
  CHECK_THAT(client.refused(R"({"type":"foo.bar"})").message, Catch::Contains("'foo.bar'"));
  std::string long_type = "x";
  for (int i = 0; i < 500; ++i) long_type += "\u00e4";
  const std::string message = client.refused(R"({"type":")" + long_type + R"("})").message;
  CHECK_THAT(message, Catch::Contains(long_type.substr(0, 63) + "..."));
  CHECK(message.size() < 200);
}

TEST_CASE("decode: the event id is echoed when it is a string of bounded length", "[protocol][decode]") {
  test_client client;
  CHECK(client.refused(R"({"type":"nope","event_id":"e1"})").client_event_id == "e1");
  CHECK(client.refused(R"({"event_id":"e2","x":1})").client_event_id == "e2");
  CHECK(client.refused(R"({"type":"session.update","event_id":"e3"})").client_event_id == "e3");
  CHECK_FALSE(client.refused(R"({"type":"nope","event_id":)").client_event_id.has_value());

  const std::string longest(max_event_id_bytes, 'e');
  (void)client.accepted<input_audio_clear>(R"({"type":"input_audio_buffer.clear","event_id":")" + longest + R"("})");
  CHECK(client.client_event_id == longest);
  (void)client.accepted<input_audio_clear>(R"({"type":"input_audio_buffer.clear","event_id":null})");
  CHECK_FALSE(client.client_event_id.has_value());
}

TEST_CASE("decode: an event id that cannot be echoed is refused", "[protocol][decode]") {
  test_client client;
  const std::string too_long(max_event_id_bytes + 1, 'e');
  const std::string append = R"({"type":"input_audio_buffer.append","audio":"AAAA","event_id":)";
  check_refusal(client, {append + '"' + too_long + "\"}", errc::invalid_value, "event_id"});
  check_refusal(client, {append + "7}", errc::invalid_type, "event_id"});
  CHECK_FALSE(client.refused(append + '"' + too_long + "\"}").client_event_id.has_value());
}

TEST_CASE("decode: the last of repeated members counts", "[protocol][decode]") {
  test_client client;
  CHECK(client
            .accepted<input_audio_append>(
                R"({"type":"nope","audio":"AAAA","audio":"BBBB","type":"input_audio_buffer.append"})")
            .audio_base64 == "BBBB");
  check_refusal(client,
                {R"({"type":"input_audio_buffer.append","audio":"AAAA","audio":5})", errc::invalid_type, "audio"});
}

TEST_CASE("decode: every client event has its command", "[protocol][decode]") {
  const dialect spoken = GENERATE(dialect::openai, dialect::openai_beta, dialect::duplex);
  test_client client{spoken};
  (void)client.accepted<input_audio_commit>(R"({"type":"input_audio_buffer.commit","extra":1})");
  (void)client.accepted<input_audio_clear>(R"({"type":"input_audio_buffer.clear"})");
  (void)client.accepted<session_update>(R"({"session":{},"type":"session.update"})");
  CHECK(client.accepted<item_retrieve>(R"({"type":"conversation.item.retrieve","item_id":"i-1_x"})").id.value ==
        "i-1_x");
  CHECK(client.accepted<item_delete>(R"({"type":"conversation.item.delete","item_id":"i"})").id.value == "i");
  CHECK_FALSE(client.accepted<response_cancel>(R"({"type":"response.cancel"})").id.has_value());
  CHECK_FALSE(client.accepted<response_cancel>(R"({"type":"response.cancel","response_id":null})").id.has_value());
  CHECK(client.accepted<response_cancel>(R"({"type":"response.cancel","response_id":"r"})").id->value == "r");
}

TEST_CASE("C19: a truncation is read, fractions are rounded down", "[protocol][decode]") {
  test_client client;
  const auto cut = client.accepted<item_truncate>(
      R"({"type":"conversation.item.truncate","item_id":"i","content_index":0,"audio_end_ms":12.7})");
  CHECK(cut.id.value == "i");
  CHECK(cut.content_index == 0);
  CHECK(cut.audio_end_ms == 12);
  const auto zero = client.accepted<item_truncate>(
      R"({"type":"conversation.item.truncate","item_id":"i","content_index":1.0,"audio_end_ms":0})");
  CHECK(zero.content_index == 1);
  CHECK(zero.audio_end_ms == 0);
}

TEST_CASE("C19: a truncation without a usable position is refused", "[protocol][decode]") {
  test_client client;
  const std::string head = R"({"type":"conversation.item.truncate",)";
  const refusal row = GENERATE_COPY(
      refusal{head + R"("content_index":0,"audio_end_ms":1})", errc::missing_required_parameter, "item_id"},
      refusal{head + R"("item_id":"","content_index":0,"audio_end_ms":1})", errc::invalid_value, "item_id"},
      refusal{head + R"("item_id":7,"content_index":0,"audio_end_ms":1})", errc::invalid_type, "item_id"},
      refusal{head + R"("item_id":"i","audio_end_ms":1})", errc::missing_required_parameter, "content_index"},
      refusal{head + R"("item_id":"i","content_index":0.5,"audio_end_ms":1})", errc::invalid_value, "content_index"},
      refusal{head + R"("item_id":"i","content_index":-1,"audio_end_ms":1})", errc::invalid_value, "content_index"},
      refusal{head + R"("item_id":"i","content_index":4294967296,"audio_end_ms":1})", errc::invalid_value,
              "content_index"},
      refusal{head + R"("item_id":"i","content_index":0})", errc::missing_required_parameter, "audio_end_ms"},
      refusal{head + R"("item_id":"i","content_index":0,"audio_end_ms":-0.5})", errc::invalid_value, "audio_end_ms"},
      refusal{head + R"("item_id":"i","content_index":0,"audio_end_ms":1e300})", errc::invalid_value, "audio_end_ms"},
      refusal{head + R"("item_id":"i","content_index":0,"audio_end_ms":null})", errc::invalid_type, "audio_end_ms"},
      refusal{head + R"("item_id":"i","content_index":0,"audio_end_ms":"NaN"})", errc::invalid_type, "audio_end_ms"},
      refusal{head + R"("item_id":"i","content_index":1e300,"audio_end_ms":1})", errc::invalid_value, "content_index"},
      refusal{head + R"("item_id":"i","content_index":0,"audio_end_ms":"9"})", errc::invalid_type, "audio_end_ms"},
      refusal{head + R"("item_id":"i","content_index":0,"audio_end_ms":true})", errc::invalid_type, "audio_end_ms"});
  check_refusal(client, row);
}

TEST_CASE("decode: playback.ack is an extension that beta does not know", "[protocol][decode]") {
  test_client client;
  const std::string head = R"({"type":"playback.ack")";
  const auto ack = client.accepted<playback_ack>(
      head + R"(,"response_id":"r","item_id":"i","played_ms":1200.9,"truncate":true,"committed_ms":5})");
  CHECK(ack.response->value == "r");
  CHECK(ack.item->value == "i");
  CHECK(ack.played_ms == 1200);
  CHECK(ack.truncate);
  CHECK_FALSE(client.accepted<playback_ack>(head + R"(,"played_ms":0})").response.has_value());
  check_refusal(client, {head + "}", errc::missing_required_parameter, "played_ms"});
  check_refusal(client, {head + R"(,"played_ms":-5})", errc::invalid_value, "played_ms"});
  check_refusal(client, {head + R"(,"played_ms":"5"})", errc::invalid_type, "played_ms"});
  check_refusal(client, {head + R"(,"played_ms":5,"truncate":1})", errc::invalid_type, "truncate"});
  test_client beta{dialect::openai_beta};
  check_refusal(beta, {head + R"(,"played_ms":5})", errc::invalid_value, "type"});
}

}  // namespace
}  // namespace parley::protocol
