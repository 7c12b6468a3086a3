#include "protocol/lone_surrogates.hpp"

#include "protocol/client_secret.hpp"
#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace parley::protocol {
namespace {

constexpr dialect dialects[] = {dialect::openai, dialect::openai_beta, dialect::duplex};

TEST_CASE("F18: half of a surrogate pair is found in its string", "[protocol][decode]") {
  CHECK_FALSE(mend_lone_surrogates(R"({"a":"\ud83d\ude00","b":"\\ud800","c":"\u00e4\n"})"));
  CHECK_FALSE(mend_lone_surrogates(R"({"a":"\ud8)"));
  const auto mended = mend_lone_surrogates(R"({"a":"\"","\uDC00":["\ud800\ud800\udc00\uDBFF"]})");
  REQUIRE(mended);
  CHECK(mended->text.substr(0, mended->size) == R"({"a":"\"","\ufffd":["\ufffd\ud800\udc00\ufffd"]})");
  CHECK(mended->broken_string == 2);
}

TEST_CASE("F18: a lone surrogate is an error of its field, in every dialect", "[protocol][decode]") {
  const refusal row = GENERATE(
      refusal{R"({"type":"session.update","event_id":"e1","session":{"instructions":"\ud800"}})", errc::invalid_value,
              "session.instructions"},
      refusal{R"({"session":{"instructions":"a\udfffb"},"event_id":"e1","type":"session.update"})", errc::invalid_value,
              "session.instructions"},
      refusal{R"({"type":"session.update","event_id":"e1","session":{"tools":[{"name":"a"},{"name":"\udbff"}]}})",
              errc::invalid_value, "session.tools[1].name"},
      refusal{R"({"type":"session.update","event_id":"e1","session":{"voice":"v","\ud83d":1}})", errc::invalid_value,
              "session.\ufffd"},
      refusal{R"({"type":"response.create","event_id":"e1","response":{"metadata":{"k":"\ud83d\ud83d\ude00"}}})",
              errc::invalid_value, "response.metadata.k"},
      refusal{R"({"type":"input_audio_buffer.append","event_id":"e1","audio":"\ud800"})", errc::invalid_value, "audio"},
      refusal{R"({"type":"conversation.item.create","event_id":"e1","item":{"type":"message","role":"user",
                  "content":[{"type":"input_text","text":"hi"},{"type":"input_text","text":"\udc00\ud800"}]}})",
              errc::invalid_value, "item.content[1].text"},
      refusal{R"({"type":"conversation.item.delete","item_id":"\ud800","event_id":"e1","more":"\udc00"})",
              errc::invalid_value, "item_id"},
      refusal{R"({"event_id":"e1","type":"\ud800"})", errc::invalid_value, "type"});
  for (const dialect spoken : dialects) {
    CAPTURE(static_cast<int>(spoken));
    test_client client{spoken};
    const wire_error error = client.refused(row.json);
    CHECK(error.param == row.param);
    CHECK(error.client_event_id == "e1");
    if (spoken != dialect::duplex) CHECK(error.code == row.code);
    (void)client.accepted<input_audio_clear>(R"({"type":"input_audio_buffer.clear"})");
  }
}

TEST_CASE("F18: in the duplex dialect it has the code of what its event can not be", "[protocol][decode]") {
  test_client client{dialect::duplex};
  CHECK(client.refused(R"({"type":"turn.signal","event":"\ud800"})").code == errc::bad_event);
  CHECK(client.refused(R"({"type":"nothing","event":"\ud800"})").code == errc::bad_event);
  CHECK(client.refused(R"({"type":"session.update","session":{"voice":"\ud800"}})").code ==
        errc::invalid_session_config);
  CHECK(client.refused(R"({"type":"session.resume","session_id":"\ud800"})").code == errc::invalid_session_resume);
}

TEST_CASE("F18: an event id with half of a pair is at fault itself and is not echoed", "[protocol][decode]") {
  for (const dialect spoken : dialects) {
    test_client client{spoken};
    for (const std::string type : {"input_audio_buffer.append", "input_audio_buffer.clear"}) {
      const auto error = client.refused(R"({"type":")" + type + R"(","audio":"AAAA","event_id":"a\ud800"})");
      CHECK(error.param == "event_id");
      CHECK_FALSE(error.client_event_id);
    }
    const auto both = client.refused(R"({"type":"response.cancel","response_id":"\ud800","event_id":"\ud800"})");
    CHECK(both.param == "response_id");
    CHECK_FALSE(both.client_event_id);
  }
}

TEST_CASE("F18: what is no JSON besides stays that, with its event id", "[protocol][decode]") {
  for (const dialect spoken : dialects) {
    test_client client{spoken};
    for (const std::string rest : {R"("x":"\ud800"}})", R"("x":"\ud800\q"})", R"("x":"\ud8"})"}) {
      CAPTURE(rest);
      const auto error = client.refused(R"({"type":"input_audio_buffer.clear","event_id":"e1",)" + rest);
      CHECK(error.code == errc::invalid_json);
      CHECK(error.client_event_id == "e1");
    }
  }
}

TEST_CASE("F18: deep down the path is cut", "[protocol][decode]") {
  std::string json = R"({"type":"session.update","event_id":"e1","session":)";
  for (int level = 0; level < 60; ++level) json += R"({")" + std::string(70, 'k') + R"(":)";
  json += R"("\ud800")" + std::string(61, '}');
  const wire_error error = test_client{}.refused(json);
  CHECK(error.code == errc::invalid_value);
  CHECK(error.param->size() < 600);
  CHECK(error.message.size() < 700);
  CHECK(error.client_event_id == "e1");
}

TEST_CASE("F18: a client secret is asked for with text", "[protocol][client_secret]") {
  std::string body = R"({"session":{"instructions":"\ud800"}})";
  const std::size_t size = body.size();
  body.append(frame_padding_bytes, '\0');
  const auto read = read_client_secret_request(secret_form::client_secret, {body.data(), size});
  REQUIRE(read.has_error());
  CHECK(read.error().code == errc::invalid_value);
  CHECK(read.error().param == "session.instructions");
}

}  // namespace
}  // namespace parley::protocol
