#include "server/handshake.hpp"

#include "protocol/utf8.hpp"
#include "server/random_ids.hpp"
#include "tests/server/test_server.hpp"

#include <catch2/catch.hpp>

#include <optional>

using namespace parley;
using namespace parley::server;

namespace {

struct desk {
  config::config configuration = test::test_config();
  std::vector<std::string> keys{};
  bool draining = false;
  client_secrets secrets{{1, 2, 3}};
  std::int64_t now = 1'800'000'000;
  runtime::prompt_library prompts{{"greeter", "Hello {{name}}."}};

  std::variant<session_wish, http_response> ask(const std::string& target,
                                                std::vector<std::pair<std::string, std::string>> extra = {}) const {
    return ask_with_key("dGhlIHNhbXBsZSBub25jZQ==", target, std::move(extra));
  }
  std::variant<session_wish, http_response> ask_with_key(
      const std::string& websocket_key, const std::string& target,
      std::vector<std::pair<std::string, std::string>> extra = {}) const {
    prepare_randomness();
    const key_ring ring(keys);
    const model_catalog models(configuration, {{"fake", std::make_shared<test::fake_model>()},
                                               {"second", std::make_shared<test::fake_model>()}});
    const page_rules pages(configuration.server);
    http_request request{.method = "GET", .target = target, .headers = {}};
    request.headers = {{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "websocket"}};
    request.headers.insert(request.headers.end(),
                           {{"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Key", websocket_key}});
    request.headers.insert(request.headers.end(), extra.begin(), extra.end());
    return decide(
        request, *parse_target(target),
        {.menu = {configuration, models, &prompts}, .who = {ring, secrets, now}, .pages = pages, .draining = draining});
  }
  session_wish granted(const std::string& target, std::vector<std::pair<std::string, std::string>> extra = {}) const {
    return std::get<session_wish>(ask(target, std::move(extra)));
  }
  int refused(const std::string& target, std::vector<std::pair<std::string, std::string>> extra = {}) const {
    return std::get<http_response>(ask(target, std::move(extra))).status;
  }
};

}  // namespace

TEST_CASE("handshake: the model is found by name, alias and pattern and keeps the name asked for",
          "[server][handshake]") {
  const desk one;
  CHECK(one.granted("/v1/realtime").settings.model == "fake");
  CHECK(one.granted("/v1/realtime?model=").settings.model == "fake");
  CHECK(one.granted("/v1/realtime?model=other").settings.model == "other");
  CHECK(one.granted("/v1/realtime?model=gpt-realtime-2025-08-28").settings.model == "gpt-realtime-2025-08-28");
  CHECK(one.granted("/openai/realtime?deployment=fake").settings.model == "fake");
}

TEST_CASE("handshake: an unknown model is a 404 that lists the names", "[server][handshake]") {
  const auto answer = std::get<http_response>(desk{}.ask("/v1/realtime?model=gpt-unknown"));
  CHECK(answer.status == 404);
  CHECK(answer.body.find("fake") != std::string::npos);
  CHECK(answer.body.find("gpt-realtime*") != std::string::npos);
}

TEST_CASE("handshake: beta is told by header, subprotocol or api-version", "[server][handshake]") {
  using protocol::dialect;
  const desk one;
  CHECK(one.granted("/v1/realtime").dialect == dialect::openai);
  CHECK(one.granted("/v1/realtime", {{"openai-beta", "realtime=v1"}}).dialect == dialect::openai_beta);
  CHECK(one.granted("/v1/realtime", {{"Sec-WebSocket-Protocol", "realtime,openai-beta.realtime-v1"}}).dialect ==
        dialect::openai_beta);
  CHECK(one.granted("/openai/realtime?api-version=2024-10-01-preview&deployment=fake").dialect == dialect::openai_beta);
  CHECK(one.granted("/openai/realtime?api-version=2025-08-28").dialect == dialect::openai);
}

