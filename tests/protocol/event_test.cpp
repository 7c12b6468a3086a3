#include "protocol/event.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string_view>

namespace parley::protocol {
namespace {

template <std::size_t... Index>
std::set<std::string_view> all_type_names(std::index_sequence<Index...>) {
  return {type_name(event_body{std::in_place_index<Index>})...};
}

TEST_CASE("event: every event has a wire type of its own", "[protocol][event]") {
  const auto names = all_type_names(std::make_index_sequence<std::variant_size_v<event_body>>{});
  CHECK(names.size() == std::variant_size_v<event_body>);
  CHECK(names.count("") == 0);
}

TEST_CASE("event: types carry the GA names", "[protocol][event]") {
  CHECK(type_name(session_created{}) == "session.created");
  CHECK(type_name(error_event{}) == "error");
  CHECK(type_name(input_committed{}) == "input_audio_buffer.committed");
  CHECK(type_name(item_added{}) == "conversation.item.added");
  CHECK(type_name(transcription_completed{}) == "conversation.item.input_audio_transcription.completed");
  CHECK(type_name(response_done{}) == "response.done");
  CHECK(type_name(content_part_done{}) == "response.content_part.done");
  CHECK(type_name(text_delta{}) == "response.output_text.delta");
  CHECK(type_name(transcript_done{}) == "response.output_audio_transcript.done");
  CHECK(type_name(audio_delta{}) == "response.output_audio.delta");
  CHECK(type_name(arguments_done{}) == "response.function_call_arguments.done");
  CHECK(type_name(playback_acknowledged{}) == "playback.acknowledged");
  CHECK(type_name(rate_limits_updated{}) == "rate_limits.updated");
}

TEST_CASE("event: an event names the response it belongs to", "[protocol][event]") {
  const response_id id{"resp_1"};
  const part_ref at{id, item_id{"item_1"}, 0, 0};
  const event_body bodies[] = {response_created{response_view{id}},    response_done{response_view{id}},
                               output_item_added{id, 0, {}},           content_part_done{at, {}},
                               audio_delta{at, {}, {}, {}, 0},         arguments_done{at, {}, {}, {}},
                               playback_acknowledged{id, {}, 0, false}};
  for (const auto& body : bodies) {
    REQUIRE(response_of(body) != nullptr);
    CHECK(*response_of(body) == id);
  }
}

TEST_CASE("event: events of no response say so", "[protocol][event]") {
  CHECK(response_of(session_created{}) == nullptr);
  CHECK(response_of(error_event{}) == nullptr);
  CHECK(response_of(item_added{}) == nullptr);
  CHECK(response_of(rate_limits_updated{}) == nullptr);
}

}  // namespace
}  // namespace parley::protocol
