#include "protocol/base64.hpp"
#include "tests/protocol/rendered.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace parley::protocol {
namespace {

constexpr dialect duplex = dialect::duplex;
const session_id session{"duplex-1"};
const part_ref place{response_id{"resp_1"}, item_id{"item_resp_1"}, 0, 1};
constexpr const char* playback = R"({"generated_ms":4,"sent_ms":3,"played_ms":2,"committed_ms":1})";
constexpr playback_counters counters{4, 3, 2, 1};

session_view view_of(session_settings settings) {
  return {.id = session,
          .settings = std::make_shared<const session_settings>(std::move(settings)),
          .duplex = duplex_view{.capabilities = {.implementation_level = "full", .takes_video = true}}};
}

session_view plain_view() {
  session_settings settings;
  settings.detection.reset();
  settings.input_format.rate_hz = 16000;
  settings.playback = playback_policy::ack_only;
  return view_of(settings);
}

response_view response_of_epoch_2() {
  return {.id = response_id{"resp_1"},
          .metadata = raw_json{R"({"mine":"x"})"},
          .duplex = duplex_response{.session = session, .epoch = {2}, .turn_id = 5, .playback = counters}};
}

// ---- session ----------------------------------------------------------------------------------------------------

TEST_CASE("encode_duplex: session.created shows how to come back only where one can", "[protocol][encode]") {
  const auto plain = payload(duplex, session_created{plain_view()});
  CHECK(plain.as_object().size() == 1);
  const auto resumable = payload(duplex, session_created{plain_view(), attachment{1, "token"}});
  CHECK(resumable.as_object().size() == 3);
  CHECK(resumable.at("attachment_generation") == 1);
  CHECK(resumable.at("resume_token") == "token");
  CHECK(payload(duplex, session_updated{plain_view()}).at("session") == resumable.at("session"));
  CHECK(payload(dialect::openai, session_created{plain_view(), attachment{}}).as_object().size() == 1);
}

TEST_CASE("encode_duplex: the session object", "[protocol][encode]") {
  const auto shown = payload(duplex, session_updated{plain_view()}).at("session");
  const auto want = expected(R"({"object":"realtime.session","type":"realtime","id":"duplex-1",
      "model":null,"state":"open","turn_state":"idle","epoch":0,"turn_id":0,"active_request_id":null,
      "active_response_id":null,"active_response_turn_id":null,"modalities":["text","audio"],
      "output_modalities":["text","audio"],"instructions":"","voice":"default","response_format":"pcm16",
      "input_audio_format":"pcm16","output_audio_format":"pcm16",
      "audio":{"input":{"format":{"type":"audio/pcm","rate":16000},"sample_rate_hz":16000},
               "output":{"format":{"type":"audio/pcm","rate":24000},"sample_rate_hz":24000}},
      "temperature":8E-1,"max_tokens":null,"speed":1E0,"tools":[],"tool_choice":"auto",
      "input_audio_transcription":null,"input_audio_noise_reduction":null,"tracing":null,
      "idle_timeout_s":300,"overlap_policy":"listen_only","overlap_short_ack_ms":700,"overlap_barge_in_ms":1200,
      "overlap_silence_rms":3E-3,"playback_commit_policy":"ack_only","turn_detection":null,
      "playback":{"generated_ms":0,"sent_ms":0,"played_ms":0,"committed_ms":0}})");
  for (const auto& [name, value] : want.as_object()) {
    INFO(std::string{name});
    const auto* found = shown.as_object().if_contains(name);
    REQUIRE(found != nullptr);
    if (value.is_double()) {
      CHECK(found->to_number<double>() == value.as_double());
    } else {
      CHECK(*found == value);
    }
  }
  CHECK(shown.at("capabilities") == expected(R"({"implementation_level":"full","supports_input_append":true,
      "supports_barge_in":true,"supports_session_resume":true,"supports_session_lease":true,
      "supports_multi_session":true,"session_admission_mode":"engine_managed","chunk_period_ms":1000,
      "input_modes":["append_audio_chunk","append_video_frames"],
      "signal_sources":["model_native","client_event","server_policy"],"required_input_modalities":["audio"],
      "optional_input_modalities":["video","text"],"supports_audio_truncate":true,"supports_image_input":false})"));
}

