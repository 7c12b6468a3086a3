#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace parley::protocol {
namespace {

std::string create(std::string_view response) {
  return R"({"type":"response.create","response":)" + std::string{response} + "}";
}

response_options options_of(std::string_view response) {
  test_client client;
  return client.accepted<response_create>(create(response)).options;
}

TEST_CASE("response.create: without options everything comes from the session", "[protocol][decode][response]") {
  test_client client;
  const std::string json = GENERATE(R"({"type":"response.create"})", R"({"type":"response.create","response":null})",
                                    R"({"type":"response.create","response":{}})");
  const response_options options = client.accepted<response_create>(json).options;
  CHECK_FALSE((options.instructions || options.voice || options.modality || options.output_format || options.tools ||
               options.choice || options.max_output_tokens || options.temperature || options.metadata ||
               options.input));
  CHECK_FALSE(options.out_of_band);
}

TEST_CASE("response.create: GA options are read", "[protocol][decode][response]") {
  const response_options options = options_of(R"({"instructions":"Say yes.","output_modalities":["text"],
    "audio":{"output":{"format":{"type":"audio/pcm","rate":16000},"voice":"v"}},"conversation":"none",
    "tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","name":"f"},"max_output_tokens":20,
    "metadata":{"client_event_id":"abc","topic":"x"},"prompt":{"id":"p"},"reasoning":{},"parallel_tool_calls":false})");
  CHECK(options.instructions == "Say yes.");
  CHECK(options.modality == output_modality::text);
  CHECK(*options.output_format == audio_format{audio_encoding::pcm16, 16000});
  CHECK(options.voice == "v");
  CHECK(options.out_of_band);
  CHECK(options.tools->front().name == "f");
  CHECK(options.choice->function == "f");
  CHECK(**options.max_output_tokens == 20);
  CHECK(options.metadata->text == R"({"client_event_id":"abc","topic":"x"})");
}

TEST_CASE("response.create: beta options are read", "[protocol][decode][response]") {
  const response_options options = options_of(R"({"modalities":["audio","text"],"voice":"alloy",
    "output_audio_format":"g711_ulaw","temperature":0.6,"max_response_output_tokens":"inf","conversation":"auto"})");
  CHECK(options.modality == output_modality::audio);
  CHECK(options.voice == "alloy");
  CHECK(*options.output_format == audio_format{audio_encoding::g711_ulaw, 8000});
  CHECK(*options.temperature == 0.6);
  REQUIRE(options.max_output_tokens.has_value());
  CHECK_FALSE(options.max_output_tokens->has_value());
  CHECK_FALSE(options.out_of_band);
}

TEST_CASE("F16: max_output_tokens of a response is 1 to 4096 or inf", "[protocol][decode][response]") {
  const auto [spoken, name] = GENERATE(std::pair{dialect::openai, "max_output_tokens"},
                                       std::pair{dialect::openai_beta, "max_response_output_tokens"},
                                       std::pair{dialect::duplex, "max_output_tokens"});
  test_client client{spoken};
  const auto asking = [named = name](std::string_view value) {
    return create(R"({")" + std::string{named} + R"(":)" + std::string{value} + "}");
  };
  CHECK(**client.accepted<response_create>(asking("4096")).options.max_output_tokens == 4096);
  CHECK_FALSE(client.accepted<response_create>(asking("\"inf\"")).options.max_output_tokens->has_value());
  for (const char* wrong : {"4097", "0", "\"4096\"", "0.5"}) {
    CAPTURE(wrong);
    const wire_error error = client.refused(asking(wrong));
    CHECK(error.code == (spoken == dialect::duplex ? errc::bad_event : errc::invalid_value));
    CHECK(error.param == "response." + std::string{name});
  }
}

