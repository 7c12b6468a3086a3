// Input made to break a parser: what it costs is bounded by its size, and what it says is an error.
#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace parley::protocol {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// `depth` levels in all, counting the event itself and `session`, `tools`, its element and `parameters`.
std::string nested_tool(std::size_t depth) {
  const std::size_t inner = depth - 5;
  return R"({"type":"session.update","session":{"tools":[{"type":"function","name":"f","parameters":{"x":)" +
         repeated("[", inner) + "1" + repeated("]", inner) + "}}]}}";
}

TEST_CASE("C64: nesting is refused with its limit, wherever it is", "[protocol][decode][limits]") {
  test_client client;
  const std::string json = GENERATE(
      repeated("[", 200'000) + repeated("]", 200'000), repeated("{\"a\":", 100'000) + "1" + repeated("}", 100'000),
      nested_tool(200'000),
      R"({"type":"response.create","response":{"metadata":)" + repeated("{\"a\":", 100'000) + "1" +
          repeated("}", 100'000) + "}}",
      R"({"type":"input_audio_buffer.append","audio":)" + repeated("[", 200'000) + repeated("]", 200'000) + "}");
  const wire_error error = client.refused(json);
  CHECK(error.code == errc::invalid_json);
  CHECK_THAT(error.message, Catch::Contains("nested too deeply") && Catch::Contains("64"));
  (void)client.accepted<input_audio_commit>(R"({"type":"input_audio_buffer.commit"})");
}

TEST_CASE("C59: the event id is echoed where it can be read before the fault", "[protocol][decode][limits]") {
  test_client client;
  const std::string fault = GENERATE(R"("x":1e999)", R"("x":18446744073709551616)", R"("x":tru)");
  const wire_error error = client.refused(R"({"type":"input_audio_buffer.clear","event_id":"e1",)" + fault + "}");
  CHECK(error.code == errc::invalid_json);
  CHECK(error.client_event_id == "e1");
  CHECK_FALSE(client.refused(R"({"type":"input_audio_buffer.clear")").client_event_id);
}

TEST_CASE("C64: nesting that is never closed is refused", "[protocol][decode][limits]") {
  test_client client;
  check_refusal(client, {repeated("[", 200'000), errc::invalid_json, ""});
  check_refusal(client, {repeated("{\"a\":", 100'000), errc::invalid_json, ""});
  check_refusal(client, {repeated("[", 200'000) + "}", errc::invalid_json, ""});
  (void)client.accepted<input_audio_commit>(R"({"type":"input_audio_buffer.commit"})");
}

TEST_CASE("C64: nesting just under the limit is accepted and passed on", "[protocol][decode][limits]") {
  test_client client;
  const auto update = client.accepted<session_update>(nested_tool(max_json_depth));
  REQUIRE(update.patch.tools->size() == 1);
  CHECK_THAT(update.patch.tools->front().definition.text, Catch::Contains(repeated("[", 59) + "1" + repeated("]", 59)));
  CHECK(client.refused(nested_tool(max_json_depth + 1)).code == errc::invalid_json);
}

TEST_CASE("C64: the depth limit holds after the parser has grown", "[protocol][decode][limits]") {
  test_client client;
  const std::string large = R"({"type":"input_audio_buffer.clear","x":")" + std::string(3'000'000, 'x') + "\"}";
  (void)client.accepted<input_audio_clear>(large);
  CHECK(client.refused(nested_tool(max_json_depth + 1)).code == errc::invalid_json);
  (void)client.accepted<session_update>(nested_tool(max_json_depth));
}

TEST_CASE("C64: numbers out of range never reach a setting", "[protocol][decode][limits]") {
  test_client client;
  const std::string head = R"({"type":"session.update","session":{"temperature":)";
  for (const std::string number : {"1e999", "-1e999", "NaN", "Infinity", "1e", "01", "0x10", "1.", ".5", "+1"}) {
    check_refusal(client, {head + number + "}}", errc::invalid_json, ""});
  }
  check_refusal(client, {head + "1e308}}", errc::invalid_value, "session.temperature"});
  check_refusal(client, {head + "18446744073709551615}}", errc::invalid_value, "session.temperature"});
  const auto tiny = client.accepted<session_update>(head + "1e-999}}");
  CHECK(*tiny.patch.temperature == 0.0);
}

TEST_CASE("C64: a key of 5 MB is refused with a short answer", "[protocol][decode][limits]") {
  test_client client;
  const std::string key(5'000'000, 'k');
  const wire_error error = client.refused(R"({"type":"session.update","session":{")" + key + R"(":1}})");
  CHECK(error.code == errc::unknown_parameter);
  CHECK(error.param == "session." + key.substr(0, 64) + "...");
  CHECK(error.message.size() < 200);
  (void)client.accepted<input_audio_commit>("{\"" + key + R"(":1,"type":"input_audio_buffer.commit"})");
}

TEST_CASE("C64: a million members are read or refused once", "[protocol][decode][limits]") {
  test_client client;
  std::string members;
  for (int i = 0; i < 1'000'000; ++i) members += "\"k" + std::to_string(i) + "\":1,";
  const auto append =
      client.accepted<input_audio_append>("{" + members + R"("audio":"AAAA","type":"input_audio_buffer.append"})");
  CHECK(append.audio_base64 == "AAAA");
  members.pop_back();
  check_refusal(client,
                {R"({"type":"session.update","session":{)" + members + "}}", errc::unknown_parameter, "session.k0"});
  check_refusal(client, {R"({"type":"response.create","response":{"metadata":{)" + members + "}}}", errc::invalid_type,
                         "response.metadata.k0"});
}

TEST_CASE("C64: the last of repeated settings counts", "[protocol][decode][limits]") {
  test_client client;
  const auto update = client.accepted<session_update>(
      R"({"type":"session.update","session":{"speed":0.5,"instructions":"a","instructions":"b","speed":1.25}})");
  CHECK(update.patch.instructions == "b");
  CHECK(*update.patch.speed == 1.25);
}

TEST_CASE("C9: an append of 20 MiB of text is still a view", "[protocol][decode][limits]") {
  test_client client;
  const std::string audio(20 * 1024 * 1024, 'A');
  const result<command> read = client.send(R"({"type":"input_audio_buffer.append","audio":")" + audio + "\"}");
  REQUIRE(read.has_value());
  CHECK(std::get<input_audio_append>(read->body).audio_base64 == audio);
}

// ---- F1: what is echoed and is no content has a bound ------------------------------------------------------------

struct bounded_text {
  dialect spoken;
  std::string json;  // with % where the text stands
  std::string param;
  std::size_t longest = 256;
};

std::string with(const std::string& json, const std::string& text) {
  const std::size_t at = json.find('%');
  return json.substr(0, at) + text + json.substr(at + 1);
}

std::string create_item(std::string_view item) {
  return R"({"type":"conversation.item.create","item":)" + std::string{item} + "}";
}

TEST_CASE("F1: names and ids are taken to their bound and refused beyond it, naming it", "[protocol][decode][limits]") {
  const std::string message = R"({"id":"%","type":"message","role":"user","content":[]})";
  const std::string call = R"({"type":"function_call","name":"%","arguments":"{}"})";
  const std::string called = R"({"type":"function_call","call_id":"%","name":"f","arguments":"{}"})";
  const std::string output = R"({"type":"function_call_output","call_id":"%","output":""})";
  const std::string after =
      R"({"type":"conversation.item.create","previous_item_id":"%","item":)" + with(message, "i") + "}";
  const std::string cancel = R"({"type":"response.cancel","response_id":"%"})";
  const std::string retrieve = R"({"type":"conversation.item.retrieve","item_id":"%"})";
  const std::string ack = R"({"type":"playback.ack","played_ms":1,"response_id":"%"})";
  const std::string ack_item = R"({"type":"playback.ack","played_ms":1,"item_id":"%"})";
  const auto update = [](const std::string& session) {
    return R"({"type":"session.update","session":)" + session + "}";
  };
  std::vector<bounded_text> rows{
      {dialect::openai, update(R"({"tool_choice":{"type":"function","name":"%"}})"), "session.tool_choice.name", 64},
      {dialect::openai, update(R"({"tracing":{"workflow_name":"%"}})"), "session.tracing.workflow_name"},
      {dialect::openai, update(R"({"tracing":{"group_id":"%"}})"), "session.tracing.group_id"},
      {dialect::openai, update(R"({"prompt":{"id":"p","version":"%"}})"), "session.prompt.version"},
      {dialect::openai, update(R"({"audio":{"input":{"transcription":{"language":"%"}}}})"),
       "session.audio.input.transcription.language"},
      {dialect::openai, update(R"({"audio":{"input":{"transcription":{"prompt":"%"}}}})"),
       "session.audio.input.transcription.prompt", 64 * 1024},
      {dialect::duplex, R"({"type":"turn.signal","event":"%"})", "event"},
      {dialect::duplex, R"({"type":"output_audio_buffer.clear","response_id":"%"})", "response_id"},
  };
  for (const dialect spoken : {dialect::openai, dialect::duplex}) {
    rows.push_back({spoken, create_item(message), "item.id"});
    rows.push_back({spoken, create_item(call), "item.name"});
    rows.push_back({spoken, create_item(called), "item.call_id"});
    rows.push_back({spoken, create_item(output), "item.call_id"});
    rows.push_back({spoken, after, "previous_item_id"});
    rows.push_back({spoken, cancel, "response_id"});
    rows.push_back({spoken, retrieve, "item_id"});
    rows.push_back({spoken, ack, "response_id"});
    rows.push_back({spoken, ack_item, "item_id"});
  }
  for (const bounded_text& row : rows) {
    CAPTURE(row.json);
    test_client client{row.spoken};
    CHECK(client.send(with(row.json, std::string(row.longest, 'x'))).has_value());
    const wire_error error = client.refused(with(row.json, std::string(row.longest + 1, 'x')));
    CHECK(error.param == row.param);
    CHECK_THAT(error.message, Catch::Contains(std::to_string(row.longest)));
    CHECK(error.message.size() < 200);
    CHECK(client.refused(with(row.json, std::string(1'000'000, 'x'))).message.size() < 200);
  }
}

TEST_CASE("F1: what a trace and a prompt carry is bounded", "[protocol][decode][limits]") {
  test_client client;
  const auto traced = [](std::size_t bytes) {
    return R"({"type":"session.update","session":{"tracing":{"metadata":{"k":")" + std::string(bytes, 'x') + R"("}}}})";
  };
  (void)client.accepted<session_update>(traced(16'000));
  check_refusal(client, {traced(17'000), errc::invalid_value, "session.tracing"});
  const auto prompted = [](std::size_t characters) {
    return R"({"type":"session.update","session":{"prompt":{"id":"p","variables":{")" + std::string(characters, 'x') +
           R"(":"v"}}}})";
  };
  (void)client.accepted<session_update>(prompted(256));
  check_refusal(client, {prompted(257), errc::invalid_value, "session.prompt.variables"});
}

TEST_CASE("F1: an event id is at most 512 bytes in every dialect", "[protocol][decode][limits]") {
  for (const dialect spoken : {dialect::openai, dialect::openai_beta, dialect::duplex}) {
    test_client client{spoken};
    const auto clear = [](std::size_t bytes) {
      return R"({"type":"input_audio_buffer.clear","event_id":")" + std::string(bytes, 'e') + "\"}";
    };
    (void)client.accepted<input_audio_clear>(clear(512));
    const wire_error error = client.refused(clear(513));
    CHECK(error.param == "event_id");
    CHECK_THAT(error.message, Catch::Contains("512"));
    CHECK_FALSE(error.client_event_id);
    CHECK(client.refused(R"({"type":")" + std::string(1'000'000, 't') + "\"}").message.size() < 200);
  }
}

}  // namespace
}  // namespace parley::protocol