TEST_CASE("encode_duplex: the session object follows the session", "[protocol][encode]") {
  session_settings settings;
  settings.model = "talker";
  settings.modality = output_modality::text;
  settings.input_format = {audio_encoding::pcm_f32, 48000};
  settings.output_format = {audio_encoding::wav, 24000};
  settings.max_output_tokens = 7;
  settings.duplex.overlap = overlap_policy::barge_in_on_speech;
  settings.duplex.idle_timeout_s.reset();
  session_view view = view_of(settings);
  view.duplex->turn_state = turn_state::assistant_playing;
  view.duplex->epoch = {3};
  view.duplex->turn_id = 4;
  view.duplex->active_response = response_id{"resp_9"};
  view.duplex->capabilities.video_required = true;
  view.duplex->capabilities.takes_text_appends = true;
  const auto shown = payload(duplex, session_updated{view}).at("session");
  CHECK(shown.at("model") == "talker");
  CHECK(shown.at("modalities") == expected(R"(["text"])"));
  CHECK(shown.at("input_audio_format") == "pcm_f32le");
  CHECK(shown.at("output_audio_format") == "wav");
  CHECK(shown.at("audio").at("output").at("format") == expected(R"({"type":"audio/wav","rate":24000})"));
  CHECK(shown.at("max_tokens") == 7);
  CHECK(shown.at("idle_timeout_s").is_null());
  CHECK(shown.at("turn_state") == "assistant_playing");
  CHECK(shown.at("capabilities").at("input_modes") ==
        expected(R"(["append_audio_chunk","append_video_frames","append_text"])"));
  CHECK(shown.at("epoch") == 3);
  CHECK(shown.at("active_response_id") == "resp_9");
  CHECK(shown.at("active_response_turn_id") == 4);
  CHECK(shown.at("overlap_policy") == "barge_in_on_speech");
  CHECK(shown.at("turn_detection").at("min_speech_ms") == 96);
  CHECK(shown.at("turn_detection").at("interrupt_response") == true);
  CHECK(shown.at("capabilities").at("required_input_modalities") == expected(R"(["audio","video"])"));
}

TEST_CASE("encode_duplex: events about the connection of a session", "[protocol][encode]") {
  const auto resumed = payload(duplex, session_resumed{plain_view(), attachment{2, "next"}});
  CHECK(resumed.at("session_id") == "duplex-1");
  CHECK(resumed.at("attachment_generation") == 2);
  CHECK(resumed.at("resume_token") == "next");
  CHECK(resumed.at("session").at("id") == "duplex-1");
  CHECK(resumed.as_object().size() == 4);
  CHECK(payload(duplex, session_replaced{session, 3}) ==
        expected(R"({"session_id":"duplex-1","attachment_generation":3})"));
  CHECK(payload(duplex, resync_required{session, "journal_gap"}) ==
        expected(R"({"session_id":"duplex-1","reason":"journal_gap"})"));
  CHECK(payload(duplex, heartbeat_ack{session}) == expected(R"({"session_id":"duplex-1"})"));
  CHECK(type_of(duplex, resync_required{}) == "session.resync_required");
}

TEST_CASE("encode_duplex: an error has only the members that apply", "[protocol][encode]") {
  wire_error error{error_class::invalid_request_error, errc::response_cancel_not_active, "Nothing runs.", {}, {}};
  CHECK(
      payload(duplex, error_event{error}) ==
      expected(R"({"error":{"type":"invalid_request_error","code":"response_not_active","message":"Nothing runs."}})"));
  error.code = errc::input_backpressure;
  error.param = "audio";
  error.client_event_id = "mine";
  error.retryable = true;
  CHECK(payload(duplex, error_event{error}) ==
        expected(R"({"error":{"type":"rate_limit_error","code":"input_backpressure","message":"Nothing runs.",
                     "param":"audio","event_id":"mine","retryable":true}})"));
}

// ---- input and items --------------------------------------------------------------------------------------------

