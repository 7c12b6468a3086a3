#include "tests/protocol/decode_support.hpp"
#include "tests/protocol/pictures.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

test_client duplex_client() { return test_client{dialect::duplex}; }

std::string event(std::string_view type, std::string_view more = "") {
  return R"({"type":")" + std::string{type} + "\"" + std::string{more} + "}";
}

std::string item_event(std::string_view item) {
  return event("conversation.item.create", R"(,"item":)" + std::string{item});
}

std::string user_part(std::string_view part) {
  return item_event(R"({"role":"user","content":[)" + std::string{part} + "]}");
}

void check_code(std::string_view json, errc code) {
  INFO(json.substr(0, 300));
  auto client = duplex_client();
  const wire_error error = client.refused(json);
  CHECK(wire_name(error.code) == wire_name(code));
  CHECK_FALSE(error.message.empty());
}

// ---- what is no event -------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: what is no event, and how it is refused", "[protocol][decode]") {
  for (const char* json : {R"({"type":)", "nonsense", "", "{}{}"}) check_code(json, errc::invalid_json);
  for (const char* json : {"[]", "null", "17", R"("session.heartbeat")", "{}", R"({"type":7})", R"({"type":null})"}) {
    check_code(json, errc::bad_event);
  }
  for (const char* type : {"", "session.destroy", "push_chunk", "input.audio.append", "transcription_session.update"}) {
    check_code(event(type), errc::unknown_event);
  }
  check_code(event("input_video_buffer.append"), errc::unsupported);
  auto client = duplex_client();
  CHECK(client.refused(R"({"type":"nonsense","event_id":"mine"})").client_event_id == "mine");
}

TEST_CASE("decode_duplex: its events are unknown to the openai dialect", "[protocol][decode]") {
  for (const char* type : {"session.heartbeat", "barge_in", "input.commit", "turn.signal", "push_text"}) {
    test_client client{dialect::openai};
    CHECK(client.refused(event(type)).code == errc::invalid_value);
  }
}

TEST_CASE("decode_duplex: unknown members are ignored everywhere", "[protocol][decode]") {
  auto client = duplex_client();
  CHECK(client
            .accepted<session_update>(event("session.update", R"(,"x":1,"session":{"x":{},"session_id":"a","id":"b",
      "tools":[{"type":"function","name":"f","x":1}],"audio":{"x":1,"input":{"x":2}},"turn_detection":null,
      "input_audio_transcription":{"model":"m","x":1}})"))
            .patch.tools->size() == 1);
  CHECK(
      client.accepted<response_create>(event("response.create", R"(,"response":{"x":1,"voice":"v"})")).options.voice ==
      "v");
  (void)client.accepted<input_audio_append>(event("input_audio_buffer.append", R"(,"audio":"AAAA","x":{"y":[1]})"));
}

// ---- session ----------------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: the life of a session", "[protocol][decode]") {
  auto client = duplex_client();
  (void)client.accepted<session_heartbeat>(event("session.heartbeat"));
  for (const char* type : {"session.close", "close", "close_session"}) {
    CHECK(client.accepted<session_close>(event(type)).reason == "client_close");
    CHECK(client.accepted<session_close>(event(type, R"(,"reason":"enough")")).reason == "enough");
    CHECK(client.accepted<session_close>(event(type, R"(,"reason":7)")).reason == "client_close");
  }
}

TEST_CASE("decode_duplex: session.event_ack wants a whole number that is not negative", "[protocol][decode]") {
  auto client = duplex_client();
  CHECK(client.accepted<event_ack>(event("session.event_ack", R"(,"server_event_seq":48)")).sequence == 48);
  for (const char* bad :
       {"", R"(,"server_event_seq":-1)", R"(,"server_event_seq":1.5)", R"(,"server_event_seq":"1")"}) {
    check_code(event("session.event_ack", bad), errc::invalid_event_ack);
  }
}

