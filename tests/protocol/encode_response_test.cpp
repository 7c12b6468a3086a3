#include "protocol/encode_objects.hpp"
#include "tests/protocol/rendered.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

constexpr dialect ga = dialect::openai;
constexpr dialect beta = dialect::openai_beta;

response_view opened() {
  response_view view{response_id{"resp_1"}, conversation_id{"conv_1"}};
  view.voice = "slt";
  return view;
}

boost::json::value shown(dialect spoken, const response_view& view) {
  return payload(spoken, response_done{view}).at("response");
}

TEST_CASE("encode_response: a GA response that was just opened", "[protocol][encode]") {
  auto view = opened();
  view.metadata = raw_json{R"({"client_event_id":"x"})"};
  CHECK(payload(ga, response_created{view}) == expected(R"({"response":{"id":"resp_1","object":"realtime.response",
      "status":"in_progress","status_details":null,"output":[],"conversation_id":"conv_1",
      "output_modalities":["audio"],"audio":{"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"slt"}},
      "max_output_tokens":"inf","usage":null,"metadata":{"client_event_id":"x"}}})"));
}

TEST_CASE("encode_response: a beta response has flat members", "[protocol][encode]") {
  auto view = opened();
  view.max_output_tokens = 50;
  CHECK(payload(beta, response_created{view}) == expected(R"({"response":{"id":"resp_1","object":"realtime.response",
      "status":"in_progress","status_details":null,"output":[],"conversation_id":"conv_1",
      "modalities":["text","audio"],"voice":"slt","output_audio_format":"pcm16","temperature":0.8,
      "max_output_tokens":50,"usage":null,"metadata":null}})"));
}

TEST_CASE("encode_response: out of band the conversation is null", "[protocol][encode]") {
  auto view = opened();
  view.conversation.reset();
  CHECK(shown(ga, view).at("conversation_id").is_null());
}

TEST_CASE("encode_response: details tell why it did not complete", "[protocol][encode]") {
  auto view = opened();
  const auto details = [&view](dialect spoken, response_status status, status_reason reason) {
    view.status = status;
    view.reason = reason;
    const auto json = shown(spoken, view);
    CHECK((json.at("status_details").is_null() || json.at("status_details").at("type") == json.at("status")));
    return json.at("status_details");
  };
  using enum response_status;
  CHECK(details(ga, completed, status_reason::none).is_null());
  CHECK(details(ga, cancelled, status_reason::turn_detected) ==
        expected(R"({"type":"cancelled","reason":"turn_detected"})"));
  CHECK(details(beta, cancelled, status_reason::client_cancelled) ==
        expected(R"({"type":"cancelled","reason":"client_cancelled"})"));
  CHECK(details(ga, incomplete, status_reason::max_output_tokens) ==
        expected(R"({"type":"incomplete","reason":"max_output_tokens"})"));
  CHECK(details(ga, incomplete, status_reason::content_filter) ==
        expected(R"({"type":"incomplete","reason":"content_filter"})"));
  CHECK(details(ga, cancelled, status_reason::session_closed) == expected(R"({"type":"cancelled"})"));
  CHECK(details(dialect::duplex, cancelled, status_reason::session_closed) ==
        expected(R"({"type":"cancelled","reason":"session_close"})"));
}

TEST_CASE("encode_response: a failure shows its error", "[protocol][encode]") {
  auto view = opened();
  view.status = response_status::failed;
  view.failure = wire_error{error_class::server_error, errc::model_failed, "The model failed.", {}, {}};
  CHECK(shown(ga, view).at("status_details") == expected(R"({"type":"failed",
      "error":{"type":"server_error","code":"model_failed","message":"The model failed."}})"));
}

TEST_CASE("encode_response: usage adds up", "[protocol][encode]") {
  auto view = opened();
  view.usage = token_usage{10, 20, 3, 4};
  CHECK(shown(ga, view).at("usage") == expected(R"({"total_tokens":37,"input_tokens":30,"output_tokens":7,
      "input_token_details":{"text_tokens":10,"audio_tokens":20,"image_tokens":0,"cached_tokens":0,
        "cached_tokens_details":{"text_tokens":0,"audio_tokens":0,"image_tokens":0}},
      "output_token_details":{"text_tokens":3,"audio_tokens":4}})"));
  CHECK(shown(beta, view).at("usage").at("input_token_details") ==
        expected(R"({"text_tokens":10,"audio_tokens":20,"cached_tokens":0})"));
}

TEST_CASE("encode_response: the output holds final items without audio", "[protocol][encode]") {
  auto view = opened();
  item said{item_id{"item_1"}};
  said.role = item_role::assistant;
  said.content = {{part_type::output_audio, "", "Hello", std::make_shared<audio_clip>(audio_clip{{}, {1, 2}})}};
  item call{item_id{"item_2"}, item_type::function_call};
  view.output = {said, call};
  const auto json = shown(ga, view);
  REQUIRE(json.at("output").as_array().size() == 2);
  CHECK(json.at_pointer("/output/0/content") == expected(R"([{"type":"output_audio","transcript":"Hello"}])"));
  CHECK(json.at_pointer("/output/1/type") == "function_call");
}

}  // namespace
}  // namespace parley::protocol
