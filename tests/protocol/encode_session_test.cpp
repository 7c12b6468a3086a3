#include "protocol/encode_objects.hpp"
#include "tests/protocol/rendered.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace parley::protocol {
namespace {

constexpr dialect ga = dialect::openai;
constexpr dialect beta = dialect::openai_beta;

session_settings plain() {
  session_settings settings;
  settings.model = "talker";
  settings.instructions = "Be brief.";
  settings.voice = "slt";
  return settings;
}

// Everything that a client may set, set.
session_settings full() {
  session_settings settings = plain();
  settings.modality = output_modality::text;
  settings.max_output_tokens = 200;
  settings.temperature = 0.7;
  settings.tools = {{"a", raw_json{R"({"type":"function","name":"a","parameters":{"$schema":"x"}})"}}};
  settings.choice = {tool_choice_mode::function, "a"};
  settings.input_format = {audio_encoding::g711_ulaw, 8000};
  settings.output_format = {audio_encoding::g711_alaw, 8000};
  settings.transcription = transcription{"any-model", "de", "Names: Ada"};
  settings.noise = noise_reduction{microphone::far_field};
  settings.detection->type = turn_detection_type::semantic_vad;
  settings.detection->eager = eagerness::high;
  settings.detection->create_response = false;
  settings.speed = 1.25;
  settings.playback = playback_policy::ack_only;
  settings.parallel_tool_calls = false;
  settings.tracing = raw_json{R"("auto")"};
  settings.prompt = prompt_template{"pmpt_1", "3", {{"a \"b\"", "c"}}};
  settings.include_logprobs = true;
  settings.truncation = {truncation_type::retention_ratio, 0.5, 1000};
  settings.reasoning_effort = "low";
  return settings;
}

boost::json::value shown(dialect spoken, const session_settings& settings, std::optional<std::int64_t> expires = {}) {
  const session_view view{session_id{"sess_1"}, std::make_shared<session_settings>(settings), expires};
  return payload(spoken, session_created{view}).at("session");
}

TEST_CASE("encode_session: a GA session in full with defaults", "[protocol][encode]") {
  CHECK(shown(ga, plain()) == expected(R"({"type":"realtime","object":"realtime.session","id":"sess_1","model":"talker",
      "output_modalities":["audio"],"instructions":"Be brief.","tools":[],"tool_choice":"auto","max_output_tokens":"inf",
      "tracing":null,"prompt":null,"include":null,"truncation":"auto","playback_commit_policy":"estimate",
      "audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":null,
        "turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":500,
          "idle_timeout_ms":null,"create_response":true,"interrupt_response":true}},
       "output":{"format":{"type":"audio/pcm","rate":24000},"voice":"slt","speed":1}}})"));
}

TEST_CASE("encode_session: a GA session with everything set", "[protocol][encode]") {
  CHECK(shown(ga, full(), 1700000000) == expected(R"({"type":"realtime","object":"realtime.session","id":"sess_1",
      "model":"talker","output_modalities":["text"],"instructions":"Be brief.",
      "tools":[{"type":"function","name":"a","parameters":{"$schema":"x"}}],
      "tool_choice":{"type":"function","name":"a"},"max_output_tokens":200,
      "tracing":"auto","prompt":{"id":"pmpt_1","version":"3","variables":{"a \"b\"":"c"}},
      "include":["item.input_audio_transcription.logprobs"],"temperature":0.7,
      "truncation":{"type":"retention_ratio","retention_ratio":0.5,"token_limits":{"post_instructions":1000}},
      "reasoning":{"effort":"low"},"parallel_tool_calls":false,
      "playback_commit_policy":"ack_only","expires_at":1700000000,
      "audio":{"input":{"format":{"type":"audio/pcmu"},
        "transcription":{"model":"any-model","language":"de","prompt":"Names: Ada"},
        "noise_reduction":{"type":"far_field"},
        "turn_detection":{"type":"semantic_vad","eagerness":"high","create_response":false,"interrupt_response":true}},
       "output":{"format":{"type":"audio/pcma"},"voice":"slt","speed":1.25}}})"));
}

TEST_CASE("encode_session: a beta session is flat", "[protocol][encode]") {
  CHECK(shown(beta, plain()) == expected(R"({"object":"realtime.session","id":"sess_1","model":"talker",
      "modalities":["text","audio"],"instructions":"Be brief.","voice":"slt","speed":1,
      "input_audio_format":"pcm16","output_audio_format":"pcm16","input_audio_transcription":null,
      "input_audio_noise_reduction":null,
      "turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":500,
        "create_response":true,"interrupt_response":true},
      "tools":[],"tool_choice":"auto","temperature":0.8,"max_response_output_tokens":"inf"})"));
}

