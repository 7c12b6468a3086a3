#include "config/validate.hpp"

#include "support.hpp"

#include <catch2/catch.hpp>

namespace parley::config {
using namespace test;

TEST_CASE("validate: a listen beyond loopback needs keys or a word", "[config][unit]") {
  const std::string open = "server: {listen: 0.0.0.0:8080}\n";
  CHECK(places(load_text(open)) == text_list{"1 server.listen"});
  CHECK(places(load_flags({"--listen", "[::]:0"})) == text_list{"--listen server.listen"});
  CHECK(load_text(open, {}, {{"PARLEY_API_KEYS", "k"}}).mistakes.empty());
  CHECK(load_text(open + "auth: {allow_anonymous: true}").mistakes.empty());
  const temporary_file keys{"# ours\n\n  key-1\n"};
  CHECK(load_text(open, {"--set", "auth.keys_file=" + keys.path()}).mistakes.empty());
}

TEST_CASE("F22: a variable for keys that holds none stops the start, wherever it listens", "[config][unit]") {
  const text_list mistake{"PARLEY_API_KEYS "};
  for (const auto* none : {" , ,", "", ",", " \t\n"}) {
    CAPTURE(none);
    const variables env{{"PARLEY_API_KEYS", none}};
    CHECK(places(load_flags({}, env)) == mistake);
    CHECK(places(load_text("auth: {allow_anonymous: true}", {"--listen", "0.0.0.0:0"}, env)) == mistake);
    CHECK(places(load_text("server: {listen: 0.0.0.0:8080}\n", {}, env)) ==
          text_list{"PARLEY_API_KEYS ", "1 server.listen"});
  }
  const temporary_file keys{"key-1\n"};
  CHECK(places(load_flags({"--set", "auth.keys_file=" + keys.path()}, {{"PARLEY_API_KEYS", ","}})) == mistake);
  CHECK(load_flags({}).mistakes.empty());
}

TEST_CASE("F5: an origin is what a browser sends, a host what it asks for", "[config][unit]") {
  const auto origins = [](const std::string& list) { return places(load_text("server: {origins: [" + list + "]}")); };
  const auto hosts = [](const std::string& list) { return places(load_text("server: {hosts: [" + list + "]}")); };
  CHECK(origins("https://a.example, 'http://localhost:3000', 'http://[::1]:5', '*', 'null', 'app://x'").empty());
  for (const auto* wrong : {"https://a.example/", "a.example", "https://", "''", "https://*.example", "'https://a?b'",
                            "://a", "'https://a b'"}) {
    CAPTURE(wrong);
    CHECK(origins(wrong) == text_list{"1 server.origins"});
  }
  CHECK(hosts("a.example, 'a.example:8443', localhost, 10.0.0.1, '[::1]', '[fe80::1]:80', '*', my_box").empty());
  for (const auto* wrong :
       {"https://a.example", "a.example/", "''", "'*.example'", "'a:b'", "'a:70000'", "'::1'", "'a b'", "'[::1'"}) {
    CAPTURE(wrong);
    CHECK(hosts(wrong) == text_list{"1 server.hosts"});
  }
  CHECK(places(load_text("server: {origins: [a, b], hosts: ['/']}")).size() == 3);
}

TEST_CASE("validate: without keys and without anonymous access nobody could connect", "[config][unit]") {
  const std::string closed = "auth:\n  allow_anonymous: false\n";
  CHECK(places(load_text(closed)) == text_list{"2 auth.allow_anonymous"});
  CHECK(load_text(closed, {}, {{"PARLEY_API_KEYS", "k"}}).mistakes.empty());
}

TEST_CASE("validate: the keys file must be readable and hold a key", "[config][unit]") {
  CHECK(places(load_text("auth: {keys_file: /no/such/file}")) == text_list{"1 auth.keys_file"});
  const temporary_file empty{"# none yet\n \n"};
  CHECK(places(load_text("auth: {keys_file: " + empty.path() + "}")) == text_list{"1 auth.keys_file"});
}

TEST_CASE("validate: the key of client secrets is a file of exactly 32 bytes", "[config][unit]") {
  const auto with = [](const std::string& path) { return load_text("auth: {secret_key_file: " + path + "}"); };
  CHECK(places(with("/no/such/file")) == text_list{"1 auth.secret_key_file"});
  for (const std::size_t bytes : {0U, 31U, 33U, 4096U}) {
    const temporary_file key{std::string(bytes, 'k')};
    INFO(bytes);
    CHECK(places(with(key.path())) == text_list{"1 auth.secret_key_file"});
  }
  const temporary_file key{std::string("\0\n#", 3) + std::string(29, '\xff')};
  CHECK(with(key.path()).mistakes.empty());
  CHECK(with(key.path()).value.auth.secret_key_file == key.path());
}

TEST_CASE("validate: the id of a prompt is one that the wire takes", "[config][unit]") {
  CHECK(load_text("prompts: {" + std::string(256, 'p') + ": x}").mistakes.empty());
  const auto long_id = load_text("prompts: {" + std::string(257, 'p') + ": x}");
  CHECK(places(long_id) == text_list{"1 prompts." + std::string(257, 'p')});
}

TEST_CASE("validate: the default model must exist", "[config][unit]") {
  const auto result = load_text("default_model: scriptd\n");
  CHECK(places(result) == text_list{"1 default_model"});
  CHECK(result.mistakes[0].text.find("`scripted`") != std::string::npos);
  CHECK(load_text("models: {local: null}").mistakes.size() == 1);
}

TEST_CASE("validate: an alias belongs to one model", "[config][unit]") {
  CHECK(places(load_text("models:\n  scripted:\n    aliases: [gpt-realtime*]\n")) ==
        text_list{"3 models.scripted.aliases"});
  CHECK(places(load_text("models:\n  scripted:\n    aliases: [a, a]\n")) == text_list{"3 models.scripted.aliases"});
  CHECK(places(load_text("models:\n  scripted:\n    aliases: [local]\n")) == text_list{"3 models.scripted.aliases"});
  CHECK(places(load_text("models:\n  scripted:\n    aliases: ['a*b', '', 'ok*']\n")) ==
        text_list{"3 models.scripted.aliases", "3 models.scripted.aliases"});
  CHECK(load_text("models: {scripted: {aliases: [scripted, a*]}}").mistakes.empty());
}

TEST_CASE("validate: the LLM is reached by http only", "[config][unit]") {
  for (const auto* url : {"https://a/v1", "a/v1", "http://", "http:///v1", "http://:80/", "'http://a b/'", "''"}) {
    INFO(url);
    CHECK(places(load_flags({"--set", std::string{"models.local.llm.url="} + url})) ==
          text_list{"--set models.local.llm.url"});
  }
  CHECK(load_flags({"--set", "models.local.llm.url=http://127.0.0.1:8000/v1/chat/completions"}).mistakes.empty());
}

TEST_CASE("validate: the variable of the LLM's key must be set", "[config][unit]") {
  const std::string text = "models:\n  local:\n    llm:\n      url: http://a/v1\n      key_env: LLM_KEY\n";
  CHECK(places(load_text(text)) == text_list{"5 models.local.llm.key_env"});
  CHECK(load_text(text, {}, {{"LLM_KEY", "k"}}).mistakes.empty());
}

TEST_CASE("validate: decisions on units need a model that hears units", "[config][unit]") {
  for (const auto* setting : {"chunk_period_ms: 200", "speak_on_units: [1]", "keep_listening: true", "fail_on_unit: 1",
                              "stall_on_unit: 1", "lose_on_unit: 1"}) {
    const std::string text{setting};
    INFO(text);
    const auto key = text.substr(0, text.find(':'));
    CHECK(places(load_text("models:\n  scripted:\n    " + text + "\n")) == text_list{"3 models.scripted." + key});
    CHECK(load_text("models: {scripted: {native: true, " + text + "}}").mistakes.empty());
  }
  CHECK(load_text("models: {scripted: {chunk_period_ms: 1000, speak_on_units: [], fail_on_unit: null}}")
            .mistakes.empty());
}

TEST_CASE("validate: a model-native talker is no echo", "[config][unit]") {
  CHECK(places(load_text("models:\n  scripted-native:\n    mode: echo\n")) ==
        text_list{"3 models.scripted-native.mode"});
}

TEST_CASE("validate: decisions that rule each other out", "[config][unit]") {
  const auto places_of = [](const std::string& settings) {
    return places(load_text("models:\n  scripted-native: {" + settings + "}\n"));
  };
  const std::string model = "2 models.scripted-native.";
  CHECK(places_of("keep_listening: true, speak_on_units: [1]") == text_list{model + "keep_listening"});
  CHECK(places_of("stall_on_unit: 3, lose_on_unit: 4") == text_list{model + "lose_on_unit"});
  CHECK(places_of("fail_on_unit: 3, stall_on_unit: 3") == text_list{model + "fail_on_unit"});
  CHECK(places_of("fail_on_unit: 4, lose_on_unit: 3") == text_list{model + "fail_on_unit"});
  CHECK(places_of("fail_on_unit: 2, lose_on_unit: 3, speak_on_units: [1]").empty());
}

}  // namespace parley::config
