#include "tests/protocol/decode_support.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace parley::protocol {
namespace {

using std::chrono::milliseconds;

std::string update(std::string_view session) {
  return R"({"type":"session.update","event_id":"u1","session":)" + std::string{session} + "}";
}

session_patch patch_of(std::string_view session, dialect spoken = dialect::openai) {
  test_client client{spoken};
  return client.accepted<session_update>(update(session)).patch;
}

// ---- C5 ---------------------------------------------------------------------------------------------------------

TEST_CASE("C5: the nested GA form is read whole", "[protocol][decode][session]") {
  const session_patch patch = patch_of(R"({"type":"realtime","model":"gpt-realtime","instructions":"Be short.",
    "output_modalities":["audio"],"max_output_tokens":4096,"tool_choice":"required","parallel_tool_calls":true,
    "audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"noise_reduction":{"type":"far_field"},
      "transcription":{"model":"whisper-1","language":"en","prompt":"names"},
      "turn_detection":{"type":"server_vad","threshold":0.25,"prefix_padding_ms":200,"silence_duration_ms":300.0,
        "idle_timeout_ms":6000,"create_response":false,"interrupt_response":false}},
      "output":{"format":{"type":"audio/pcmu"},"voice":"marin","speed":1.25}}})");
  CHECK(patch.model == "gpt-realtime");
  CHECK(patch.instructions == "Be short.");
  CHECK(patch.modality == output_modality::audio);
  CHECK(**patch.max_output_tokens == 4096);
  CHECK(patch.choice->mode == tool_choice_mode::required);
  CHECK(**patch.parallel_tool_calls);
  CHECK(*patch.input_format == audio_format{audio_encoding::pcm16, 24000});
  CHECK((**patch.noise).type == microphone::far_field);
  CHECK((*patch.transcription)->model == "whisper-1");
  CHECK((*patch.transcription)->language == "en");
  CHECK((*patch.transcription)->prompt == "names");
  const turn_detection_patch detection = **patch.detection;
  CHECK(detection.type == turn_detection_type::server_vad);
  CHECK(*detection.threshold == 0.25);
  CHECK(detection.prefix_padding == milliseconds{200});
  CHECK(detection.silence_duration == milliseconds{300});
  CHECK(**detection.idle_timeout == milliseconds{6000});
  CHECK(*detection.create_response == false);
  CHECK(*detection.interrupt_response == false);
  CHECK(*patch.output_format == audio_format{audio_encoding::g711_ulaw, 8000});
  CHECK(patch.voice == "marin");
  CHECK(*patch.speed == 1.25);
}

TEST_CASE("C5: the flat beta form is read whole, with and without the beta header", "[protocol][decode][session]") {
  const dialect spoken = GENERATE(dialect::openai, dialect::openai_beta);
  const session_patch patch = patch_of(R"({"modalities":["text","audio"],"instructions":"Hi.","voice":"alloy",
    "input_audio_format":"pcm16","output_audio_format":"g711_alaw","input_audio_transcription":{"model":"whisper-1"},
    "turn_detection":null,"input_audio_noise_reduction":{"type":"near_field"},"tools":[],"tool_choice":"auto",
    "temperature":0.7,"max_response_output_tokens":"inf"})",
                                       spoken);
  CHECK(patch.modality == output_modality::audio);
  CHECK(patch.voice == "alloy");
  CHECK(*patch.input_format == audio_format{audio_encoding::pcm16, 24000});
  CHECK(*patch.output_format == audio_format{audio_encoding::g711_alaw, 8000});
  CHECK((*patch.transcription)->model == "whisper-1");
  REQUIRE(patch.detection.has_value());
  CHECK_FALSE(patch.detection->has_value());
  CHECK((**patch.noise).type == microphone::near_field);
  CHECK(patch.tools->empty());
  CHECK(patch.choice->mode == tool_choice_mode::automatic);
  CHECK(*patch.temperature == 0.7);
  REQUIRE(patch.max_output_tokens.has_value());
  CHECK_FALSE(patch.max_output_tokens->has_value());
}