TEST_CASE("response.create: null options count as absent", "[protocol][decode][response]") {
  const response_options options = options_of(
      R"({"instructions":null,"metadata":null,"input":null,"conversation":null,"tools":null,"tool_choice":null,
          "voice":null,"output_modalities":null,"temperature":null,"prompt":null})");
  CHECK_FALSE((options.instructions || options.metadata || options.input || options.tools || options.choice ||
               options.voice || options.modality || options.temperature));
}

TEST_CASE("response.create: the input holds items and references", "[protocol][decode][response]") {
  const response_options options = options_of(R"({"input":[{"type":"item_reference","id":"item_1"},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"Say yes."}]}]})");
  REQUIRE(options.input->size() == 2);
  CHECK((*options.input)[0].reference);
  CHECK((*options.input)[0].value.id.value == "item_1");
  CHECK_FALSE((*options.input)[1].reference);
  CHECK((*options.input)[1].value.content.front().text == "Say yes.");
  CHECK(options_of(R"({"input":[]})").input->empty());
}

TEST_CASE("response.create: metadata is bounded in pairs, keys and values", "[protocol][decode][response]") {
  const auto pairs = [](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":\"v\"";
    return R"({"metadata":{)" + all + "}}";
  };
  (void)options_of(pairs(16));
  std::string wide;
  for (int i = 0; i < 512; ++i) wide += "\u00e4";  // characters, not bytes, are counted
  (void)options_of(R"({"metadata":{")" + std::string(64, 'k') + R"(":")" + wide + R"("}})");
  CHECK(options_of(R"({"metadata":{}})").metadata->text == "{}");

  test_client client;
  check_refusal(client, {create(pairs(17)), errc::invalid_value, "response.metadata"});
  check_refusal(client, {create(R"({"metadata":{")" + std::string(65, 'k') + R"(":""}})"), errc::invalid_value,
                         "response.metadata"});
  check_refusal(client,
                {create(R"({"metadata":{"k":")" + wide + R"(x"}})"), errc::invalid_value, "response.metadata.k"});
  check_refusal(client, {create(R"({"metadata":{"k":1}})"), errc::invalid_type, "response.metadata.k"});
  check_refusal(client, {create(R"({"metadata":[]})"), errc::invalid_type, "response.metadata"});
}

TEST_CASE("response.create: unknown and wrong options are refused with their path", "[protocol][decode][response]") {
  test_client client;
  const refusal row = GENERATE(
      refusal{"[]", errc::invalid_type, "response"}, refusal{R"({"foo":1})", errc::unknown_parameter, "response.foo"},
      refusal{R"({"audio":{"input":{}}})", errc::unknown_parameter, "response.audio.input"},
      refusal{R"({"audio":{"output":{"speed":1}}})", errc::unknown_parameter, "response.audio.output.speed"},
      refusal{R"({"conversation":"new"})", errc::invalid_value, "response.conversation"},
      refusal{R"({"output_modalities":[]})", errc::invalid_value, "response.output_modalities"},
      refusal{R"({"max_output_tokens":-1})", errc::invalid_value, "response.max_output_tokens"},
      refusal{R"({"temperature":3})", errc::invalid_value, "response.temperature"},
      refusal{R"({"tools":[{"name":"a"},{"name":"a"}]})", errc::invalid_value, "response.tools[1].name"},
      refusal{R"({"parallel_tool_calls":1})", errc::invalid_type, "response.parallel_tool_calls"},
      refusal{R"({"prompt":"p"})", errc::invalid_type, "response.prompt"},
      refusal{R"({"input":{}})", errc::invalid_type, "response.input"},
      refusal{R"({"input":[{"type":"item_reference"}]})", errc::missing_required_parameter, "response.input[0].id"},
      refusal{R"({"input":[{"type":"message","role":"user","content":[{"type":"input_text"}]}]})",
              errc::missing_required_parameter, "response.input[0].content[0].text"});
  check_refusal(client, {create(row.json), row.code, row.param});
}

}  // namespace
}  // namespace parley::protocol
