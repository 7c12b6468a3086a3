// Input made to break a parser: what it costs is bounded by its size, and what it says is an error.
#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>

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

}  // namespace
}  // namespace parley::protocol