TEST_CASE("C5: type may be missing, is one of two, and unknown keys are refused", "[protocol][decode][session]") {
  CHECK(patch_of(R"({"instructions":"x"})").instructions == "x");
  test_client client;
  check_refusal(client, {update(R"({"type":"banana"})"), errc::invalid_value, "session.type"});
  CHECK(patch_of(R"({"type":"transcription"})").kind == session_kind::transcription);
  check_refusal(client, {update(R"({"type":1})"), errc::invalid_type, "session.type"});
  check_refusal(client, {update(R"({"instructions":"x","foo":1})"), errc::unknown_parameter, "session.foo"});
  check_refusal(client, {update(R"({"audio":{"inputs":{}}})"), errc::unknown_parameter, "session.audio.inputs"});
  check_refusal(client,
                {update(R"({"audio":{"input":{"codec":1}}})"), errc::unknown_parameter, "session.audio.input.codec"});
  check_refusal(client, {update(R"({"audio":{"output":{"voice":{"id":"v","x":1}}}})"), errc::unknown_parameter,
                         "session.audio.output.voice.x"});
  CHECK(client.refused(update(R"({"foo":1})")).client_event_id == "u1");
}

TEST_CASE("C5: session itself is required and an object", "[protocol][decode][session]") {
  test_client client;
  check_refusal(client, {R"({"type":"session.update"})", errc::missing_required_parameter, "session"});
  check_refusal(client, {update("null"), errc::invalid_type, "session"});
  check_refusal(client, {update("[]"), errc::invalid_type, "session"});
  check_refusal(client, {update("\"x\""), errc::invalid_type, "session"});
  check_refusal(client, {update(R"({"audio":null})"), errc::invalid_type, "session.audio"});
}

TEST_CASE("C5: what the server shows and nobody can change may be sent back", "[protocol][decode][session]") {
  const session_patch patch = patch_of(R"({"id":"sess_1","object":"realtime.session","expires_at":1,"speed":1})");
  CHECK(*patch.speed == 1.0);
}

TEST_CASE("session.update: what stock clients send is accepted", "[protocol][decode][session]") {
  const std::string session = GENERATE(
      R"({"type":"realtime","tracing":"auto"})", R"({"tracing":null,"prompt":null,"include":null})",
      R"({"tracing":{"workflow_name":"w"},"prompt":{"id":"p","version":"1"},"reasoning":{"effort":"low"}})",
      R"({"include":["item.input_audio_transcription.logprobs"],"truncation":"disabled"})",
      R"({"truncation":"auto","parallel_tool_calls":null})",
      R"({"truncation":{"type":"retention_ratio","retention_ratio":0.8}})",
      R"({"audio":{"input":{"noise_reduction":null,"transcription":null,"turn_detection":{"type":"semantic_vad",
          "eagerness":"low"}},"output":{"voice":{"id":"voice_1"},"speed":1}}})",
      R"({"audio":{"input":{"transcription":{"model":"any-name","language":null,"prompt":null}}}})",
      R"({"tools":[{"type":"function","name":"f","description":"d","strict":true,"parameters":{
          "$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}}}]})",
      R"({"tool_choice":{"type":"function","name":"f"}})", R"({"max_output_tokens":1})", R"({})");
  (void)patch_of(session);
}

TEST_CASE("session.update: tracing is passed on as compact JSON", "[protocol][decode][session]") {
  CHECK((*patch_of(R"({"tracing":"auto"})").tracing)->text == R"("auto")");
  CHECK((*patch_of(R"({"tracing":{ "group_id" : "g" }})").tracing)->text == R"({"group_id":"g"})");
}

TEST_CASE("session.update: prompt, include, truncation and reasoning are read whole", "[protocol][decode][session]") {
  const session_patch patch = patch_of(R"({"prompt":{"id":"p","version":"2","variables":{"city":"Paris",
      "name":{"type":"input_text","text":"Ada"}}},"include":["item.input_audio_transcription.logprobs"],
      "truncation":{"type":"retention_ratio","retention_ratio":0.5,"token_limits":{"post_instructions":5000}},
      "reasoning":{"effort":"low"}})");
  CHECK(**patch.prompt == prompt_template{"p", "2", {{"city", "Paris"}, {"name", "Ada"}}});
  CHECK(*patch.include_logprobs);
  CHECK(**patch.truncation == truncation{truncation_type::retention_ratio, 0.5, 5000});
  CHECK(**patch.reasoning_effort == "low");
  CHECK_FALSE(*patch_of(R"({"include":[]})").include_logprobs);
  CHECK(**patch_of(R"({"truncation":"disabled"})").truncation == truncation{truncation_type::disabled});
}