TEST_CASE("C70: realtime is selected if and only if it was offered", "[server][handshake]") {
  const desk one{.keys = {"k"}};
  CHECK(one.granted("/v1/realtime", {{"Authorization", "Bearer k"}}).subprotocol.empty());
  CHECK(one.granted("/v1/realtime", {{"Sec-WebSocket-Protocol", "openai-insecure-api-key.k"}}).subprotocol.empty());
  CHECK(one.granted("/v1/realtime", {{"Sec-WebSocket-Protocol", "openai-insecure-api-key.k,realtime"}}).subprotocol ==
        "realtime");
  CHECK(one.granted("/v1/realtime", {{"Sec-WebSocket-Protocol", "openai-organization.o"},
                                     {"Sec-WebSocket-Protocol", "openai-insecure-api-key.k"},
                                     {"Sec-WebSocket-Protocol", "realtime"}})
            .subprotocol == "realtime");
  CHECK(one.refused("/v1/realtime", {{"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key.j"}}) == 401);
}

TEST_CASE("C69: without the key every session path answers 401 before anything else", "[server][handshake]") {
  const desk one{.keys = {"k"}, .draining = true};
  for (const auto* path : {"/v1/realtime", "/v1/realtime/", "/v1/realtime?duplex=1", "/v1/realtime?model=nothing",
                           "/v1/duplex", "/openai/realtime?deployment=fake"}) {
    CAPTURE(path);
    CHECK(is_session_path(parse_target(path)->path));
    CHECK(one.refused(path) == 401);
  }
}

TEST_CASE("handshake: whose pages may come in is decided after the key", "[server][handshake]") {
  CHECK(desk{}.refused("/v1/realtime", {{"Origin", "https://evil.example"}}) == 403);
  CHECK(desk{.keys = {"k"}}.refused("/v1/realtime", {{"Origin", "https://evil.example"}}) == 401);
  desk one;
  one.configuration.server.origins = {"https://example.org"};
  CHECK(one.refused("/v1/realtime", {{"Origin", "https://evil.example"}}) == 403);
  CHECK(one.granted("/v1/realtime", {{"Origin", "https://example.org"}}).settings.model == "fake");
  CHECK(one.granted("/v1/realtime").settings.model == "fake");
}

TEST_CASE("handshake: draining is refused by its status", "[server][handshake]") {
  CHECK(desk{.draining = true}.refused("/v1/realtime") == 503);
  CHECK(desk{.draining = true}.refused("/v1/duplex") == 503);
}

// ---- what the URL asks for --------------------------------------------------------------------------------------

TEST_CASE("handshake: intent=transcription starts a transcription session of the default model",
          "[server][handshake]") {
  const auto wish = desk{}.granted("/v1/realtime?intent=transcription");
  CHECK(wish.settings.kind == protocol::session_kind::transcription);
  CHECK(wish.settings.model == "fake");
  CHECK(wish.settings.instructions.empty());
  REQUIRE(wish.settings.transcription);
  CHECK(wish.settings.transcription->model == "default");
  REQUIRE(wish.settings.detection);
  CHECK_FALSE(wish.settings.detection->create_response);
  CHECK(desk{}.granted("/v1/realtime?intent=other").settings.kind == protocol::session_kind::realtime);
  CHECK(desk{}.refused("/v1/realtime?intent=transcription&model=nothing") == 404);
}

TEST_CASE("handshake: Azure's paths, and who pays", "[server][handshake]") {
  const desk one{.keys = {"k"}};
  CHECK(one.granted("/openai/realtime?api-version=2025-04-01-preview&deployment=other", {{"api-key", "k"}})
            .settings.model == "other");
  CHECK(one.granted("/openai/v1/realtime?model=other", {{"api-key", "k"}}).dialect == protocol::dialect::openai);
  CHECK(one.granted("/v1/realtime", {{"Authorization", "Bearer k"},
                                     {"OpenAI-Organization", "org"},
                                     {"OpenAI-Project", "proj"},
                                     {"Sec-WebSocket-Protocol", "realtime, openai-organization.o, openai-project.p"}})
            .subprotocol == "realtime");
}

TEST_CASE("F34: on Azure's paths the deployment is the name that counts, in either order", "[server][handshake]") {
  desk one;
  one.configuration.models["second"] = {};
  for (const auto* path : {"/openai/realtime", "/openai/realtime/", "/openai/v1/realtime"}) {
    CAPTURE(path);
    const std::string at = path + std::string("?api-version=2025-08-28&");
    CHECK(one.granted(at + "deployment=second&model=other").settings.model == "second");
    CHECK(one.granted(at + "model=other&deployment=second").settings.model == "second");
    CHECK(one.granted(at + "model=other&deployment=").settings.model == "other");
    CHECK(one.granted(at + "model=nothing&deployment=second").settings.model == "second");
    CHECK(one.refused(at + "model=second&deployment=nothing") == 404);
  }
  CHECK(one.granted("/v1/realtime?deployment=second&model=other").settings.model == "other");
  CHECK(one.granted("/v1/realtime?deployment=second").settings.model == "second");
}