TEST_CASE("decode_duplex: session.resume wants a session and a token", "[protocol][decode]") {
  auto client = duplex_client();
  const auto resume = client.accepted<session_resume>(event(
      "session.resume", R"(,"session_id":"a","resume_token":"b","incarnation":0,"last_received_server_event_seq":4)"));
  CHECK(resume.session.value == "a");
  CHECK(resume.token == "b");
  CHECK(resume.last_received == 4);
  CHECK(client.accepted<session_resume>(event("session.resume", R"(,"session_id":"a","resume_token":"b")"))
            .last_received == 0);
  for (const char* bad : {R"(,"resume_token":"b")", R"(,"session_id":"a")", R"(,"session_id":"","resume_token":"b")",
                          R"(,"session_id":"a","resume_token":"b","last_received_server_event_seq":-1)",
                          R"(,"session_id":"a","resume_token":"b","last_received_server_event_seq":1.5)",
                          R"(,"session_id":"a","resume_token":"b","last_received_server_event_seq":"1")"}) {
    check_code(event("session.resume", bad), errc::invalid_session_resume);
  }
}

// ---- input ------------------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: a commit and its alias", "[protocol][decode]") {
  auto client = duplex_client();
  const auto plain = client.accepted<input_audio_commit>(event("input_audio_buffer.commit", R"(,"final":"yes")"));
  CHECK(plain.final);
  CHECK_FALSE(plain.create_response.has_value());
  CHECK_FALSE(plain.is_speech.has_value());
  const auto said = client.accepted<input_audio_commit>(
      event("input_audio_buffer.commit", R"(,"final":false,"is_speech":false,"create_response":true)"));
  CHECK_FALSE(said.final);
  CHECK(said.is_speech == false);
  CHECK(said.create_response == true);
  CHECK(client.accepted<input_audio_commit>(event("input.commit")).create_response == true);
  CHECK(client.accepted<input_audio_commit>(event("input.commit", R"(,"response_create":false)")).create_response ==
        false);
  CHECK(client
            .accepted<input_audio_commit>(
                event("input_audio_buffer.commit", R"(,"response_create":false,"create_response":true)"))
            .create_response == false);
}

TEST_CASE("decode_duplex: clears, cancels and text", "[protocol][decode]") {
  auto client = duplex_client();
  (void)client.accepted<input_audio_clear>(event("input_audio_buffer.clear"));
  (void)client.accepted<input_cancel>(event("input.cancel"));
  (void)client.accepted<barge_in>(event("barge_in"));
  CHECK_FALSE(client.accepted<output_audio_clear>(event("output_audio_buffer.clear")).response.has_value());
  CHECK(client.accepted<output_audio_clear>(event("output_audio_buffer.clear", R"(,"response_id":"r")")).response ==
        response_id{"r"});
  CHECK(client.accepted<response_cancel>(event("response.cancel", R"(,"response_id":"r")")).id == response_id{"r"});
  CHECK_FALSE(client.accepted<response_cancel>(event("response.cancel", R"(,"response_id":null)")).id.has_value());
  for (const char* type : {"input.text.append", "input_text.append", "push_text"}) {
    CHECK(client.accepted<input_text_append>(event(type, R"(,"text":"Hi")")).text == "Hi");
    check_code(event(type), errc::bad_event);
  }
}

TEST_CASE("decode_duplex: turn.signal becomes the command it means", "[protocol][decode]") {
  auto client = duplex_client();
  for (const char* type : {"turn.signal", "signal_turn"}) {
    (void)client.accepted<barge_in>(event(type, R"(,"event":"barge_in","payload":{"source":"client_vad"})"));
    (void)client.accepted<input_cancel>(event(type, R"(,"event":"input.cancel")"));
    (void)client.accepted<input_cancel>(event(type, R"(,"event":"input_cancel")"));
    CHECK(client.accepted<turn_signal>(event(type, R"(,"event":"look","payload":{})")).event == "look");
    check_code(event(type), errc::bad_event);
    check_code(event(type, R"(,"event":7)"), errc::bad_event);
  }
}

TEST_CASE("statement 121: playback.ack without a number in played_ms is bad_event", "[protocol][decode]") {
  for (const char* type : {"playback.ack", "audio.playback_ack"}) {
    for (const char* bad : {"", R"(,"played_ms":null)", R"(,"played_ms":"1")", R"(,"played_ms":true)"}) {
      check_code(event(type, bad), errc::bad_event);
    }
  }
}

