#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

using std::chrono::milliseconds;

std::string update(std::string_view session) {
  return R"({"type":"session.update","session":)" + std::string{session} + "}";
}

session_patch patch_of(std::string_view session) {
  test_client client{dialect::duplex};
  return client.accepted<session_update>(update(session)).patch;
}

wire_error refused(std::string_view session) {
  test_client client{dialect::duplex};
  return client.refused(update(session));
}

// The session a client opens: it only hears until it is told otherwise.
session_settings opened() {
  session_settings settings;
  settings.detection.reset();
  settings.input_format.rate_hz = 16000;
  return settings;
}

session_settings after(std::string_view session, session_settings base = opened()) {
  const auto settings = merged(std::move(base), patch_of(session));
  if (settings.has_error()) FAIL(settings.error().message);
  return *settings;
}

TEST_CASE("decode_duplex: a session.update without a session is one itself", "[protocol][decode]") {
  test_client client{dialect::duplex};
  const auto patch =
      client.accepted<session_update>(R"({"type":"session.update","event_id":"e","model":"talker","voice":"v"})").patch;
  CHECK(patch.model == "talker");
  CHECK(patch.voice == "v");
  CHECK(patch.duplex.spoken);
  CHECK(client.refused(R"({"type":"session.update","overlap_short_ack_ms":"long"})").code ==
        errc::invalid_session_config);
}

TEST_CASE("decode_duplex: the plain members of a session", "[protocol][decode]") {
  const session_settings read = after(R"({"type":"realtime","object":"realtime.session","id":"x","session_id":"y",
      "model":"m","instructions":"Be brief.","voice":"alloy","modalities":["text"],"temperature":0.7,"speed":1.25,
      "max_response_output_tokens":100,"tools":[{"type":"function","name":"f"}],"tool_choice":"required",
      "overlap_short_ack_ms":600,"overlap_barge_in_ms":1500,"overlap_silence_rms":0.01,"idle_timeout_s":1.5,
      "playback_commit_policy":"commit_all_on_done","ref_audio":"data:audio/wav;base64,UklGRg=="})");
  CHECK(read.model == "m");
  CHECK(read.instructions == "Be brief.");
  CHECK(read.voice == "alloy");
  CHECK(read.modality == output_modality::text);
  CHECK(read.max_output_tokens == 100);
  CHECK(read.tools.size() == 1);
  CHECK(read.duplex.overlap_short_ack_ms == 600);
  CHECK(read.duplex.overlap_barge_in_ms == 1500);
  CHECK(read.duplex.overlap_silence_rms == 0.01);
  CHECK(read.duplex.idle_timeout_s == 2);
  CHECK(read.duplex.has_reference_voice);
  CHECK(read.playback == playback_policy::commit_all_on_done);
}

TEST_CASE("decode_duplex: null is not given, but where it switches off", "[protocol][decode]") {
  const session_settings base = after(R"({"instructions":"Be brief.","max_tokens":7,
      "input_audio_transcription":{"model":"m"},"tools":[{"type":"function","name":"f"}]})");
  const session_settings same = after(R"({"model":null,"instructions":null,"voice":null,"temperature":null,"speed":null,
      "modalities":null,"tools":null,"tool_choice":null,"input_audio_format":null,"audio":null,"extra_body":null,
      "ref_audio":null,"overlap_policy":null,"overlap_silence_rms":null,"playback_commit_policy":null})",
                                      base);
  CHECK(same == base);
  const session_settings off = after(
      R"({"max_tokens":null,"input_audio_transcription":null,"idle_timeout_s":null,"turn_detection":null})", base);
  CHECK_FALSE((off.max_output_tokens || off.transcription || off.duplex.idle_timeout_s || off.detection));
}

TEST_CASE("decode_duplex: a value of a wrong type or range is invalid_session_config", "[protocol][decode]") {
  for (const char* session : {R"({"instructions":7})",
                              R"({"modalities":"text"})",
                              R"({"modalities":["smell"]})",
                              R"({"temperature":"hot"})",
                              R"({"temperature":3})",
                              R"({"idle_timeout_s":-1})",
                              R"({"idle_timeout_s":0})",
                              R"({"extra_body":"x"})",
                              R"({"overlap_silence_rms":"low"})",
                              R"({"overlap_silence_rms":2})",
                              R"({"overlap_short_ack_ms":"long"})",
                              R"({"overlap_barge_in_ms":-1})",
                              R"({"sample_rate_hz":7999})",
                              R"({"audio":{"output":{"sample_rate_hz":1}}})",
                              R"({"ref_audio":7})",
                              R"({"extra_body":{"auto_response":"yes"}})",
                              R"({"turn_detection":{"type":"server_vad","create_response":1}})",
                              R"({"tools":7})",
                              R"({"audio":7})",
                              "7"}) {
    INFO(session);
    CHECK(wire_name(refused(session).code) == "invalid_session_config");
  }
}

