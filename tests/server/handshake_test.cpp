#include "server/handshake.hpp"

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
    prepare_randomness();
    const key_ring ring(keys);
    const model_catalog models(configuration, {{"fake", std::make_shared<test::fake_model>()}});
    http_request request{.method = "GET", .target = target, .headers = {}};
    request.headers = {{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "websocket"}};
    request.headers.insert(request.headers.end(),
                           {{"Sec-WebSocket-Version", "13"}, {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}});
    request.headers.insert(request.headers.end(), extra.begin(), extra.end());
    return decide(request, *parse_target(target),
                  {.menu = {configuration, models, &prompts}, .who = {ring, secrets, now}, .draining = draining});
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

TEST_CASE("handshake: origins are checked when configured", "[server][handshake]") {
  desk one;
  one.configuration.server.origins = {"https://example.org"};
  CHECK(one.refused("/v1/realtime", {{"Origin", "https://evil.example"}}) == 403);
  CHECK(one.granted("/v1/realtime", {{"Origin", "https://example.org"}}).settings.model == "fake");
  CHECK(one.granted("/v1/realtime").settings.model == "fake");
}

TEST_CASE("handshake: drain, duplex and the duplex alias are refused by their status", "[server][handshake]") {
  CHECK(desk{.draining = true}.refused("/v1/realtime") == 503);
  CHECK(desk{}.refused("/v1/realtime?duplex=1") == 501);
  CHECK(desk{}.refused("/v1/duplex") == 404);
}