TEST_CASE("session.update: transcription hints and the strength of noise reduction", "[protocol][decode][session]") {
  const session_patch patch = patch_of(R"({"audio":{"input":{"noise_reduction":{"strength":0.5},
      "transcription":{"keywords":["parley"],"languages":["en","de"],"delay":"low"}}}})");
  CHECK(*(**patch.noise).strength == 0.5);
  CHECK_FALSE((**patch.noise).type.has_value());
  CHECK((*patch.transcription)->keywords == std::vector<std::string>{"parley"});
  CHECK((*patch.transcription)->languages == std::vector<std::string>{"en", "de"});
  CHECK((*patch.transcription)->delay == "low");
}

// ---- values -----------------------------------------------------------------------------------------------------

TEST_CASE("C30: modalities are audio, text, or the pair which means audio", "[protocol][decode][session]") {
  CHECK(patch_of(R"({"output_modalities":["text"]})").modality == output_modality::text);
  CHECK(patch_of(R"({"output_modalities":["audio"]})").modality == output_modality::audio);
  CHECK(patch_of(R"({"output_modalities":["text","audio"]})").modality == output_modality::audio);
  CHECK(patch_of(R"({"output_modalities":["audio","text"]})").modality == output_modality::audio);
  test_client client;
  for (const std::string list : {"[]", "[\"video\"]", "[\"text\",\"smell\"]", "[\"text\",1]", "[null]"}) {
    check_refusal(client,
                  {update(R"({"output_modalities":)" + list + "}"), errc::invalid_value, "session.output_modalities"});
    check_refusal(client, {update(R"({"modalities":)" + list + "}"), errc::invalid_value, "session.modalities"});
  }
  check_refusal(client, {update(R"({"output_modalities":"text"})"), errc::invalid_type, "session.output_modalities"});
}

TEST_CASE("session.update: audio formats are read by name, object and rate", "[protocol][decode][session]") {
  const auto format = [](std::string_view json) {
    return *patch_of(R"({"audio":{"input":{"format":)" + std::string{json} + "}}}").input_format;
  };
  CHECK(format(R"({"type":"audio/pcm"})") == audio_format{audio_encoding::pcm16, 24000});
  CHECK(format(R"({"type":"audio/pcm","rate":16000})") == audio_format{audio_encoding::pcm16, 16000});
  CHECK(format(R"({"rate":8000,"type":"audio/pcmu"})") == audio_format{audio_encoding::g711_ulaw, 8000});
  CHECK(format(R"({"type":"audio/pcma"})") == audio_format{audio_encoding::g711_alaw, 8000});
  CHECK(format(R"("pcm16")") == audio_format{audio_encoding::pcm16, 24000});
  CHECK(format(R"("g711_ulaw")") == audio_format{audio_encoding::g711_ulaw, 8000});

  test_client client;
  const auto refused = [&](std::string_view json, errc code, std::string_view param) {
    check_refusal(client, {update(R"({"audio":{"output":{"format":)" + std::string{json} + "}}}"), code,
                           "session.audio.output.format" + std::string{param}});
  };
  refused(R"({"type":"audio/mp3"})", errc::invalid_value, ".type");
  refused(R"({"rate":24000})", errc::missing_required_parameter, ".type");
  refused(R"({"type":"audio/pcm","rate":7999})", errc::invalid_value, ".rate");
  refused(R"({"type":"audio/pcm","rate":48001})", errc::invalid_value, ".rate");
  refused(R"({"type":"audio/pcm","rate":44110.5})", errc::invalid_value, ".rate");
  refused(R"({"type":"audio/pcm","rate":22050})", errc::invalid_value, ".rate");
  refused(R"({"type":"audio/pcm","rate":"24000"})", errc::invalid_type, ".rate");
  refused(R"({"type":"audio/pcmu","rate":24000})", errc::invalid_value, ".rate");
  refused(R"({"type":"audio/pcm","channels":2})", errc::unknown_parameter, ".channels");
  refused(R"("opus")", errc::invalid_value, "");
  refused("null", errc::invalid_type, "");
}