// ---- formats ----------------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: the formats of both directions", "[protocol][decode]") {
  for (const char* name : {"pcm16", "pcm_s16le", "s16le", "pcm_f32le", "g711_ulaw", "g711_alaw"}) {
    CHECK(patch_of(R"({"input_audio_format":")" + std::string{name} + R"("})").duplex.input_encoding.has_value());
  }
  for (const char* name : {"pcm16", "pcm_s16le", "s16le", "g711_ulaw", "g711_alaw", "wav", "pcm"}) {
    CHECK(patch_of(R"({"output_audio_format":")" + std::string{name} + R"("})").duplex.output_encoding.has_value());
  }
  for (const char* session :
       {R"({"input_audio_format":"wav"})", R"({"input_audio_format":"mp3"})", R"({"output_audio_format":"pcm_f32le"})",
        R"({"output_audio_format":"opus"})", R"({"audio":{"input":{"format":{"type":"audio/mpeg"}}}})"}) {
    CHECK(refused(session).code == errc::unsupported_audio_format);
  }
}

TEST_CASE("decode_duplex: rates of both directions", "[protocol][decode]") {
  const session_settings objects = after(R"({"audio":{
      "input":{"format":{"type":"audio/pcm","rate":48000}},"output":{"format":"pcm16","sample_rate_hz":16000}}})");
  CHECK(objects.input_format == audio_format{audio_encoding::pcm16, 48000});
  CHECK(objects.output_format == audio_format{audio_encoding::pcm16, 16000});
  CHECK(after(R"({"sample_rate_hz":24000})").input_format == audio_format{audio_encoding::pcm16, 24000});
  CHECK(after(R"({"audio":{"input":{"sample_rate_hz":24000}}})").input_format.rate_hz == 24000);

  const session_settings ulaw = after(R"({"input_audio_format":"g711_ulaw"})", objects);
  CHECK(ulaw.input_format == audio_format{audio_encoding::g711_ulaw, 8000});
  CHECK(after(R"({"input_audio_format":"pcm16"})", ulaw).input_format.rate_hz == 16000);
  CHECK(after(R"({"input_audio_format":"pcm_f32le"})", objects).input_format.rate_hz == 48000);
  CHECK(after(R"({"input_audio_format":"g711_alaw","sample_rate_hz":16000})").input_format.rate_hz == 16000);
  CHECK(after(R"({"output_audio_format":"g711_alaw"})").output_format.rate_hz == 8000);
}

TEST_CASE("decode_duplex: a session can be sent back as it was shown", "[protocol][decode]") {
  const session_settings settings = after(R"({"audio":{"output":{"format":{"type":"audio/wav","rate":24000}},
      "input":{"format":{"type":"pcm_f32le","rate":16000}}},"response_format":"wav","state":"open","epoch":0,
      "playback":{"sent_ms":0},"capabilities":{},"active_response_id":null,"max_tokens":null})");
  CHECK(settings.output_format == audio_format{audio_encoding::wav, 24000});
  CHECK(settings.input_format == audio_format{audio_encoding::pcm_f32, 16000});
}

// ---- turn detection and overlap ---------------------------------------------------------------------------------

TEST_CASE("decode_duplex: turn detection that is refused names its field", "[protocol][decode]") {
  const std::pair<const char*, const char*> rows[] = {
      {R"("none")", "turn_detection"},
      {"7", "turn_detection"},
      {"{}", "type"},
      {R"({"type":"telepathy"})", "type"},
      {R"({"type":"semantic_vad"})", "type"},
      {R"({"type":"server_vad","interrupt_response":false})", "interrupt_response"},
      {R"({"type":"server_vad","threshold":0})", "threshold"},
      {R"({"type":"server_vad","threshold":1.01})", "threshold"},
      {R"({"type":"server_vad","threshold":"x"})", "threshold"},
      {R"({"type":"server_vad","prefix_padding_ms":-1})", "prefix_padding_ms"},
      {R"({"type":"server_vad","silence_duration_ms":-1})", "silence_duration_ms"},
      {R"({"type":"server_vad","min_speech_ms":-1})", "min_speech_ms"},
      {R"({"type":"server_vad","minimum_speech_ms":-1})", "minimum_speech_ms"},
      // F33
      {R"({"type":"server_vad","eagerness":"auto"})", "eagerness"},
      {R"({"type":"server_vad","idle_timeout_ms":6000})", "idle_timeout_ms"},
  };
  for (const auto& [detection, field] : rows) {
    for (const std::string& session : {R"({"turn_detection":)" + std::string{detection} + "}",
                                       R"({"audio":{"input":{"turn_detection":)" + std::string{detection} + "}}}"}) {
      INFO(session);
      const wire_error error = refused(session);
      CHECK(error.code == errc::unsupported_turn_detection);
      CHECK(error.message.find(field) != std::string::npos);
    }
  }
}