TEST_CASE("encode_duplex: a commit carries its internal event", "[protocol][encode]") {
  commit_facts facts{.session = session, .turn_id = 1, .epoch = {2}, .history_len = 3, .message = "hello"};
  CHECK(payload(duplex, input_committed{item_id{"item_2"}, item_id{"item_1"}, facts}) ==
        expected(R"({"previous_item_id":"item_1","item_id":"item_2","event":{"type":"input.committed",
            "session_id":"duplex-1","turn_id":1,"epoch":2,"history_len":3,"message":{"role":"user","content":"hello"},
            "realtime_item_id":"item_2","final":true}})"));
  facts.empty = facts.overlap_ack = facts.no_response = true;
  facts.is_speech = false;
  auto event = payload(duplex, input_committed{item_id{"item_2"}, {}, facts}).at("event");
  for (const char* flag : {"empty", "overlap_ack", "no_response"}) CHECK(event.at(flag) == true);
  CHECK(event.at("is_speech") == false);
  facts = {.session = session, .overlap_deferred = true};
  event = payload(duplex, input_committed{item_id{"item_2"}, {}, facts}).at("event");
  CHECK(event.at("overlap_deferred") == true);
  CHECK(event.at("response_create_deferred") == false);
  CHECK_FALSE(event.as_object().contains("empty"));
}

TEST_CASE("F19: a commit that no item came of names none", "[protocol][encode]") {
  commit_facts facts{.session = session, .empty = true, .is_speech = false, .no_response = true};
  const auto told = payload(duplex, input_committed{{}, item_id{"item_1"}, facts});
  CHECK_FALSE(told.as_object().contains("item_id"));
  CHECK_FALSE(told.at("event").as_object().contains("realtime_item_id"));
  CHECK(told.at("previous_item_id") == "item_1");
  CHECK(told.at("event").at("empty") == true);
}

TEST_CASE("encode_duplex: items show their parts, not what they weigh", "[protocol][encode]") {
  item value{.id = item_id{"item_1"}, .status = item_status::incomplete};
  value.content = {{.type = part_type::input_text, .text = "Look."},
                   {.type = part_type::input_image, .text = "data:image/png;base64,AAAA", .detail = "low"},
                   {.type = part_type::input_audio,
                    .transcript = "hi",
                    .audio = std::make_shared<audio_clip>(audio_clip{{}, std::vector<std::int16_t>(100)})}};
  const auto shown = expected(R"({"id":"item_1","object":"realtime.item","type":"message","status":"cancelled",
      "role":"user","content":[{"type":"input_text","text":"Look."},{"type":"input_image","detail":"low"},
                               {"type":"input_audio","transcript":"hi"}]})");
  CHECK(payload(duplex, item_retrieved{value}).at("item") == shown);
  for (const event_body& body :
       {event_body{item_added{value, item_id{"item_0"}}}, event_body{item_created{value, item_id{"item_0"}}},
        event_body{item_done{value, item_id{"item_0"}}}}) {
    CHECK(payload(duplex, body).at("item") == shown);
    CHECK(payload(duplex, body).at("previous_item_id") == "item_0");
  }
  CHECK(type_of(duplex, item_added{}) == "conversation.item.added");
  CHECK(type_of(duplex, item_created{}) == "conversation.item.created");
}

TEST_CASE("encode_duplex: deleted and truncated items carry their internal event", "[protocol][encode]") {
  CHECK(payload(duplex, item_deleted{item_id{"a"}, session}) ==
        expected(
            R"({"item_id":"a","event":{"type":"conversation.item.deleted","session_id":"duplex-1","item_id":"a"}})"));
  CHECK(payload(duplex, item_truncated{item_id{"a"}, 1, 1500, session}) ==
        expected(R"({"item_id":"a","content_index":1,"audio_end_ms":1500,"event":{"type":"conversation.item.truncated",
            "session_id":"duplex-1","item_id":"a","content_index":1,"audio_end_ms":1500}})"));
}

// ---- responses --------------------------------------------------------------------------------------------------

TEST_CASE("encode_duplex: response.created names the response and its internal event", "[protocol][encode]") {
  CHECK(payload(duplex, response_created{response_of_epoch_2()}) ==
        expected(R"({"response_id":"resp_1","response":{"id":"resp_1","object":"realtime.response",
            "status":"in_progress","status_details":null,"output":[],"modalities":["text","audio"],
            "output_modalities":["text","audio"],"metadata":{"mine":"x","duplex_event":{"type":"response.created",
              "session_id":"duplex-1","response_id":"resp_1","epoch":2,"turn_id":5}}}})"));
}