TEST_CASE("decode_duplex: playback.ack", "[protocol][decode]") {
  auto client = duplex_client();
  const auto bare = client.accepted<playback_ack>(event("playback.ack", R"(,"played_ms":120.7,"truncate":"x")"));
  CHECK(bare.played_ms == 120);
  CHECK_FALSE((bare.truncate || bare.committed_ms || bare.response || bare.item));
  const auto full = client.accepted<playback_ack>(event(
      "audio.playback_ack", R"(,"played_ms":5,"committed_ms":3,"response_id":"r","item_id":"i","truncate":true)"));
  CHECK(full.committed_ms == 3);
  CHECK(full.response == response_id{"r"});
  CHECK(full.item == item_id{"i"});
  CHECK(full.truncate);
  for (const char* bad :
       {R"(,"played_ms":-1)", R"(,"played_ms":1,"committed_ms":-1)", R"(,"played_ms":1,"item_id":7)"}) {
    check_code(event("playback.ack", bad), errc::bad_event);
  }
}

// ---- items ------------------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: an item has defaults", "[protocol][decode]") {
  auto client = duplex_client();
  const auto made = client.accepted<item_create>(user_part(R"({"type":"input_text","text":"Hi"})"));
  CHECK(made.new_item.id.empty());
  CHECK(made.new_item.type == item_type::message);
  CHECK(made.new_item.role == item_role::user);
  CHECK(made.new_item.content.at(0).text == "Hi");
  CHECK_FALSE(made.previous_item_id.has_value());
  const auto bare = client.accepted<item_create>(item_event(R"({"content":"Hi"})"));
  CHECK(bare.new_item.content.at(0).type == part_type::input_text);
  const auto assistant = client.accepted<item_create>(item_event(
      R"({"id":"a","role":"assistant","content":[{"type":"text","text":"Hi"},
          {"type":"output_audio","transcript":"Ho"}]})"));
  CHECK(assistant.new_item.id.value == "a");
  CHECK(assistant.new_item.content.at(0).type == part_type::output_text);
  CHECK(assistant.new_item.content.at(1).transcript == "Ho");
  check_code(event("conversation.item.create"), errc::bad_event);
  check_code(item_event(R"({"type":"poem"})"), errc::bad_event);
  check_code(item_event(R"({"role":"user"})"), errc::bad_event);
}

TEST_CASE("decode_duplex: the output of a call names a call and is a string", "[protocol][decode]") {
  auto client = duplex_client();
  const auto made =
      client.accepted<item_create>(item_event(R"({"type":"function_call_output","call_id":"c","output":""})"));
  CHECK(made.new_item.call == call_id{"c"});
  const std::pair<const char*, const char*> refused[] = {
      {R"({"type":"function_call_output","output":"x"})", "item.call_id"},
      {R"({"type":"function_call_output","call_id":"c"})", "item.output"},
      {R"({"type":"function_call_output","call_id":"c","output":7})", "item.output"},
  };
  for (const auto& [json, param] : refused) {
    const wire_error error = client.refused(item_event(json));
    CHECK(duplex_name(error.code) == "invalid_function_call_output");
    CHECK(error.param == param);
  }
}

constexpr const char* png = pictures::png.base64.data();
constexpr const char* jpeg = pictures::jpeg.base64.data();

std::string image(std::string_view url) {
  return R"({"type":"input_image","image_url":")" + std::string{url} + R"("})";
}

TEST_CASE("decode_duplex: images are whole JPEG or PNG files of users", "[protocol][decode]") {
  auto client = duplex_client();
  const std::string good = "data:image/png;base64," + std::string{png};
  CHECK(client.accepted<item_create>(user_part(image(good))).new_item.content.at(0).text == good);
  (void)client.accepted<item_create>(user_part(image("data:image/jpeg;base64," + std::string{jpeg})));
  std::string wrong_sum = good;
  wrong_sum[good.size() - 30] = wrong_sum[good.size() - 30] == 'A' ? 'B' : 'A';
  for (const std::string& url :
       {std::string{png}, std::string{"https://example.org/a.png"}, std::string{"data:image/gif;base64,R0lGODlh"},
        std::string{"data:image/png;base64,AAAA"}, std::string{"data:image/jpeg;base64,"} + png,
        "data:image/png;base64," + std::string{png, 60}, "data:image/jpeg;base64," + std::string{jpeg, 24},
        wrong_sum}) {
    check_code(user_part(image(url)), errc::invalid_image);
  }
  for (const char* role : {"assistant", "system"}) {
    check_code(item_event(R"({"role":")" + std::string{role} + R"(","content":[)" + image(good) + "]}"),
               errc::invalid_image);
  }
  check_code(user_part(R"({"type":"input_image"})"), errc::invalid_image);
  check_code(user_part(R"({"type":"input_image","image_url":")" + good + R"(","detail":"most"})"), errc::bad_event);
}