TEST_CASE("settings: server_vad has its defaults and interrupts, null listens", "[protocol][settings]") {
  const session_settings on = after(R"({"turn_detection":{"type":"server_vad"}})");
  CHECK(on.detection == turn_detection{});
  CHECK(on.duplex.overlap == overlap_policy::barge_in_on_speech);
  const session_settings set = after(R"({"turn_detection":{"type":"server_vad","threshold":0.25,"min_speech_ms":50,
      "prefix_padding_ms":10.5,"silence_duration_ms":200,"create_response":false,"interrupt_response":true}})");
  CHECK(set.detection->threshold == 0.25);
  CHECK(set.detection->minimum_speech == milliseconds{50});
  CHECK(set.detection->prefix_padding == milliseconds{10});
  CHECK_FALSE(set.detection->create_response);
  CHECK(after(R"({"turn_detection":{"type":"server_vad"}})", set).detection == turn_detection{});
  CHECK(after(R"({"voice":"v"})", set).detection == set.detection);
  const session_settings off = after(R"({"turn_detection":null})", on);
  CHECK_FALSE(off.detection.has_value());
  CHECK(off.duplex.overlap == overlap_policy::listen_only);
}

TEST_CASE("settings: an overlap policy that is named agrees with turn detection", "[protocol][settings]") {
  const session_settings on = after(R"({"turn_detection":{"type":"server_vad"}})");
  CHECK(after(R"({"overlap_policy":"by_length"})").duplex.overlap == overlap_policy::by_length);
  CHECK(after(R"({"overlap_policy":"by_length","turn_detection":null})", on).duplex.overlap ==
        overlap_policy::by_length);
  CHECK(after(R"({"overlap_policy":"barge_in_on_speech"})", on).duplex.overlap == overlap_policy::barge_in_on_speech);
  CHECK(after(R"({"overlap_policy":"shout","playback_commit_policy":"never"})", on).duplex == on.duplex);
  const std::pair<session_settings, const char*> contradictions[] = {
      {opened(), R"({"overlap_policy":"barge_in_on_speech"})"},
      {on, R"({"overlap_policy":"barge_in_on_speech","turn_detection":null})"},
      {on, R"({"overlap_policy":"listen_only"})"},
      {opened(), R"({"overlap_policy":"listen_only","turn_detection":{"type":"server_vad"}})"},
  };
  for (const auto& [base, session] : contradictions) {
    const auto refusal = merged(base, patch_of(session));
    REQUIRE(refusal.has_error());
    CHECK(refusal.error().code == errc::unsupported_turn_detection);
    CHECK(refusal.error().message.find("overlap_policy") != std::string::npos);
  }
}

TEST_CASE("settings: what is wrong with a duplex session as a whole is invalid_session_config",
          "[protocol][settings]") {
  const auto refusal = merged(opened(), patch_of(R"({"tool_choice":{"type":"function","name":"none"}})"));
  REQUIRE(refusal.has_error());
  CHECK(refusal.error().code == errc::invalid_session_config);
}

// ---- extra_body -------------------------------------------------------------------------------------------------

TEST_CASE("decode_duplex: extra_body is kept for the model, and read where it is ours", "[protocol][decode]") {
  const auto patch =
      patch_of(R"({"extra_body":{"auto_response":true,"force_listen_count":2,"native_duplex":true,"x":{"y":[1]}}})")
          .duplex;
  CHECK(patch.auto_response == true);
  CHECK(patch.force_listen_count == 2);
  CHECK(patch.extra_body->text ==
        R"({"auto_response":true,"force_listen_count":2,"native_duplex":true,"x":{"y":[1]}})");
  CHECK_FALSE(patch.private_key.has_value());
  CHECK(after(R"({"extra_body":{"auto_response":true}})").duplex.auto_response);
  for (const char* key : {"_x", "runtime_config", "duplex_stage_max_tokens", "session_id", "request_id", "epoch"}) {
    CHECK(patch_of(R"({"extra_body":{"x":1,")" + std::string{key} + R"(":1}})").duplex.private_key == key);
  }
  CHECK_FALSE(patch_of(R"({"extra_body":{"duplex_initial_user_text":"Hi"}})").duplex.private_key.has_value());
}

}  // namespace
}  // namespace parley::protocol