TEST_CASE("C37: bad turn detection values are refused with their path", "[protocol][decode][session]") {
  test_client client;
  const bool nested = GENERATE(true, false);
  const auto refused = [&](std::string_view members, errc code, std::string_view name) {
    const std::string object = R"({"turn_detection":{)" + std::string{members} + "}}";
    check_refusal(client,
                  {update(nested ? R"({"audio":{"input":)" + object + "}}" : object), code,
                   (nested ? "session.audio.input.turn_detection." : "session.turn_detection.") + std::string{name}});
  };
  refused(R"("threshold":1.7)", errc::invalid_value, "threshold");
  refused(R"("threshold":-1)", errc::invalid_value, "threshold");
  refused(R"("threshold":"high")", errc::invalid_type, "threshold");
  refused(R"("threshold":true)", errc::invalid_type, "threshold");
  refused(R"("silence_duration_ms":-5)", errc::invalid_value, "silence_duration_ms");
  refused(R"("silence_duration_ms":60001)", errc::invalid_value, "silence_duration_ms");
  refused(R"("silence_duration_ms":1.5)", errc::invalid_value, "silence_duration_ms");
  refused(R"("prefix_padding_ms":10001)", errc::invalid_value, "prefix_padding_ms");
  refused(R"("idle_timeout_ms":4999)", errc::invalid_value, "idle_timeout_ms");
  refused(R"("idle_timeout_ms":30001)", errc::invalid_value, "idle_timeout_ms");
  refused(R"("type":"foo")", errc::invalid_value, "type");
  refused(R"("type":null)", errc::invalid_type, "type");
  refused(R"("eagerness":"wild")", errc::invalid_value, "eagerness");
  refused(R"("create_response":1)", errc::invalid_type, "create_response");
  refused(R"("interrupt_response":"no")", errc::invalid_type, "interrupt_response");
  refused(R"("vad":1)", errc::unknown_parameter, "vad");
}

TEST_CASE("C37: a partial turn detection object holds only what it names", "[protocol][decode][session]") {
  const turn_detection_patch patch =
      **patch_of(R"({"turn_detection":{"threshold":0.8,"idle_timeout_ms":null}})").detection;
  CHECK(*patch.threshold == 0.8);
  CHECK_FALSE(patch.type.has_value());
  CHECK_FALSE(patch.silence_duration.has_value());
  REQUIRE(patch.idle_timeout.has_value());
  CHECK_FALSE(patch.idle_timeout->has_value());
}

// ---- F33 --------------------------------------------------------------------------------------------------------

// The error of a session that has server_vad or semantic_vad on, or what it then has.
result<session_settings> with_detection(turn_detection_type on, std::string_view object, bool nested) {
  const std::string member = R"({"turn_detection":)" + std::string{object} + "}";
  session_settings base;
  base.detection->type = on;
  return merged(std::move(base), patch_of(nested ? R"({"audio":{"input":)" + member + "}}" : member,
                                          nested ? dialect::openai : dialect::openai_beta));
}

TEST_CASE("F33: members of the other kind of turn detection are refused with their path", "[protocol][settings]") {
  const bool nested = GENERATE(true, false);
  const bool named = GENERATE(true, false);  // else the kind that is on decides
  const auto refuses = [&](turn_detection_type kind, const std::string& member, const std::string& name) {
    const bool semantic = kind == turn_detection_type::semantic_vad;
    const std::string type = semantic ? R"("type":"semantic_vad",)" : R"("type":"server_vad",)";
    const auto other = semantic ? turn_detection_type::server_vad : turn_detection_type::semantic_vad;
    const auto made = with_detection(named ? other : kind, "{" + (named ? type : "") + member + "}", nested);
    CAPTURE(member, nested, named);
    REQUIRE(made.has_error());
    CHECK(made.error().code == errc::unknown_parameter);
    const std::string path = (nested ? "session.audio.input.turn_detection." : "session.turn_detection.") + name;
    CHECK(made.error().param == path);
    CHECK_THAT(made.error().message, Catch::Contains("'" + path + "'"));
  };
  refuses(turn_detection_type::semantic_vad, R"("silence_duration_ms":500)", "silence_duration_ms");
  refuses(turn_detection_type::semantic_vad, R"("threshold":0.5)", "threshold");
  refuses(turn_detection_type::semantic_vad, R"("prefix_padding_ms":300)", "prefix_padding_ms");
  refuses(turn_detection_type::semantic_vad, R"("idle_timeout_ms":6000)", "idle_timeout_ms");
  refuses(turn_detection_type::server_vad, R"("eagerness":"auto")", "eagerness");
}