TEST_CASE("encode_duplex: response.done reports how it ended and what was heard", "[protocol][encode]") {
  response_view response = response_of_epoch_2();
  response.status = response_status::completed;
  response.duplex->committed = true;
  const auto common = R"({"mine":"x","type":"response.done","session_id":"duplex-1","response_id":"resp_1","epoch":2,
                          "turn_id":5,"committed":true,"playback":)" +
                      std::string{playback};
  const auto done = payload(duplex, response_done{response});
  CHECK(done.at("response_id") == "resp_1");
  CHECK(done.at("response").at("status_details").is_null());
  CHECK(done.at("response").at("metadata") == expected(common + "}"));

  response.reason = status_reason::model_listen;
  CHECK(payload(duplex, response_done{response}).at("response").at("status_details") ==
        expected(R"({"type":"completed","reason":"model_listen"})"));

  response.status = response_status::cancelled;
  response.duplex->cancelled_epoch = epoch{1};
  const auto cancelled = payload(duplex, response_done{response}).at("response");
  CHECK(cancelled.at("metadata") == expected(common + R"(,"cancelled_epoch":1,"committed_ms":1})"));
}

TEST_CASE("encode_duplex: the reasons of an end", "[protocol][encode]") {
  response_view response{.id = response_id{"resp_1"}, .status = response_status::cancelled};
  const auto details = [&] { return payload(duplex, response_done{response}).at("response").at("status_details"); };
  const std::pair<status_reason, const char*> reasons[] = {
      {status_reason::turn_detected, "turn_detected"},
      {status_reason::client_cancelled, "client_cancelled"},
      {status_reason::session_closed, "session_close"},
      {status_reason::barge_in, "barge_in"},
      {status_reason::input_cancel, "input_cancel"},
      {status_reason::output_audio_buffer_clear, "output_audio_buffer_clear"},
  };
  for (const auto& [reason, name] : reasons) {
    response.reason = reason;
    CHECK(details() == expected(R"({"type":"cancelled","reason":")" + std::string{name} + "\"}"));
  }
  response.status = response_status::failed;
  response.reason = status_reason::none;
  response.failure = wire_error{.code = errc::runtime_append_failed, .message = "It broke."};
  CHECK(details() == expected(R"({"type":"failed","reason":"runtime_append_failed",
      "error":{"type":"server_error","code":"runtime_append_failed","message":"It broke."}})"));
}

TEST_CASE("encode_duplex: a response that met a limit ended completed, with the limit as reason",
          "[protocol][encode]") {
  const response_view response{
      .id = response_id{"resp_1"}, .status = response_status::incomplete, .reason = status_reason::max_output_tokens};
  const auto shown = payload(duplex, response_done{response}).at("response");
  CHECK(shown.at("status") == "completed");
  CHECK(shown.at("status_details") == expected(R"({"type":"completed","reason":"max_output_tokens"})"));
}

TEST_CASE("encode_duplex: an audio delta has its facts behind the payload", "[protocol][encode]") {
  const audio_delta delta{place,
                          {2},
                          {audio_encoding::pcm16, 24000},
                          {1, -1, 32767},
                          0,
                          delta_facts{.session = session,
                                      .end_of_turn = true,
                                      .audio_duration_ms = 90,
                                      .marks = {{3, 40}, {7, 90}},
                                      .playback = counters}};
  CHECK(rendered_text(duplex, delta)
            .starts_with(
                R"({"type":"response.output_audio.delta","event_id":"event_1","response_id":"resp_1",)"
                R"("item_id":"item_resp_1","output_index":0,"content_index":1,"delta":"AQD///9/","format":"pcm16",)"
                R"("sample_rate_hz":24000,"metadata":)"));
  CHECK(payload(duplex, delta).at("metadata") ==
        expected(R"({"session_id":"duplex-1","epoch":2,"model_speak":true,"end_of_turn":true,"audio_duration_ms":90,
            "audio_text_marks":[{"text_chars":3,"audio_end_ms":40},{"text_chars":7,"audio_end_ms":90}],"playback":)" +
                 std::string{playback} + "}"));
}

TEST_CASE("encode_duplex: formats of deltas by their names", "[protocol][encode]") {
  const auto shown = [](audio_encoding encoding, int rate_hz) {
    return payload(duplex, audio_delta{place, {}, {encoding, rate_hz}, {0, 1}, 0});
  };
  CHECK(shown(audio_encoding::g711_ulaw, 8000).at("format") == "g711_ulaw");
  CHECK(shown(audio_encoding::g711_alaw, 8000).at("format") == "g711_alaw");
  CHECK(shown(audio_encoding::g711_alaw, 8000).at("sample_rate_hz") == 8000);
  CHECK(shown(audio_encoding::wav, 24000).at("format") == "wav");
}

