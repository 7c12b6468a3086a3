#include "protocol/encode.hpp"

#include "tests/protocol/rendered.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

constexpr dialect ga = dialect::openai;
constexpr dialect beta = dialect::openai_beta;
const part_ref place{response_id{"resp_1"}, item_id{"item_1"}, 2, 3};

TEST_CASE("encode: an error names code, param and the client's event or null", "[protocol][encode]") {
  wire_error error{error_class::invalid_request_error, errc::invalid_value, "No \"such\" voice.", "session.voice",
                   "mine"};
  CHECK(payload(ga, error_event{error}) == expected(R"({"error":{"type":"invalid_request_error","code":"invalid_value",
      "message":"No \"such\" voice.","param":"session.voice","event_id":"mine"}})"));
  error = {error_class::server_error, errc::none, "Failed.", {}, {}};
  CHECK(payload(beta, error_event{error}) == expected(R"({"error":{"type":"server_error","code":null,
      "message":"Failed.","param":null,"event_id":null}})"));
}

TEST_CASE("encode: input audio buffer events", "[protocol][encode]") {
  const item_id id{"item_1"};
  CHECK(payload(ga, speech_started{id, 120}) == expected(R"({"item_id":"item_1","audio_start_ms":120})"));
  CHECK(payload(ga, speech_stopped{id, 980}) == expected(R"({"item_id":"item_1","audio_end_ms":980})"));
  CHECK(payload(ga, input_committed{id, {}}) == expected(R"({"item_id":"item_1","previous_item_id":null})"));
  CHECK(payload(ga, input_committed{id, item_id{"item_0"}}) ==
        expected(R"({"item_id":"item_1","previous_item_id":"item_0"})"));
  CHECK(payload(ga, input_cleared{}) == expected("{}"));
}

TEST_CASE("encode: deleted and truncated items", "[protocol][encode]") {
  CHECK(payload(ga, item_deleted{item_id{"a"}}) == expected(R"({"item_id":"a"})"));
  CHECK(payload(ga, item_truncated{item_id{"a"}, 1, 1500}) ==
        expected(R"({"item_id":"a","content_index":1,"audio_end_ms":1500})"));
}

TEST_CASE("encode: transcription events", "[protocol][encode]") {
  const item_id id{"item_1"};
  CHECK(payload(ga, transcription_delta{id, 0, "Hi"}) ==
        expected(R"({"item_id":"item_1","content_index":0,"delta":"Hi"})"));
  CHECK(payload(ga, transcription_completed{id, 0, "Hi there.", 1.25}) ==
        expected(R"({"item_id":"item_1","content_index":0,"transcript":"Hi there.",
                     "usage":{"type":"duration","seconds":1.25}})"));
}

TEST_CASE("encode: a failed transcription has strings and no null", "[protocol][encode]") {
  const wire_error bare{error_class::server_error, errc::none, "No speech engine.", {}, {}};
  CHECK(payload(ga, transcription_failed{item_id{"i"}, 0, bare}) ==
        expected(R"({"item_id":"i","content_index":0,"error":{"type":"server_error","message":"No speech engine."}})"));
  const wire_error full{error_class::server_error, errc::model_failed, "Failed.", "audio", "mine"};
  CHECK(payload(ga, transcription_failed{item_id{"i"}, 0, full}).at("error") ==
        expected(R"({"type":"server_error","code":"model_failed","message":"Failed.","param":"audio"})"));
}

TEST_CASE("encode: deltas and done events say where they belong", "[protocol][encode]") {
  const auto at = [](const char* member) {
    return expected(std::string{R"({"response_id":"resp_1","item_id":"item_1","output_index":2,"content_index":3)"} +
                    member + "}");
  };
  CHECK(payload(ga, text_delta{place, "Hel"}) == at(R"(,"delta":"Hel")"));
  CHECK(payload(ga, text_done{place, "Hello"}) == at(R"(,"text":"Hello")"));
  CHECK(payload(ga, transcript_delta{place, "Hel"}) == at(R"(,"delta":"Hel")"));
  CHECK(payload(ga, transcript_done{place, "Hello"}) == at(R"(,"transcript":"Hello")"));
  CHECK(payload(ga, audio_done{place}) == at(""));
}

