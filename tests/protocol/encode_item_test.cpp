#include "protocol/encode_objects.hpp"
#include "tests/protocol/rendered.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace parley::protocol {
namespace {

constexpr dialect ga = dialect::openai;
constexpr dialect beta = dialect::openai_beta;

item message(item_role role, item_status status, std::vector<content_part> content) {
  item out{item_id{"item_1"}};
  out.role = role;
  out.status = status;
  out.content = std::move(content);
  return out;
}

content_part part(part_type type, std::string text, std::optional<std::string> transcript = {}) {
  return {type, std::move(text), std::move(transcript), {}};
}

boost::json::value shown(dialect spoken, const item& value) {
  return payload(spoken, item_added{value, {}}).at("item");
}

TEST_CASE("encode_item: an assistant's message in progress has an empty content", "[protocol][encode]") {
  CHECK(shown(ga, message(item_role::assistant, item_status::in_progress, {})) ==
        expected(R"({"id":"item_1","object":"realtime.item","type":"message","status":"in_progress",
                     "role":"assistant","content":[]})"));
}

TEST_CASE("encode_item: content names of GA and beta", "[protocol][encode]") {
  const auto value = message(item_role::assistant, item_status::completed,
                             {part(part_type::output_text, "Hi"), part(part_type::output_audio, "", "Hello")});
  CHECK(shown(ga, value).at("content") ==
        expected(R"([{"type":"output_text","text":"Hi"},{"type":"output_audio","transcript":"Hello"}])"));
  CHECK(shown(beta, value).at("content") ==
        expected(R"([{"type":"text","text":"Hi"},{"type":"audio","transcript":"Hello"}])"));
}

TEST_CASE("encode_item: input audio has a transcript even when it is null", "[protocol][encode]") {
  const auto value = message(item_role::user, item_status::completed,
                             {part(part_type::input_audio, ""), part(part_type::input_audio, "", "Hey")});
  CHECK(shown(ga, value).at("content") ==
        expected(R"([{"type":"input_audio","transcript":null},{"type":"input_audio","transcript":"Hey"}])"));
}

TEST_CASE("encode_item: input text and image", "[protocol][encode]") {
  const auto value =
      message(item_role::user, item_status::incomplete,
              {part(part_type::input_text, "Look"), part(part_type::input_image, "data:image/png;base64,AA")});
  const auto json = shown(ga, value);
  CHECK(json.at("status") == "incomplete");
  CHECK(json.at("content") == expected(R"([{"type":"input_text","text":"Look"},
                                           {"type":"input_image","image_url":"data:image/png;base64,AA"}])"));
}

TEST_CASE("encode_item: a function call and its output", "[protocol][encode]") {
  item call{item_id{"item_2"}, item_type::function_call};
  call.status = item_status::in_progress;
  call.name = "look_up";
  call.call = call_id{"call_1"};
  CHECK(shown(ga, call) == expected(R"({"id":"item_2","object":"realtime.item","type":"function_call",
      "status":"in_progress","name":"look_up","call_id":"call_1","arguments":""})"));
  item output{item_id{"item_3"}, item_type::function_call_output};
  output.call = call_id{"call_1"};
  output.output = R"({"ok":true})";
  CHECK(shown(beta, output) == expected(R"({"id":"item_3","object":"realtime.item","type":"function_call_output",
      "status":"completed","call_id":"call_1","output":"{\"ok\":true}"})"));
}

TEST_CASE("encode_item: items of the conversation name their predecessor or null", "[protocol][encode]") {
  const auto value = message(item_role::system, item_status::completed, {});
  CHECK(payload(ga, item_added{value, {}}).at("previous_item_id").is_null());
  CHECK(payload(ga, item_done{value, item_id{"item_0"}}).at("previous_item_id") == "item_0");
  CHECK(payload(ga, item_done{value, {}}).at("item").at("role") == "system");
}

TEST_CASE("encode_item: items of a response name response and index", "[protocol][encode]") {
  const auto value = message(item_role::assistant, item_status::completed, {});
  for (const event_body& body : {event_body{output_item_added{response_id{"r"}, 1, value}},
                                 event_body{output_item_done{response_id{"r"}, 1, value}}}) {
    const auto json = payload(ga, body);
    CHECK(json.at("response_id") == "r");
    CHECK(json.at("output_index") == 1);
    CHECK(json.at("item").at("id") == "item_1");
    CHECK_FALSE(json.as_object().contains("previous_item_id"));
  }
}

TEST_CASE("encode_item: only a retrieved item holds its audio, in the format of the clip", "[protocol][encode]") {
  auto pcm = part(part_type::input_audio, "", "Hey");
  pcm.audio = std::make_shared<audio_clip>(audio_clip{{}, {1, -1, 32767}});
  auto ulaw = part(part_type::output_audio, "", "Hi");
  ulaw.audio = std::make_shared<audio_clip>(audio_clip{{audio_encoding::g711_ulaw, 8000}, {-32124, 32124, 0}});
  const auto value = message(item_role::user, item_status::completed, {pcm, ulaw, part(part_type::input_audio, "")});
  CHECK(payload(ga, item_retrieved{value}).at("item").at("content") ==
        expected(R"([{"type":"input_audio","transcript":"Hey","audio":"AQD///9/"},
                     {"type":"output_audio","transcript":"Hi","audio":"AID/"},{"type":"input_audio","transcript":null}])"));
  const auto added = shown(ga, value);
  for (const auto& each : added.at("content").as_array()) CHECK_FALSE(each.as_object().contains("audio"));
}

TEST_CASE("encode_item: parts of content_part events are text or audio in both dialects", "[protocol][encode]") {
  const part_ref at{response_id{"r"}, item_id{"i"}, 0, 1};
  for (const auto spoken : {ga, beta}) {
    CHECK(payload(spoken, content_part_added{at, part(part_type::output_audio, "")}) ==
          expected(R"({"response_id":"r","item_id":"i","output_index":0,"content_index":1,
                       "part":{"type":"audio","transcript":""}})"));
    CHECK(payload(spoken, content_part_done{at, part(part_type::output_text, "Hi")}).at("part") ==
          expected(R"({"type":"text","text":"Hi"})"));
  }
}

}  // namespace
}  // namespace parley::protocol
