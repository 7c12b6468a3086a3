#include "config/load.hpp"

#include "support.hpp"

#include <catch2/catch.hpp>

namespace parley::config {
using namespace test;

TEST_CASE("load: without flags gives the built-in defaults", "[config][unit]") {
  const auto result = load_flags({});
  CHECK(result.mistakes.empty());
  CHECK_FALSE(result.check_only);
  CHECK_FALSE(result.print_and_exit);
  CHECK(result.value.server.listen == "127.0.0.1:8080");
  CHECK(result.value.models.size() == 3);
  CHECK(result.value.default_model == "local");
}

TEST_CASE("load: a file overrides single keys of every type", "[config][unit]") {
  const auto result = load_text(R"(
server: {listen: "[::1]:0", threads: 3, default_dialect: duplex, origins: [https://a.example, https://b.example], hosts: [c.example], ping_interval_s: 7}
limits: {max_session_s: 60, append_bytes: 1000}
session: {vad_threshold: 0.75, idle_timeout_s: null, instructions: 123, playback_commit_policy: ack_only}
delivery: {pace_ahead_ms: 0, on_overflow: fail_response}
auth: {allow_anonymous: true}
metrics: {enabled: false}
log: {level: off}
)");
  REQUIRE(places(result).empty());
  const auto& value = result.value;
  CHECK(value.server.listen == "[::1]:0");
  CHECK(value.server.threads == 3);
  CHECK(value.server.dialect == default_dialect::duplex);
  CHECK(value.server.origins == text_list{"https://a.example", "https://b.example"});
  CHECK(value.server.hosts == text_list{"c.example"});
  CHECK(value.server.ping_interval == seconds{7});
  CHECK(value.limits.max_session == seconds{60});
  CHECK(value.limits.append_bytes == 1000);
  CHECK(value.session.vad_threshold == 0.75);
  CHECK_FALSE(value.session.idle_timeout);
  CHECK(value.session.instructions == "123");
  CHECK(value.session.playback_commit_policy == "ack_only");
  CHECK(value.delivery.pace_ahead == milliseconds{0});
  CHECK(value.delivery.on_overflow == overflow_policy::fail_response);
  CHECK(value.auth.allow_anonymous == true);
  CHECK_FALSE(value.metrics.enabled);
  CHECK(value.log.level == log_level::off);
  CHECK(value.server.ping_timeout == seconds{20});
  CHECK(value.server.message_timeout == seconds{20});
}

TEST_CASE("load: an empty file and an empty section change nothing", "[config][unit]") {
  CHECK(load_text("").mistakes.empty());
  CHECK(load_text("# nothing\nserver:\n").mistakes.empty());
}

TEST_CASE("load: a model of the file extends the built-in one of that name", "[config][unit]") {
  const auto result =
      load_text("models: {local: {llm: {url: 'http://127.0.0.1:9/v1/chat/completions'}, voice: kal16}}");
  REQUIRE(places(result).empty());
  const auto& local = result.value.models.at("local");
  CHECK(local.local.llm.url == "http://127.0.0.1:9/v1/chat/completions");
  CHECK(local.local.voice == "kal16");
  CHECK(local.aliases.size() == 2);
  CHECK(result.value.models.size() == 3);
}

TEST_CASE("load: a model of the file with another adapter starts afresh", "[config][unit]") {
  const auto result =
      load_text("models: {scripted: {adapter: local}, local: {adapter: scripted, mode: echo, rate: 0}}");
  REQUIRE(places(result).empty());
  CHECK(result.value.models.at("scripted").scripted.replies.empty());
  CHECK(result.value.models.at("local").aliases.empty());
  CHECK(result.value.models.at("local").scripted.mode == scripted_mode::echo);
  CHECK(result.value.models.at("local").scripted.rate == 0);
}

TEST_CASE("load: a new model is added and one set to null is removed", "[config][unit]") {
  const auto result = load_text(R"(
default_model: mine
models:
  local: null
  mine: {adapter: scripted, aliases: [x*], replies: [{text: hi}, {text: ho, when: "yes"}]}
)");
  REQUIRE(places(result).empty());
  CHECK_FALSE(result.value.models.contains("local"));
  const auto& mine = result.value.models.at("mine");
  CHECK(mine.aliases == text_list{"x*"});
  REQUIRE(mine.scripted.replies.size() == 2);
  CHECK(mine.scripted.replies[0].text == "hi");
  CHECK_FALSE(mine.scripted.replies[0].when);
  CHECK(mine.scripted.replies[1].when == "yes");
}

TEST_CASE("load: flags win over the file, --listen and --model over --set", "[config][unit]") {
  const std::string file = "server: {listen: 127.0.0.1:1, threads: 1}\ndefault_model: local\n";
  const auto set = load_text(file, {"--set", "server.listen=127.0.0.1:2", "--set", "server.threads=2"});
  CHECK(set.mistakes.empty());
  CHECK(set.value.server.listen == "127.0.0.1:2");
  CHECK(set.value.server.threads == 2);
  const auto flags =
      load_text(file, {"--listen", "127.0.0.1:3", "--model", "scripted", "--set=server.listen=127.0.0.1:2"});
  CHECK(flags.mistakes.empty());
  CHECK(flags.value.server.listen == "127.0.0.1:3");
  CHECK(flags.value.default_model == "scripted");
}

TEST_CASE("load: --set takes lists, maps, model settings and later ones win", "[config][unit]") {
  const auto result = load_flags({"--set", "server.origins=[https://a.example, https://b.example]",  //
                                  "--set", "models.scripted.replies=[{text: hi}]",                   //
                                  "--set", "models.gpt-9={adapter: scripted}",                       //
                                  "--set", "models.scripted.transcript=\"\"",                        //
                                  "--set", "limits={max_sessions: 5, history_items: 6}",             //
                                  "--set", "limits.max_sessions=7"});
  REQUIRE(places(result).empty());
  CHECK(result.value.server.origins.size() == 2);
  CHECK(result.value.models.at("scripted").scripted.replies.size() == 1);
  CHECK(result.value.models.at("scripted").scripted.transcript.empty());
  CHECK(result.value.models.contains("gpt-9"));
  CHECK(result.value.limits.max_sessions == 7);
  CHECK(result.value.limits.history_items == 6);
}

TEST_CASE("load: --set reaches a model whose name holds dots", "[config][unit]") {
  const auto result = load_text("models: {gpt-4.1: {adapter: scripted}}", {"--set", "models.gpt-4.1.think_ms=9"});
  REQUIRE(places(result).empty());
  CHECK(result.value.models.at("gpt-4.1").scripted.think == milliseconds{9});
}

TEST_CASE("load: prompts are added, replaced and removed by id", "[config][unit]") {
  const std::string file = "prompts: {greeter: 'Hello {{name}}.', other: x}\n";
  const auto one = load_text(file, {"--set", "prompts.greeter=Hi", "--set", "prompts={other: null, 'third one': y}"});
  REQUIRE(places(one).empty());
  CHECK(one.value.prompts == std::map<std::string, std::string>{{"greeter", "Hi"}, {"third one", "y"}});
  CHECK(load_text(file).value.prompts.at("greeter") == "Hello {{name}}.");
  CHECK(load_text("prompts:\n").value.prompts.empty());
}

TEST_CASE("load: limits of the prompt and of the rate", "[config][unit]") {
  const auto plain = load_flags({}).value.limits;
  CHECK(plain.prompt_tokens == 28'000);
  CHECK_FALSE(plain.responses_per_minute);
  CHECK_FALSE(plain.tokens_per_minute);
  const auto set = load_text("limits: {prompt_tokens: 500, responses_per_minute: 30, tokens_per_minute: 40000}");
  REQUIRE(places(set).empty());
  CHECK(set.value.limits.prompt_tokens == 500);
  CHECK(set.value.limits.responses_per_minute == 30);
  CHECK(set.value.limits.tokens_per_minute == 40'000);
}

TEST_CASE("load: what a model-native talker decides and can", "[config][unit]") {
  const auto result = load_text(R"(limits: {pending_input_bytes: 7, pending_commits: 2}
models:
  scripted-native:
    chunk_period_ms: 200
    speak_on_units: [2, 5]
    fail_on_unit: 3
    lose_on_unit: 9
    capabilities: {barge_in: false, video: required, text_appends: true}
)");
  CHECK(places(result).empty());
  CHECK(result.value.limits.pending_input_bytes == 7);
  CHECK(result.value.limits.pending_commits == 2);
  const auto& script = result.value.models.at("scripted-native").scripted;
  CHECK(script.decisions.chunk_period == milliseconds{200});
  CHECK(script.decisions.speak_on_units == std::vector<int>{2, 5});
  CHECK(script.decisions.fail_on_unit == 3);
  CHECK_FALSE(script.decisions.stall_on_unit.has_value());
  CHECK(script.decisions.lose_on_unit == 9);
  CHECK_FALSE(script.capabilities.barge_in);
  CHECK(script.capabilities.resume);
  CHECK(script.capabilities.video == video_use::required);
  CHECK(script.capabilities.text_appends);
}

TEST_CASE("load: keys come from PARLEY_API_KEYS", "[config][unit]") {
  const auto result = load_flags({}, {{"PARLEY_API_KEYS", " one, two ,,three"}});
  CHECK(result.value.auth.env_keys == text_list{"one", "two", "three"});
  CHECK(load_flags({}, {{"PARLEY_API_KEYS", ""}}).value.auth.env_keys.empty());
}

TEST_CASE("load: --check, --version and --help", "[config][unit]") {
  CHECK(load_flags({"--check"}).check_only);
  const auto version = load_flags({"--version"}).print_and_exit;
  REQUIRE(version);
  CHECK(version->starts_with("parley "));
  const auto help = load_flags({"--help"}).print_and_exit;
  REQUIRE(help);
  for (const auto* flag : {"--config", "--listen", "--model", "--set", "--check", "--version"}) {
    CHECK(help->find(flag) != std::string::npos);
  }
}

}  // namespace parley::config