TEST_CASE("encode_session: a beta session with everything set", "[protocol][encode]") {
  CHECK(shown(beta, full(), 1700000000) == expected(R"({"object":"realtime.session","id":"sess_1","model":"talker",
      "modalities":["text"],"instructions":"Be brief.","voice":"slt","speed":1.25,
      "input_audio_format":"g711_ulaw","output_audio_format":"g711_alaw",
      "input_audio_transcription":{"model":"any-model","language":"de","prompt":"Names: Ada"},
      "input_audio_noise_reduction":{"type":"far_field"},
      "turn_detection":{"type":"semantic_vad","eagerness":"high","create_response":false,"interrupt_response":true},
      "tools":[{"type":"function","name":"a","parameters":{"$schema":"x"}}],
      "tool_choice":{"type":"function","name":"a"},"temperature":0.7,"max_response_output_tokens":200,
      "tracing":"auto","prompt":{"id":"pmpt_1","version":"3","variables":{"a \"b\"":"c"}},
      "include":["item.input_audio_transcription.logprobs"],
      "truncation":{"type":"retention_ratio","retention_ratio":0.5,"token_limits":{"post_instructions":1000}},
      "reasoning":{"effort":"low"},"parallel_tool_calls":false,"expires_at":1700000000})"));
}

TEST_CASE("encode_session: a transcription session has an input and nothing else", "[protocol][encode]") {
  auto settings = plain();
  settings.kind = session_kind::transcription;
  settings.transcription = transcription{.model = "m", .keywords = {"parley"}, .languages = {"en"}, .delay = "low"};
  settings.noise = noise_reduction{microphone::near_field, 0.5};
  CHECK(shown(ga, settings) == expected(R"({"type":"transcription","object":"realtime.transcription_session",
      "id":"sess_1","include":null,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},
        "transcription":{"model":"m","keywords":["parley"],"languages":["en"],"delay":"low"},
        "noise_reduction":{"type":"near_field","strength":0.5},
        "turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":500,
          "idle_timeout_ms":null}}}})"));
  const session_view view{session_id{"sess_1"}, std::make_shared<session_settings>(settings), {}};
  CHECK(type_of(beta, session_created{view}) == "transcription_session.created");
  CHECK(type_of(beta, session_updated{view}) == "transcription_session.updated");
}

TEST_CASE("encode_session: turn detection that is off is null", "[protocol][encode]") {
  auto settings = plain();
  settings.detection.reset();
  CHECK(shown(ga, settings).at_pointer("/audio/input/turn_detection").is_null());
  CHECK(shown(beta, settings).at("turn_detection").is_null());
}

TEST_CASE("encode_session: a tool choice may be a word", "[protocol][encode]") {
  auto settings = plain();
  settings.choice.mode = tool_choice_mode::required;
  CHECK(shown(ga, settings).at("tool_choice") == "required");
  settings.choice.mode = tool_choice_mode::none;
  CHECK(shown(beta, settings).at("tool_choice") == "none");
}

TEST_CASE("encode_session: an idle timeout and other words of a setting", "[protocol][encode]") {
  auto settings = plain();
  settings.detection->idle_timeout = std::chrono::milliseconds{6000};
  settings.noise = noise_reduction{microphone::near_field};
  settings.playback = playback_policy::commit_all_on_done;
  const auto json = shown(ga, settings);
  CHECK(json.at_pointer("/audio/input/turn_detection/idle_timeout_ms") == 6000);
  CHECK(json.at_pointer("/audio/input/noise_reduction/type") == "near_field");
  CHECK(json.at("playback_commit_policy") == "commit_all_on_done");
  for (const auto& [value, name] : {std::pair{eagerness::automatic, "auto"}, std::pair{eagerness::low, "low"},
                                    std::pair{eagerness::medium, "medium"}}) {
    settings.detection->type = turn_detection_type::semantic_vad;
    settings.detection->eager = value;
    CHECK(shown(ga, settings).at_pointer("/audio/input/turn_detection/eagerness") == name);
  }
}

TEST_CASE("encode_session: session.updated shows the same object", "[protocol][encode]") {
  const session_view view{session_id{"sess_1"}, std::make_shared<session_settings>(full()), {}};
  CHECK(type_of(ga, session_updated{view}) == "session.updated");
  CHECK(payload(ga, session_updated{view}) == payload(ga, session_created{view}));
}

}  // namespace
}  // namespace parley::protocol
