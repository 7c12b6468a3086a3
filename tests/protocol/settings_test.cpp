#include "protocol/session_settings.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

namespace parley::protocol {
namespace {

using std::chrono::milliseconds;

tool named(std::string name) { return {std::move(name), raw_json{"{}"}}; }

// A session in which everything that can be switched off is on.
session_settings everything_on() {
  session_settings settings;
  settings.instructions = "old";
  settings.max_output_tokens = 100;
  settings.detection->silence_duration = milliseconds{700};
  settings.transcription = transcription{"whisper-1", "en", "names"};
  settings.noise = noise_reduction{microphone::near_field};
  settings.tracing = raw_json{"\"auto\""};
  settings.tools = {named("a"), named("b")};
  return settings;
}

TEST_CASE("settings: an empty patch changes nothing", "[protocol][settings]") {
  CHECK(*merged(everything_on(), {}) == everything_on());
}

TEST_CASE("settings: what a patch names is replaced", "[protocol][settings]") {
  session_patch patch;
  patch.instructions = "new";
  patch.modality = output_modality::text;
  patch.voice = "marin";
  patch.speed = 1.25;
  patch.temperature = 0.6;
  patch.input_format = audio_format{audio_encoding::g711_ulaw, 8000};
  patch.output_format = audio_format{audio_encoding::pcm16, 16000};
  patch.playback = playback_policy::ack_only;
  patch.prompt = prompt_template{"p"};
  const session_settings after = *merged(everything_on(), patch);
  session_settings expected = everything_on();
  expected.instructions = "new";
  expected.modality = output_modality::text;
  expected.voice = "marin";
  expected.speed = 1.25;
  expected.temperature = 0.6;
  expected.input_format = {audio_encoding::g711_ulaw, 8000};
  expected.output_format = {audio_encoding::pcm16, 16000};
  expected.playback = playback_policy::ack_only;
  expected.prompt = prompt_template{"p"};
  CHECK(after == expected);
}

TEST_CASE("settings: noise reduction keeps what a patch does not name", "[protocol][settings]") {
  session_patch weaker;
  weaker.noise = noise_reduction_patch{.strength = 0.25};
  CHECK(*merged(everything_on(), weaker)->noise == noise_reduction{microphone::near_field, 0.25});
  const auto refused = merged(session_settings{}, weaker);
  REQUIRE(refused.has_error());
  CHECK(refused.error().param == "session.audio.input.noise_reduction.type");
}

TEST_CASE("settings: the kind of a session is settled, and one that only hears has no voice", "[protocol][settings]") {
  session_patch other;
  other.kind = session_kind::transcription;
  CHECK(merged(session_settings{}, other).error().param == "session.type");
  session_settings hears;
  hears.kind = session_kind::transcription;
  CHECK(merged(hears, other).has_value());
  session_patch speaks;
  speaks.voice = "marin";
  CHECK(merged(hears, speaks).error().code == errc::unknown_parameter);
  CHECK(merged(hears, speaks).error().param == "session.audio.output.voice");
  session_patch answers;
  answers.detection = turn_detection_patch{.create_response = true};
  CHECK(merged(hears, answers).error().param == "session.audio.input.turn_detection.create_response");
}

TEST_CASE("C36: null switches off exactly what it names", "[protocol][settings]") {
  session_patch no_detection;
  no_detection.detection.emplace(std::nullopt);
  const session_settings silent = *merged(everything_on(), no_detection);
  CHECK_FALSE(silent.detection.has_value());
  CHECK(silent.transcription.has_value());

  session_patch no_transcription;
  no_transcription.transcription.emplace(std::nullopt);
  no_transcription.noise.emplace(std::nullopt);
  no_transcription.tracing.emplace(std::nullopt);
  no_transcription.max_output_tokens.emplace(std::nullopt);
  const session_settings off = *merged(silent, no_transcription);
  CHECK_FALSE((off.detection || off.transcription || off.noise || off.tracing || off.max_output_tokens));
  CHECK(*merged(off, {}) == off);
}

TEST_CASE("C36: detection is switched on again with a type", "[protocol][settings]") {
  session_settings off = everything_on();
  off.detection.reset();
  session_patch patch;
  patch.detection = turn_detection_patch{.type = turn_detection_type::server_vad};
  CHECK(*merged(off, patch)->detection == turn_detection{});
}

TEST_CASE("C37: a partial turn detection object is merged into what is on", "[protocol][settings]") {
  session_patch threshold;
  threshold.detection = turn_detection_patch{.threshold = 0.8};
  const session_settings first = *merged(everything_on(), threshold);
  CHECK(first.detection->type == turn_detection_type::server_vad);
  CHECK(first.detection->threshold == 0.8);
  CHECK(first.detection->silence_duration == milliseconds{700});

  session_patch silence;
  silence.detection =
      turn_detection_patch{.type = turn_detection_type::server_vad, .silence_duration = milliseconds{300}};
  const session_settings second = *merged(first, silence);
  CHECK(second.detection->threshold == 0.8);
  CHECK(second.detection->silence_duration == milliseconds{300});
}

TEST_CASE("C37: detection that is off is not switched on by guessing its type", "[protocol][settings]") {
  session_settings off = everything_on();
  off.detection.reset();
  session_patch patch;
  patch.detection = turn_detection_patch{.threshold = 0.8};
  const auto refused = merged(off, patch);
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::missing_required_parameter);
  CHECK(refused.error().param == "session.audio.input.turn_detection.type");
}

TEST_CASE("C37: a change of the detection type keeps who answers and interrupts", "[protocol][settings]") {
  session_settings base = everything_on();
  base.detection->create_response = false;
  base.detection->interrupt_response = false;
  session_patch patch;
  patch.detection = turn_detection_patch{.type = turn_detection_type::semantic_vad, .eager = eagerness::low};
  const session_settings semantic = *merged(base, patch);
  CHECK(semantic.detection->type == turn_detection_type::semantic_vad);
  CHECK(semantic.detection->eager == eagerness::low);
  CHECK_FALSE(semantic.detection->create_response);
  CHECK_FALSE(semantic.detection->interrupt_response);

  patch.detection = turn_detection_patch{.type = turn_detection_type::server_vad, .interrupt_response = true};
  const session_settings back = *merged(semantic, patch);
  CHECK(back.detection->type == turn_detection_type::server_vad);
  CHECK_FALSE(back.detection->create_response);
  CHECK(back.detection->interrupt_response);
}

TEST_CASE("settings: the idle timeout is set and cleared by itself", "[protocol][settings]") {
  session_patch patch;
  patch.detection = turn_detection_patch{.idle_timeout = std::optional{milliseconds{6000}}};
  const session_settings with = *merged(everything_on(), patch);
  CHECK(with.detection->idle_timeout == milliseconds{6000});
  turn_detection_patch cleared;
  cleared.idle_timeout.emplace(std::nullopt);
  patch.detection = cleared;
  CHECK_FALSE(merged(with, patch)->detection->idle_timeout.has_value());
}

TEST_CASE("settings: transcription merges and has a model when switched on", "[protocol][settings]") {
  session_patch patch;
  patch.transcription = transcription_patch{.language = "de"};
  CHECK(*merged(everything_on(), patch)->transcription == transcription{"whisper-1", "de", "names"});
  CHECK(*merged(session_settings{}, patch)->transcription == transcription{"default", "de", ""});
}

TEST_CASE("C35: a choice must name a tool of the resulting list", "[protocol][settings]") {
  session_patch patch;
  patch.choice = tool_choice{tool_choice_mode::function, "c"};
  const auto refused = merged(everything_on(), patch);
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::invalid_value);
  CHECK(refused.error().param == "session.tool_choice.name");
  patch.tools = std::vector<tool>{named("c")};
  const session_settings after = *merged(everything_on(), patch);
  CHECK(after.choice.function == "c");
  CHECK(after.tools.size() == 1);
}

TEST_CASE("C35: removing the chosen tool returns the choice to automatic", "[protocol][settings]") {
  session_settings base = everything_on();
  base.choice = {tool_choice_mode::function, "b"};
  session_patch patch;
  patch.tools = std::vector<tool>{};
  const session_settings after = *merged(base, patch);
  CHECK(after.tools.empty());
  CHECK(after.choice == tool_choice{});
  patch.tools = std::vector<tool>{named("b")};
  CHECK(merged(base, patch)->choice == base.choice);
}

}  // namespace
}  // namespace parley::protocol