TEST_CASE("F38: pictures in the input of a response are judged as those of an item", "[protocol][decode]") {
  const auto asking = [](std::string_view url) {
    return event("response.create", R"(,"response":{"input":[{"role":"user","content":[)" + image(url) + "]}]}");
  };
  auto client = duplex_client();
  const std::string good = "data:image/png;base64," + std::string{png};
  const auto options = client.accepted<response_create>(asking(good)).options;
  CHECK(options.input->at(0).value.content.at(0).text == good);
  check_code(asking("data:image/png;base64," + std::string{png, 60}), errc::invalid_image);
  check_code(asking(pictures::data_url(pictures::gif)), errc::invalid_image);
  check_code(asking("https://example.org/a.png"), errc::invalid_image);
  const auto kept = client.accepted<response_create>(
      event("response.create", R"(,"response":{"input":[{"type":"item_reference","id":"a"}]})"));
  CHECK(kept.options.input->at(0).reference);
}

TEST_CASE("decode_duplex: items are named", "[protocol][decode]") {
  auto client = duplex_client();
  CHECK(client.accepted<item_retrieve>(event("conversation.item.retrieve", R"(,"item_id":"a")")).id.value == "a");
  CHECK(client.accepted<item_delete>(event("conversation.item.delete", R"(,"item_id":"a")")).id.value == "a");
  const auto cut = client.accepted<item_truncate>(
      event("conversation.item.truncate", R"(,"item_id":"a","content_index":1,"audio_end_ms":99.9)"));
  CHECK(cut.content_index == 1);
  CHECK(cut.audio_end_ms == 99);
  for (const char* id : {"", R"(,"item_id":null)", R"(,"item_id":"")", R"(,"item_id":7)"}) {
    for (const char* what : {"retrieve", "delete", "truncate"}) {
      check_code(event("conversation.item." + std::string{what}, id), errc::missing_item_id);
    }
  }
  for (const char* bad :
       {"", R"(,"audio_end_ms":-1)", R"(,"audio_end_ms":1,"content_index":-1)", R"(,"audio_end_ms":-0.5)",
        R"(,"audio_end_ms":1e300)", R"(,"audio_end_ms":"NaN")", R"(,"audio_end_ms":null)",
        R"(,"audio_end_ms":1,"content_index":0.5)", R"(,"audio_end_ms":1,"content_index":1e300)"}) {
    check_code(event("conversation.item.truncate", R"(,"item_id":"a")" + std::string{bad}), errc::bad_event);
  }
}

// ---- response.create --------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: response.create", "[protocol][decode]") {
  auto client = duplex_client();
  CHECK_FALSE(client.accepted<response_create>(event("response.create")).options.voice.has_value());
  const auto options = client
                           .accepted<response_create>(event("response.create", R"(,"response":{"modalities":["text"],
      "instructions":"Be brief.","output_audio_format":"wav","temperature":0.2,"max_output_tokens":10,
      "tools":null,"metadata":{"a":"b"}})"))
                           .options;
  CHECK(options.modality == output_modality::text);
  CHECK(options.output_format == audio_format{audio_encoding::wav, 24000});
  CHECK(options.temperature == 0.2);
  CHECK(options.max_output_tokens->value() == 10);
  CHECK(options.metadata->text == R"({"a":"b"})");
  CHECK(client.accepted<response_create>(event("response.create", R"(,"response":{"output_audio_format":"g711_ulaw"})"))
            .options.output_format == audio_format{audio_encoding::g711_ulaw, 8000});
  check_code(event("response.create", R"(,"response":{"output_audio_format":"mp3"})"), errc::unsupported_audio_format);
  check_code(event("response.create", R"(,"response":{"output_audio_format":"pcm_f32le"})"),
             errc::unsupported_audio_format);
  check_code(event("response.create", R"(,"response":{"temperature":"hot"})"), errc::bad_event);
}

}  // namespace
}  // namespace parley::protocol