TEST_CASE("F22: a query that says two things about what decides the session is refused", "[server][handshake]") {
  const desk one;
  for (const auto* query :
       {"model=fake&model=other", "model=other&x=1&model=fake", "model=fake&%6dodel=other", "model=fake&model=",
        "deployment=fake&deployment=other", "intent=transcription&intent=realtime", "duplex=1&duplex=0",
        "duplex=1&autostart=0&autostart=1", "duplex=1&resume=1&resume=0", "api-version=1&api-version=2-preview"}) {
    CAPTURE(query);
    const auto answer = std::get<http_response>(one.ask(std::string("/v1/realtime?") + query));
    CHECK(answer.status == 400);
    CHECK(answer.body.find("\"param\":null") == std::string::npos);
  }
  CHECK(one.granted("/v1/realtime?model=other&model=other").settings.model == "other");
  CHECK(one.granted("/v1/realtime?model=other&colour=red&colour=blue").settings.model == "other");
  CHECK(desk{.keys = {"k"}}.refused("/v1/realtime?model=fake&model=other") == 401);
}

TEST_CASE("F11: the name in a 404 is cut between two characters", "[server][handshake]") {
  const desk one;
  for (std::size_t lead = 58; lead <= 64; ++lead) {
    const std::string name = std::string(lead, 'a') + "%E2%82%AC%F0%9F%98%80" + std::string(40, 'b');
    const auto answer = std::get<http_response>(one.ask("/v1/realtime?model=" + name));
    CHECK(answer.status == 404);
    CHECK(protocol::is_utf8(answer.body));
    CHECK(answer.body.find('b' + std::string(9, 'b')) == std::string::npos);
  }
}

TEST_CASE("F7: a visitor is known by what admitted it", "[server][handshake]") {
  const desk keyed{.keys = {"k", "j"}};
  const auto opener = [&](const std::string& key) {
    return keyed.granted("/v1/duplex", {{"Authorization", "Bearer " + key}}).opener;
  };
  REQUIRE(opener("k"));
  CHECK(opener("k") == opener("k"));
  CHECK(opener("k") != opener("j"));
  CHECK(keyed.granted("/v1/duplex", {{"api-key", "k"}}).opener == opener("k"));
  CHECK(keyed.granted("/v1/duplex", {{"Authorization", "Bearer wrong"}, {"api-key", "k"}}).opener == opener("k"));
  const auto secret = keyed.secrets.mint("{}", keyed.now, std::chrono::seconds{60}).value;
  REQUIRE(opener(secret));
  CHECK(opener(secret) != opener("k"));
  // Where everybody is admitted a key is none, whatever is sent for one.
  const desk open;
  CHECK_FALSE(open.granted("/v1/duplex").opener);
  CHECK_FALSE(open.granted("/v1/duplex", {{"Authorization", "Bearer any"}}).opener);
  CHECK(open.granted("/v1/duplex", {{"api-key", secret}}).opener == opener(secret));
}

TEST_CASE("handshake: a call can not be joined", "[server][handshake]") {
  const auto answer = std::get<http_response>(desk{}.ask("/v1/realtime?call_id=rtc_1"));
  CHECK(answer.status == 400);
  CHECK(answer.body.find("call_id") != std::string::npos);
  CHECK(desk{.keys = {"k"}}.refused("/v1/realtime?call_id=rtc_1") == 401);
}