TEST_CASE("F33: members of the kind that is on, and of both kinds, are taken", "[protocol][settings]") {
  const bool nested = GENERATE(true, false);
  const auto semantic = turn_detection_type::semantic_vad, server = turn_detection_type::server_vad;
  CHECK(with_detection(semantic, R"({"eagerness":"high"})", nested)->detection->eager == eagerness::high);
  CHECK(with_detection(server, R"({"type":"semantic_vad","eagerness":"low","create_response":false})", nested)
            ->detection->eager == eagerness::low);
  CHECK(with_detection(server, R"({"silence_duration_ms":300})", nested)->detection->silence_duration ==
        milliseconds{300});
  CHECK(with_detection(semantic, R"({"type":"server_vad","threshold":0.25})", nested)->detection->threshold == 0.25);
  CHECK_FALSE(with_detection(semantic, R"({"interrupt_response":false})", nested)->detection->interrupt_response);
  // What a client saw of no timeout and sends back says nothing else than what holds.
  CHECK(with_detection(semantic, R"({"idle_timeout_ms":null})", nested).has_value());
}

TEST_CASE("F33: a transcription session refuses them too", "[protocol][settings]") {
  session_settings hears;
  hears.kind = session_kind::transcription;
  const auto made = merged(hears, patch_of(R"({"type":"transcription","audio":{"input":{"turn_detection":
      {"type":"semantic_vad","threshold":0.5}}}})"));
  REQUIRE(made.has_error());
  CHECK(made.error().param == "session.audio.input.turn_detection.threshold");
}

TEST_CASE("F33: what switches on and needs a type is named as the client wrote it", "[protocol][settings]") {
  session_settings off;
  off.detection.reset();
  CHECK(merged(off, patch_of(R"({"turn_detection":{"threshold":0.5}})")).error().param ==
        "session.turn_detection.type");
  CHECK(merged(off, patch_of(R"({"input_audio_noise_reduction":{"strength":0.5}})")).error().param ==
        "session.input_audio_noise_reduction.type");
}

TEST_CASE("C36: null and absent are told apart", "[protocol][decode][session]") {
  const session_patch off = patch_of(
      R"({"audio":{"input":{"turn_detection":null,"transcription":null,"noise_reduction":null}},"prompt":null})");
  REQUIRE((off.detection && off.transcription && off.noise && off.prompt));
  CHECK_FALSE((off.detection->has_value() || off.transcription->has_value() || off.noise->has_value() ||
               off.prompt->has_value()));
  const session_patch absent = patch_of(R"({"audio":{"input":{}}})");
  CHECK_FALSE((absent.detection || absent.transcription || absent.noise || absent.prompt || absent.instructions));
}

TEST_CASE("C36: null clears plain settings to their defaults", "[protocol][decode][session]") {
  const session_patch patch = patch_of(R"({"instructions":null,"tools":null,"tool_choice":null,
                                           "max_output_tokens":null,"temperature":null,"speed":null})");
  CHECK(patch.instructions == "");
  CHECK(patch.tools->empty());
  CHECK(*patch.choice == tool_choice{});
  REQUIRE(patch.max_output_tokens.has_value());
  CHECK_FALSE(patch.max_output_tokens->has_value());
  CHECK(*patch.temperature == 0.8);
  CHECK(*patch.speed == 1.0);
}