TEST_CASE("encode: arguments of a call carry its id, and in GA its name when done", "[protocol][encode]") {
  const auto common = R"({"response_id":"resp_1","item_id":"item_1","output_index":2,"call_id":"call_1",)";
  const arguments_done done{place, call_id{"call_1"}, "look_up", R"({"q":1})"};
  CHECK(payload(ga, arguments_delta{place, call_id{"call_1"}, "{\"q"}) ==
        expected(std::string{common} + R"("delta":"{\"q"})"));
  CHECK(payload(ga, done) == expected(std::string{common} + R"("name":"look_up","arguments":"{\"q\":1}"})"));
  CHECK(payload(beta, done) == expected(std::string{common} + R"("arguments":"{\"q\":1}"})"));
}

TEST_CASE("encode: a playback acknowledgement and empty rate limits", "[protocol][encode]") {
  CHECK(payload(ga, playback_acknowledged{response_id{"r"}, item_id{"i"}, 640, true}) ==
        expected(R"({"response_id":"r","item_id":"i","played_ms":640,"history_committed":true})"));
  CHECK(payload(beta, rate_limits_updated{}) == expected(R"({"rate_limits":[]})"));
}

TEST_CASE("encode: beta has the classic names", "[protocol][encode]") {
  CHECK(type_of(beta, item_added{}) == "conversation.item.created");
  CHECK(type_of(beta, text_delta{}) == "response.text.delta");
  CHECK(type_of(beta, text_done{}) == "response.text.done");
  CHECK(type_of(beta, transcript_delta{}) == "response.audio_transcript.delta");
  CHECK(type_of(beta, transcript_done{}) == "response.audio_transcript.done");
  CHECK(type_of(beta, audio_delta{}) == "response.audio.delta");
  CHECK(type_of(beta, audio_done{}) == "response.audio.done");
  CHECK(type_of(beta, output_item_added{}) == "response.output_item.added");
}

TEST_CASE("encode: GA has the names of type_name", "[protocol][encode]") {
  for (const auto& body : {event_body{item_added{}}, event_body{item_done{}}, event_body{text_delta{}},
                           event_body{transcript_done{}}, event_body{audio_delta{}}, event_body{input_cleared{}}}) {
    CHECK(type_of(ga, body) == type_name(body));
  }
}

TEST_CASE("encode: beta does not speak the names that close its clients", "[protocol][encode]") {
  for (const auto& body : {event_body{item_done{}}, event_body{item_retrieved{}}, event_body{transcription_delta{}},
                           event_body{playback_acknowledged{}}}) {
    CHECK_FALSE(is_spoken(beta, body));
    CHECK(is_spoken(ga, body));
  }
  CHECK(is_spoken(beta, item_added{}));
  CHECK(is_spoken(beta, audio_delta{}));
  CHECK(is_spoken(beta, transcription_completed{}));
  CHECK(is_spoken(beta, error_event{}));
}

TEST_CASE("encode: text of a model cannot break the JSON", "[protocol][encode]") {
  const std::string text = "say \"hi\"\\\n\t\x01 {},[]: \u00e9\u4e16\U0001f600";
  CHECK(payload(ga, text_delta{place, text}).at("delta").as_string() == text);
  CHECK(payload(ga, arguments_delta{place, call_id{"a\"b"}, text}).at("call_id").as_string() == "a\"b");
}

TEST_CASE("encode: a terminal event shows session, reason and details", "[protocol][encode]") {
  const terminal_event closed{"session.closed", session_id{"sess_1"}, "client_close", raw_json{R"({"a":[1]})"}};
  CHECK(render(event_id{"event_9"}, closed) ==
        R"({"type":"session.closed","event_id":"event_9","session_id":"sess_1","reason":"client_close",)"
        R"("event":{"a":[1]}})");
}

TEST_CASE("encode: the sequence number is spliced in without another allocation", "[protocol][encode]") {
  for (const event_body& body : {event_body{input_cleared{}}, event_body{text_delta{place, std::string(5000, 'x')}},
                                 event_body{audio_delta{place, {}, {}, std::vector<std::int16_t>(999), 0}}}) {
    std::string text = rendered_text(dialect::duplex, body);
    auto with_number = boost::json::parse(text);
    with_number.as_object()["server_event_seq"] = 18446744073709551615u;
    const char* const before = text.data();
    append_sequence(text, 18446744073709551615u);
    CHECK(text.data() == before);
    CHECK(boost::json::parse(text) == with_number);
  }
}

TEST_CASE("encode: the sequence number is the last member", "[protocol][encode]") {
  std::string text = R"({"type":"x"})";
  append_sequence(text, 7);
  CHECK(text == R"({"type":"x","server_event_seq":7})");
}

}  // namespace
}  // namespace parley::protocol
