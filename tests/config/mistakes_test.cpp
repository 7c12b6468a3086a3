// Mistakes in the text of a file or in flags: each is found, with its place, whatever else is wrong.
#include "support.hpp"

#include <catch2/catch.hpp>

namespace parley::config {
using namespace test;

namespace {

std::string only_text(const loaded& of) { return of.mistakes.size() == 1 ? of.mistakes[0].text : "not one mistake"; }

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("mistakes: ten in one file are all reported with line and key", "[config][unit]") {
  const auto result = load_text(R"(server:
  listen: 127.0.0.1:80800
  handshake_timeout: 5
  threads: many
  threads: 2
auth:
  keys: [secret]
session:
  vad_threshold: 1.5
delivery:
  reserve_bytes: 0
  on_overflow: explode
models:
  scripted:
    llm: {url: "http://127.0.0.1/"}
  local:
    llm:
      url: https://example.org/v1
telemetry: on
)");
  CHECK(places(result) == text_list{
                              "3 server.handshake_timeout",
                              "4 server.threads",
                              "5 server.threads",
                              "7 auth.keys",
                              "9 session.vad_threshold",
                              "11 delivery.reserve_bytes",
                              "12 delivery.on_overflow",
                              "15 models.scripted.llm.url",
                              "19 telemetry",
                              "2 server.listen",
                              "18 models.local.llm.url",
                          });
  for (const auto& one : result.mistakes) CHECK(one.file == "FILE");
}

TEST_CASE("mistakes: what is right beside a mistake still counts", "[config][unit]") {
  const auto result = load_text("limits: {max_sessions: x, history_items: 9}");
  CHECK(places(result) == text_list{"1 limits.max_sessions"});
  CHECK(result.value.limits.history_items == 9);
  CHECK(result.value.limits.max_sessions == 1000);
}

TEST_CASE("mistakes: a value of another type is refused, not converted", "[config][unit]") {
  for (const auto* line : {
           "limits: {max_sessions: 1.5}",
           "limits: {max_sessions: '5'}",
           "limits: {max_sessions: 0x10}",
           "limits: {max_sessions: [1]}",
           "limits: {max_sessions: }",
           "limits: {max_sessions: 99999999999999999999}",
           "limits: {max_session_s: -1}",
           "limits: {max_session_s: 10s}",
           "limits: {frame_bytes: -1}",
           "server: {ping_interval_s: null}",
           "server: {origins: https://a.example}",
           "server: {origins: [{a: b}]}",
           "server: {listen: 5000}",
           "session: {vad_threshold: nan}",
           "session: {vad_threshold: .5x}",
           "session: {voice: null}",
           "session: {voice: {a: b}}",
           "auth: {allow_anonymous: yes}",
           "metrics: {enabled: 'true'}",
           "log: {level: 3}",
           "log: loud",
           "limits: {prompt_tokens: 0}",
           "limits: {prompt_tokens: null}",
           "limits: {responses_per_minute: 0}",
           "limits: {tokens_per_minute: many}",
           "auth: {secret_key_file: []}",
           "prompts: hello",
           "prompts: [hello]",
           "prompts: {a: [b]}",
           "prompts: {a: {b: c}}",
           "prompts: {a: null}",
           "prompts: {a: b, a: c}",
           "prompts: {'': b}",
           "prompts: {[a]: b}",
           "models: {local: 5}",
           "models: [local]",
           "models: {scripted: {rate: fast}}",
           "models: {scripted: {replies: [hi]}}",
           "models: {scripted: {replies: [{when: x}]}}",
           "models: {scripted: {replies: [{text: null}]}}",
           "models: {scripted: {replies: [{text: a, text: b}]}}",
           "models: {scripted: {replies: [{text: a, then: b}]}}",
           "models: {scripted-native: {speak_on_units: 3}}",
           "models: {scripted-native: {speak_on_units: [x]}}",
           "models: {scripted-native: {speak_on_units: [0]}}",
           "models: {scripted-native: {speak_on_units: [1.5]}}",
           "models: {scripted-native: {speak_on_units: null}}",
           "models: {scripted-native: {chunk_period_ms: 19}}",
           "models: {scripted-native: {fail_on_unit: 0}}",
           "models: {scripted-native: {keep_listening: 1}}",
           "models: {scripted-native: {capabilities: {video: true}}}",
           "models: {scripted-native: {capabilities: {sight: true}}}",
           "models: {scripted-native: {capabilities: [video]}}",
           "limits: {pending_input_bytes: 0}",
           "limits: {pending_commits: 0}",
           "[server]",
           "{[a]: b}",
       }) {
    INFO(line);
    CHECK(load_text(line).mistakes.size() == 1);
  }
}

TEST_CASE("mistakes: both ends of a range belong to it", "[config][unit]") {
  CHECK(load_text("session: {vad_threshold: 0}").mistakes.empty());
  CHECK(load_text("session: {vad_threshold: 1}").mistakes.empty());
  CHECK(load_text("server: {threads: 1024}").mistakes.empty());
  const auto beyond = load_text("server: {threads: 1025}");
  CHECK(places(beyond) == text_list{"1 server.threads"});
  CHECK(only_text(beyond) == "must be from 0 to 1024, not 1025");
}

TEST_CASE("mistakes: an unknown key names the nearest one", "[config][unit]") {
  CHECK(says(only_text(load_text("server: {lisen: x}")), "`listen`"));
  CHECK(says(only_text(load_text("delivery: {write_timeout: 1}")), "`write_timeout_s`"));
  CHECK(says(only_text(load_text("model: {}")), "`models`"));
  CHECK(says(only_text(load_text("models: {local: {llm: {uri: x}}}")), "`url`"));
  CHECK(only_text(load_text("server: {xyzzy: 1}")) == "unknown key");
}

TEST_CASE("mistakes: an inline key is unknown and the text says where keys go", "[config][unit]") {
  for (const auto* line : {"auth: {keys: [a]}", "auth: {env_keys: [a]}", "auth: {key: a}"}) {
    CHECK(says(only_text(load_text(line)), "PARLEY_API_KEYS"));
  }
}

TEST_CASE("mistakes: a second section of the same name is read and reported", "[config][unit]") {
  const auto result = load_text("log: {level: warn}\nserver: {threads: 1}\nlog: {levle: info}\n");
  CHECK(places(result) == text_list{"3 log", "3 log.levle"});
}

TEST_CASE("mistakes: a model needs a known adapter, its other keys are checked all the same", "[config][unit]") {
  const auto result = load_text("models:\n  a: {rate: 1}\n  b: {adapter: magic, rat: 1, delta_ms: 0}\n  c: null\n");
  CHECK(places(result) ==
        text_list{"2 models.a", "3 models.b.adapter", "3 models.b.rat", "3 models.b.delta_ms", "4 models.c"});
}

TEST_CASE("mistakes: settings of the other adapter are refused", "[config][unit]") {
  const auto result = load_text("models:\n  scripted: {decoders: 1}\n  local:\n    rate: 1\n    replies: []\n");
  CHECK(places(result) == text_list{"2 models.scripted.decoders", "4 models.local.rate", "5 models.local.replies"});
}

TEST_CASE("mistakes: entries of a list are reported at their own line", "[config][unit]") {
  const auto result = load_text("models:\n  scripted:\n    replies:\n      - text: a\n      - txt: b\n");
  CHECK(places(result) == text_list{"5 models.scripted.replies[1].txt", "5 models.scripted.replies[1]"});
  const auto units = load_text("models:\n  scripted-native:\n    speak_on_units:\n      - 1\n      - 0\n");
  CHECK(places(units) == text_list{"5 models.scripted-native.speak_on_units[1]"});
}

TEST_CASE("mistakes: text that is no YAML is one mistake with its line", "[config][unit]") {
  const auto result = load_text("server:\n  listen: [1, 2\nlog: {}\n");
  REQUIRE(result.mistakes.size() == 1);
  CHECK(result.mistakes[0].line > 0);
  CHECK(says(result.mistakes[0].text, "is not YAML"));
  CHECK(load_text("a: 1\n---\nb: 2\n").mistakes.size() == 2);
}

TEST_CASE("mistakes: a file that can not be read", "[config][unit]") {
  CHECK(places(load_flags({"--config", "/no/such/file"})) == text_list{"--config /no/such/file"});
  CHECK(places(load_flags({"--config", "/"})) == text_list{"--config /"});
}

TEST_CASE("mistakes: every wrong flag is reported beside those of the file", "[config][unit]") {
  const auto result = load_text(
      "server: {x: 1}", {"--set", "server.threads=x", "--set", "nothing", "--set", "=1", "--set", "server..threads=1",
                         "--set", "log.level=[", "--listen", "nowhere", "--model", "absent", "--fast", "word"});
  CHECK(places(result) == text_list{"command line --fast", "command line word", "1 server.x", "--set server.threads",
                                    "--set nothing", "--set =1", "--set server.", "--set log.level",
                                    "--listen server.listen", "--model default_model"});
  CHECK(load_flags({"--listen"}).mistakes.size() == 1);
}

TEST_CASE("mistakes: printed as file, line, key and text", "[config][unit]") {
  CHECK(to_string(mistake{"a.yaml", 3, "log.level", "is wrong"}) == "a.yaml:3: log.level: is wrong");
  CHECK(to_string(mistake{"--set", 0, "log.level", "is wrong"}) == "--set: log.level: is wrong");
  CHECK(to_string(mistake{"a.yaml", 3, "", "is not YAML"}) == "a.yaml:3: is not YAML");
  CHECK(to_string(mistake{"", 0, "auth.keys_file", "is wrong"}) == "auth.keys_file: is wrong");
}

}  // namespace parley::config