TEST_CASE("session.update: scalars outside their type or range are refused", "[protocol][decode][session]") {
  test_client client;
  const refusal row = GENERATE(
      refusal{R"({"speed":0.2})", errc::invalid_value, "session.speed"},
      refusal{R"({"audio":{"output":{"speed":1.6}}})", errc::invalid_value, "session.audio.output.speed"},
      refusal{R"({"temperature":2.1})", errc::invalid_value, "session.temperature"},
      refusal{R"({"temperature":"warm"})", errc::invalid_type, "session.temperature"},
      refusal{R"({"max_output_tokens":0})", errc::invalid_value, "session.max_output_tokens"},
      refusal{R"({"max_output_tokens":4097})", errc::invalid_value, "session.max_output_tokens"},
      refusal{R"({"max_output_tokens":"lots"})", errc::invalid_value, "session.max_output_tokens"},
      refusal{R"({"max_response_output_tokens":true})", errc::invalid_type, "session.max_response_output_tokens"},
      refusal{R"({"instructions":5})", errc::invalid_type, "session.instructions"},
      refusal{R"({"model":""})", errc::invalid_value, "session.model"},
      refusal{R"({"voice":7})", errc::invalid_type, "session.voice"},
      refusal{R"({"voice":""})", errc::invalid_value, "session.voice"},
      refusal{R"({"voice":null})", errc::invalid_type, "session.voice"},
      refusal{R"({"voice":{}})", errc::missing_required_parameter, "session.voice.id"},
      refusal{R"({"tool_choice":"maybe"})", errc::invalid_value, "session.tool_choice"},
      refusal{R"({"tool_choice":{"type":"mcp","server_label":"x"}})", errc::invalid_value, "session.tool_choice.type"},
      refusal{R"({"tools":[{"type":"mcp","server_label":"x"}]})", errc::invalid_value, "session.tools[0].type"},
      refusal{R"({"tool_choice":{"type":"mcp"}})", errc::invalid_value, "session.tool_choice.type"},
      refusal{R"({"tool_choice":{"type":"function"}})", errc::missing_required_parameter, "session.tool_choice.name"},
      refusal{R"({"tracing":"on"})", errc::invalid_value, "session.tracing"},
      refusal{R"({"tracing":1})", errc::invalid_type, "session.tracing"},
      refusal{R"({"prompt":"p"})", errc::invalid_type, "session.prompt"},
      refusal{R"({"include":{}})", errc::invalid_type, "session.include"},
      refusal{R"({"truncation":"some"})", errc::invalid_value, "session.truncation"},
      refusal{R"({"reasoning":[]})", errc::invalid_type, "session.reasoning"},
      refusal{R"({"parallel_tool_calls":"yes"})", errc::invalid_type, "session.parallel_tool_calls"},
      refusal{R"({"playback_commit_policy":"never"})", errc::invalid_value, "session.playback_commit_policy"},
      refusal{R"({"input_audio_noise_reduction":{"strength":1.5}})", errc::invalid_value,
              "session.input_audio_noise_reduction.strength"},
      refusal{R"({"prompt":{}})", errc::missing_required_parameter, "session.prompt.id"},
      refusal{R"({"prompt":{"id":"p","x":1}})", errc::unknown_parameter, "session.prompt.x"},
      refusal{R"({"prompt":{"id":"p","variables":{"v":{"type":"input_image"}}}})", errc::invalid_value,
              "session.prompt.variables.v.type"},
      refusal{R"({"include":["x"]})", errc::invalid_value, "session.include[0]"},
      refusal{R"({"tracing":{"x":1}})", errc::unknown_parameter, "session.tracing.x"},
      refusal{R"({"truncation":{"type":"retention_ratio"}})", errc::missing_required_parameter,
              "session.truncation.retention_ratio"},
      refusal{R"({"truncation":{"type":"retention_ratio","retention_ratio":2}})", errc::invalid_value,
              "session.truncation.retention_ratio"},
      refusal{R"({"reasoning":{"effort":"huge"}})", errc::invalid_value, "session.reasoning.effort"},
      refusal{R"({"input_audio_noise_reduction":{"type":"x"}})", errc::invalid_value,
              "session.input_audio_noise_reduction.type"},
      refusal{R"({"audio":{"input":{"transcription":{"model":"m","delay":"long"}}}})", errc::invalid_value,
              "session.audio.input.transcription.delay"},
      refusal{R"({"audio":{"input":{"transcription":{"model":null}}}})", errc::invalid_type,
              "session.audio.input.transcription.model"});
  check_refusal(client, {update(row.json), row.code, row.param});
}

TEST_CASE("F16: max_output_tokens is 1 to 4096 or inf, under each of its names", "[protocol][decode][session]") {
  const auto [spoken, name] = GENERATE(
      std::pair{dialect::openai, "max_output_tokens"}, std::pair{dialect::openai_beta, "max_response_output_tokens"},
      std::pair{dialect::duplex, "max_output_tokens"}, std::pair{dialect::duplex, "max_response_output_tokens"},
      std::pair{dialect::duplex, "max_tokens"});
  const auto session = [named = name](std::string_view value) {
    return R"({")" + std::string{named} + R"(":)" + std::string{value} + "}";
  };
  CHECK(**patch_of(session("1"), spoken).max_output_tokens == 1);
  CHECK(**patch_of(session("4096"), spoken).max_output_tokens == 4096);
  for (const char* none : {"\"inf\"", "null"}) {
    const auto patch = patch_of(session(none), spoken);
    REQUIRE(patch.max_output_tokens);
    CHECK_FALSE(patch.max_output_tokens->has_value());
  }
  for (const char* wrong : {"4097", "0", "-1", "1.5", "1e300", "\"4096\"", "\"Inf\"", "true", "[]"}) {
    CAPTURE(wrong);
    test_client client{spoken};
    CHECK(client.refused(update(session(wrong))).param == "session." + std::string{name});
  }
}