TEST_CASE("encode_duplex: every delta of wav is a whole file", "[protocol][encode]") {
  const auto text = payload(duplex, audio_delta{place, {}, {audio_encoding::wav, 24000}, {1, -2, 3}, 0}).at("delta");
  std::vector<std::uint8_t> file(base64_decoded_bound(text.as_string().size()));
  file.resize(*base64_decode(text.as_string(), file.data()));
  const std::vector<std::uint8_t> want = {
      'R',  'I', 'F', 'F',  42,   0, 0, 0, 'W', 'A', 'V', 'E', 'f', 'm', 't', ' ', 16, 0, 0, 0, 1, 0,    1,    0, 0xc0,
      0x5d, 0,   0,   0x80, 0xbb, 0, 0, 2, 0,   16,  0,   'd', 'a', 't', 'a', 6,   0,  0, 0, 1, 0, 0xfe, 0xff, 3, 0};
  CHECK(file == want);
}

TEST_CASE("encode_duplex: what the model decided", "[protocol][encode]") {
  CHECK(payload(duplex, response_speak{place, session, {2}}) ==
        expected(R"({"response_id":"resp_1","item_id":"item_resp_1","output_index":0,"content_index":1,
            "metadata":{"session_id":"duplex-1","epoch":2,"model_speak":true}})"));
  CHECK(payload(duplex, response_listen{.session = session, .epoch = {2}}) ==
        expected(R"({"session_id":"duplex-1","epoch":2,"response":{"object":"realtime.response","status":"listening",
            "metadata":{"type":"response.listen","session_id":"duplex-1","epoch":2,"reason":"model_listen",
                        "model_listen":true}}})"));
  const auto ended = payload(duplex, response_listen{.session = session,
                                                     .listened = response_id{"resp_1"},
                                                     .reason = "x",
                                                     .model_listen = false,
                                                     .buffering = true});
  CHECK(ended.at("response_id") == "resp_1");
  CHECK(ended.at("response").at("id") == "resp_1");
  CHECK(ended.at("response").at("metadata").at("model_listen") == false);
  CHECK(ended.at("response").at("metadata").at("buffering") == true);
}

TEST_CASE("encode_duplex: overlap, playback, turns and clears", "[protocol][encode]") {
  CHECK(payload(duplex, overlap_decision{session,
                                         {2},
                                         overlap_policy::by_length,
                                         overlap_action::barge_in,
                                         "long_overlap_speech",
                                         100,
                                         1300,
                                         true,
                                         false,
                                         false}) ==
        expected(R"({"session_id":"duplex-1","epoch":2,"policy":"by_length","action":"barge_in",
            "reason":"long_overlap_speech","metadata":{"duration_ms":100,"overlap_speech_ms":1300,"buffer_audio":true,
            "defer_runtime_append":false,"force_listen":false}})"));
  CHECK(payload(duplex,
                playback_acknowledged{place.response, place.item, 700, true, session, {2}, 600, true, counters}) ==
        expected(R"({"event":{"type":"playback.acknowledged","session_id":"duplex-1","epoch":2,"response_id":"resp_1",
            "item_id":"item_resp_1","played_ms":700,"committed_ms":600,"truncate":true,"history_committed":true,
            "playback":)" +
                 std::string{playback} + "}}"));
  CHECK(payload(duplex, turn_event{session, "look", turn_state::user_speaking, {2}}) ==
        expected(R"({"session_id":"duplex-1","event":"look","turn_state":"user_speaking","epoch":2})"));
  CHECK(payload(duplex, output_cleared{}) == expected("{}"));
  CHECK(payload(duplex, output_cleared{response_id{"resp_1"}}) == expected(R"({"response_id":"resp_1"})"));
  CHECK(payload(duplex, nameless_call_done{{}, "", "{"}) ==
        expected(R"({"event":{"type":"function_call.done","call_id":null,"name":null,"arguments":"{"}})"));
  CHECK(payload(duplex, rate_limits_updated{{rate_limit{}}}) == expected(R"({"rate_limits":[]})"));
}

TEST_CASE("encode_duplex: parts of a response have the GA form", "[protocol][encode]") {
  CHECK(payload(duplex, content_part_added{place, {.type = part_type::output_audio}}).at("part") ==
        expected(R"({"type":"audio","transcript":""})"));
  CHECK(payload(duplex, content_part_done{place, {.type = part_type::output_text, .text = "Hi"}}).at("part") ==
        expected(R"({"type":"text","text":"Hi"})"));
}

}  // namespace
}  // namespace parley::protocol