TEST_CASE("handshake: Sec-WebSocket-Key is 16 bytes in base64, once", "[server][handshake]") {
  const desk one;
  const auto status = [&](const std::string& key) {
    const auto answer = one.ask_with_key(key, "/v1/realtime");
    const auto* refusal = std::get_if<http_response>(&answer);
    return refusal ? refusal->status : 101;
  };
  CHECK(status("AAAAAAAAAAAAAAAAAAAAAA==") == 101);
  for (const auto* wrong : {"", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAAA",
                            "A!AAAAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAAAAAA"}) {
    INFO(wrong);
    CHECK(status(wrong) == 400);
  }
  CHECK(one.refused("/v1/realtime", {{"Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}}) == 400);
}

// ---- client secrets ---------------------------------------------------------------------------------------------

namespace {

using named = std::pair<std::string, std::string>;

// The three places a secret may stand in.
std::vector<std::vector<named>> places(const std::string& secret) {
  return {{{"Authorization", "Bearer " + secret}},
          {{"api-key", secret}},
          {{"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key." + secret}}};
}

std::string secret_of(const desk& one, std::string_view session) {
  prepare_randomness();
  return one.secrets.mint(session, one.now, std::chrono::seconds{60}).value;
}

}  // namespace

TEST_CASE("C69: a client secret is a key in each of the three places, and binds the session", "[server][handshake]") {
  const desk one{.keys = {"k"}};
  const auto secret = secret_of(one, R"({"model":"other","instructions":"Be kind.","audio":{"output":{"voice":"v"}}})");
  for (const auto& headers : places(secret)) {
    const auto wish = one.granted("/v1/realtime", headers);
    CHECK(wish.settings.model == "other");
    CHECK(wish.settings.instructions == "Be kind.");
    CHECK(wish.settings.voice == "v");
    CHECK(one.granted("/v1/realtime?model=gpt-realtime", headers).settings.model == "gpt-realtime");
  }
}

TEST_CASE("C69: a client secret that is not good any more is no key", "[server][handshake]") {
  desk one{.keys = {"k"}};
  const auto secret = secret_of(one, R"({"model":"other"})");
  auto flipped = secret;
  flipped[40] = flipped[40] == 'A' ? 'B' : 'A';
  for (const auto& wrong : {flipped, secret.substr(0, secret.size() - 1), secret + "A", std::string("ek_")}) {
    for (const auto& headers : places(wrong)) CHECK(one.refused("/v1/realtime", headers) == 401);
  }
  one.now += 60;
  for (const auto& headers : places(secret)) CHECK(one.refused("/v1/realtime", headers) == 401);
}

TEST_CASE("C69: without keys a bad secret is refused all the same, any other key is not", "[server][handshake]") {
  desk one;
  const auto secret = secret_of(one, R"({"instructions":"Be kind."})");
  CHECK(one.granted("/v1/realtime", {{"api-key", secret}}).settings.instructions == "Be kind.");
  CHECK(one.granted("/v1/realtime", {{"api-key", "ek_dummy"}}).settings.instructions.empty());
  one.now += 60;
  CHECK(one.refused("/v1/realtime", {{"api-key", secret}}) == 401);
}

TEST_CASE("C69: a key beside an expired secret admits, a good secret beside a wrong key binds", "[server][handshake]") {
  desk one{.keys = {"k"}};
  const auto secret = secret_of(one, R"({"instructions":"Be kind."})");
  const std::string offer = "realtime, openai-insecure-api-key." + secret;
  const auto bound =
      one.granted("/v1/realtime", {{"Authorization", "Bearer wrong"}, {"Sec-WebSocket-Protocol", offer}});
  CHECK(bound.settings.instructions == "Be kind.");
  CHECK(bound.subprotocol == "realtime");
  one.now += 60;
  const auto plain = one.granted("/v1/realtime", {{"Authorization", "Bearer k"}, {"Sec-WebSocket-Protocol", offer}});
  CHECK(plain.settings.instructions.empty());
}

TEST_CASE("handshake: a secret opens what it was made for and nothing else", "[server][handshake]") {
  desk one{.keys = {"k"}};
  one.configuration.models["second"] = {};
  const named heard{"api-key", secret_of(one, R"({"type":"transcription"})")};
  const named spoken{"api-key", secret_of(one, R"({"type":"realtime","model":"fake"})")};
  const named open{"api-key", secret_of(one, "{}")};
  CHECK(one.granted("/v1/realtime", {heard}).settings.kind == protocol::session_kind::transcription);
  CHECK(one.granted("/v1/realtime?intent=transcription", {heard}).settings.transcription->model == "default");
  CHECK(one.refused("/v1/realtime?intent=transcription", {spoken}) == 403);
  CHECK(one.granted("/v1/realtime?intent=transcription", {open}).settings.kind ==
        protocol::session_kind::transcription);
  CHECK(one.granted("/v1/realtime?model=other", {spoken}).settings.model == "other");
  CHECK(one.refused("/v1/realtime?model=second", {spoken}) == 403);
  CHECK(one.granted("/v1/realtime?model=second", {open}).settings.model == "second");
  CHECK(one.refused("/v1/realtime?model=nothing", {open}) == 404);
}

TEST_CASE("handshake: a bound session that can not be is a 400 with its field", "[server][handshake]") {
  const desk one{.keys = {"k"}};
  CHECK(one.granted("/v1/realtime", {{"api-key", secret_of(one, R"({"prompt":{"id":"greeter"}})")}})
            .settings.prompt->id == "greeter");
  const auto answer =
      std::get<http_response>(one.ask("/v1/realtime", {{"api-key", secret_of(one, R"({"prompt":{"id":"gone"}})")}}));
  CHECK(answer.status == 400);
  CHECK(answer.body.find("session.prompt.id") != std::string::npos);
}

// ---- the duplex dialect -----------------------------------------------------------------------------------------

namespace {

using protocol::dialect;

const std::pair<std::string, std::string> beta_header{"OpenAI-Beta", "realtime=v1"};

}  // namespace

TEST_CASE("statement 1: the query, the path or the configuration make a connection one of the duplex dialect",
          "[server][handshake]") {
  desk one;
  for (const auto* yes : {"duplex=1", "duplex=true", "duplex=on"}) {
    CHECK(one.granted(std::string("/v1/realtime?") + yes).dialect == dialect::duplex);
  }
  CHECK(one.granted("/v1/duplex").dialect == dialect::duplex);
  CHECK(one.granted("/v1/realtime").dialect == dialect::openai);
  one.configuration.server.dialect = config::default_dialect::duplex;
  CHECK(one.granted("/v1/realtime").dialect == dialect::duplex);
  CHECK(one.granted("/v1/realtime", {beta_header}).dialect == dialect::openai_beta);
  for (const auto* no : {"duplex=0", "duplex=false", "duplex=off"}) {
    CHECK(one.granted(std::string("/v1/realtime?") + no).dialect == dialect::openai);
    CHECK(one.granted(std::string("/v1/realtime?") + no, {beta_header}).dialect == dialect::openai_beta);
  }
}

TEST_CASE("statement 2, 3: a session opens unasked unless the query says otherwise", "[server][handshake]") {
  const desk one;
  const auto autostart = [&](const std::string& query) { return one.granted("/v1/duplex?" + query).autostart; };
  CHECK(autostart("model=fake"));
  CHECK(autostart("model=fake&autostart=1&resume=0"));
  for (const auto* no : {"0", "false", "no", "off", "OFF"}) CHECK_FALSE(autostart(std::string("autostart=") + no));
  for (const auto* yes : {"1", "true", "yes", "on", "True"}) CHECK_FALSE(autostart(std::string("resume=") + yes));
}

TEST_CASE("statement 17, 19: a session of the duplex dialect starts with its own defaults", "[server][handshake]") {
  desk one;
  one.configuration.session.playback_commit_policy = "estimate";
  one.configuration.session.idle_timeout = std::chrono::seconds{7};
  const auto settings = one.granted("/v1/duplex?model=other&intent=transcription").settings;
  CHECK(settings.kind == protocol::session_kind::realtime);
  CHECK(settings.model == "other");
  CHECK(settings.input_format == protocol::audio_format{protocol::audio_encoding::pcm16, 16000});
  CHECK(settings.output_format == protocol::audio_format{protocol::audio_encoding::pcm16, 24000});
  CHECK_FALSE(settings.detection);
  CHECK(settings.playback == protocol::playback_policy::ack_only);
  CHECK(settings.duplex.idle_timeout_s == 7);
  CHECK(settings.duplex.overlap == protocol::overlap_policy::listen_only);
  one.configuration.session.idle_timeout.reset();
  CHECK_FALSE(one.granted("/v1/duplex").settings.duplex.idle_timeout_s);
  CHECK(one.refused("/v1/duplex?model=nothing") == 404);
}