TEST_CASE("session.update: the playback policy is an extension", "[protocol][decode][session]") {
  CHECK(patch_of(R"({"playback_commit_policy":"ack_only"})").playback == playback_policy::ack_only);
  CHECK(patch_of(R"({"playback_commit_policy":"estimate"})").playback == playback_policy::estimate);
}

// ---- C35: tools -------------------------------------------------------------------------------------------------

std::string four_tools(std::string_view fourth) {
  return update(R"({"instructions":"new","tools":[{"type":"function","name":"a"},{"type":"function","name":"b"},
                    {"type":"function","name":"c"},)" +
                std::string{fourth} + "]}");
}

TEST_CASE("C35: one bad tool is named in the error", "[protocol][decode][tools]") {
  test_client client;
  const auto refused = [&](std::string_view fourth, errc code, std::string_view member) {
    check_refusal(client, {four_tools(fourth), code, "session.tools[3]" + std::string{member}});
  };
  refused(R"({"type":"function"})", errc::missing_required_parameter, ".name");
  refused(R"({"type":"function","name":"with spaces"})", errc::invalid_value, ".name");
  refused(R"({"type":"function","name":""})", errc::invalid_value, ".name");
  refused(R"({"type":"function","name":")" + std::string(65, 'n') + "\"}", errc::invalid_value, ".name");
  refused(R"({"type":"function","name":"b"})", errc::invalid_value, ".name");
  refused(R"({"type":"function","name":"d","parameters":"{}"})", errc::invalid_type, ".parameters");
  refused(R"({"type":"function","name":"d","description":")" + std::string(1'000'000, 'd') + "\"}", errc::invalid_value,
          ".description");
  refused(R"({"type":"function","name":"d","meta":{}})", errc::unknown_parameter, ".meta");
  refused(R"({"type":"mcp","name":"d"})", errc::invalid_value, ".type");
  refused(R"({"type":"function","name":"d","strict":"yes"})", errc::invalid_type, ".strict");
  refused("7", errc::invalid_type, "");
}

TEST_CASE("C35: good tools are kept whole and compact", "[protocol][decode][tools]") {
  test_client client;
  const auto patch = client
                         .accepted<session_update>(four_tools(
                             R"({ "type":"function", "name":"d-4_X", "parameters":{"type":"object","n":1.5} })"))
                         .patch;
  REQUIRE(patch.tools->size() == 4);
  CHECK((*patch.tools)[3].name == "d-4_X");
  CHECK((*patch.tools)[3].definition.text ==
        R"({"type":"function","name":"d-4_X","parameters":{"type":"object","n":1.5}})");
}

TEST_CASE("C35: the number of tools is bounded and none removes all", "[protocol][decode][tools]") {
  test_client client;
  const auto tools = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + (R"({"name":"f)" + std::to_string(i)) + "\"}";
    return update(R"({"tools":[)" + list + "]}");
  };
  CHECK(client.accepted<session_update>(tools(128)).patch.tools->size() == 128);
  check_refusal(client, {tools(129), errc::invalid_value, "session.tools"});
  CHECK(client.accepted<session_update>(tools(0)).patch.tools->empty());
}

TEST_CASE("C35: a chosen function is read in the GA and the beta spelling", "[protocol][decode][tools]") {
  const tool_choice expected{tool_choice_mode::function, "f"};
  CHECK(*patch_of(R"({"tool_choice":{"type":"function","name":"f"}})").choice == expected);
  CHECK(*patch_of(R"({"tool_choice":{"type":"function","function":{"name":"f"}}})").choice == expected);
  CHECK(patch_of(R"({"tool_choice":"none"})").choice->mode == tool_choice_mode::none);
}

}  // namespace
}  // namespace parley::protocol
