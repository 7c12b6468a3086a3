// Client secrets over a socket: how they are asked for and what they open.
#include "server/client_secrets.hpp"
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace parley::server::test;
namespace json = boost::json;

namespace {

constexpr const char* path = "/v1/realtime/client_secrets";
const header_lines with_key = {"Authorization: Bearer the-key"};

parley::config::config keyed() {
  auto out = test_config();
  out.auth.env_keys = {"the-key"};
  out.prompts = {{"greeter", "You greet {{guest}}."}};
  return out;
}

// A signing key in a file that is gone with the object.
struct temporary_key {
  temporary_key() {
    const int file = ::mkstemp(path.data());
    if (file >= 0) ::close(file);
    std::ofstream(path, std::ios::binary) << std::string(32, 'k');
  }
  ~temporary_key() { std::remove(path.c_str()); }
  temporary_key(const temporary_key&) = delete;
  temporary_key& operator=(const temporary_key&) = delete;
  std::string path = "/tmp/parley_secret_key_XXXXXX";
};

json::object fault(const http_reply& reply) { return json::parse(reply.body).at("error").as_object(); }

http_reply ask(test_server& server, std::string_view body, const header_lines& headers = with_key) {
  return wire_client(server.port).post(path, body, headers);
}

std::string minted(test_server& server, std::string_view body) {
  const auto reply = ask(server, body);
  REQUIRE(reply.status == 200);
  return std::string(json::parse(reply.body).at("value").as_string());
}

// The session of session.created of a client that comes with a secret alone.
json::value opened_with(test_server& server, const std::string& secret, std::string_view target = "/v1/realtime") {
  wire_client client(server.port);
  REQUIRE(client.upgrade(target, {"Authorization: Bearer " + secret}).status == 101);
  const auto created = client.next_event();
  REQUIRE(created);
  CHECK(created->at("type") == "session.created");
  return created->at("session");
}

}  // namespace

TEST_CASE("C69: the session of a secret is the session it opens", "[server][secrets]") {
  test_server server(keyed());
  const auto reply =
      ask(server, R"({"expires_after":{"anchor":"created_at","seconds":7200},"session":{"type":"realtime",
    "model":"other","instructions":"Be kind.","audio":{"input":{"turn_detection":null},"output":{"voice":"marin"}},
    "tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"tracing":"auto"}})");
  REQUIRE(reply.status == 200);
  CHECK(reply.header("Cache-Control") == "no-store");
  const auto made = json::parse(reply.body);
  auto told = made.at("session").as_object();
  CHECK(told.at("object") == "realtime.session");
  CHECK(told.at("instructions") == "Be kind.");
  auto opened = opened_with(server, std::string(made.at("value").as_string())).as_object();
  CHECK(told.at("id").as_string().starts_with("sess_"));
  CHECK(told.at("id") != opened.at("id"));
  told.erase("id");
  opened.erase("id");
  CHECK(told == opened);
  CHECK(opened.at("model") == "other");
}

TEST_CASE("C69: a secret opens several sessions, and its client may still change them", "[server][secrets]") {
  test_server server(keyed());
  const auto secret = minted(server, R"({"session":{"instructions":"Be kind.","output_modalities":["text"]}})");
  for (int round = 0; round < 2; ++round) {
    wire_client client(server.port);
    REQUIRE(client.upgrade("/v1/realtime?model=fake", {"api-key: " + secret}).status == 101);
    client.send_text(R"({"type":"session.update","session":{"type":"realtime","instructions":"Be brief."}})");
    const auto updated = client.wait_for("session.updated");
    REQUIRE(updated);
    CHECK(updated->at("session").at("instructions") == "Be brief.");
    CHECK(updated->at("session").at("output_modalities") == json::array{"text"});
  }
}

TEST_CASE("C70: a secret as subprotocol selects exactly realtime and is not echoed", "[server][secrets]") {
  test_server server(keyed());
  const auto secret = minted(server, "{}");
  const auto reply =
      wire_client(server.port)
          .upgrade("/v1/realtime", {"Sec-WebSocket-Protocol: realtime, openai-insecure-api-key." + secret});
  CHECK(reply.status == 101);
  CHECK(reply.header("Sec-WebSocket-Protocol") == "realtime");
  CHECK(reply.head.find("ek_") == std::string::npos);
}

TEST_CASE("C69: secrets are made for keys only", "[server][secrets]") {
  test_server server(keyed());
  CHECK(ask(server, "{}", {}).status == 401);
  CHECK(ask(server, "{}", {"Authorization: Bearer wrong"}).status == 401);
  const auto secret = minted(server, "{}");
  for (const auto& header : {"Authorization: Bearer " + secret, "api-key: " + secret,
                             "Sec-WebSocket-Protocol: openai-insecure-api-key." + secret}) {
    const auto reply = ask(server, "{}", {header});
    CHECK(reply.status == 401);
    CHECK(fault(reply).at("code") == "invalid_api_key");
  }
  // Refused by the head: a body that never comes is not waited for.
  CHECK(wire_client(server.port).get(path, {"Content-Length: 1000"}, "POST").status == 401);
  CHECK(wire_client(server.port).get(path, with_key).status == 405);
  CHECK(server.model->now().opened == 0);
}

TEST_CASE("C69: a forged, a foreign and a tampered secret open nothing", "[server][secrets]") {
  test_server server(keyed());
  test_server other(keyed());  // a random signing key of its own
  const auto secret = minted(server, R"({"session":{"model":"other"}})");
  auto flipped = secret;
  flipped[20] = flipped[20] == 'A' ? 'B' : 'A';
  for (const auto& wrong : {flipped, secret.substr(0, secret.size() - 2), minted(other, "{}")}) {
    CHECK(wire_client(server.port).upgrade("/v1/realtime", {"Authorization: Bearer " + wrong}).status == 401);
  }
  CHECK(wire_client(server.port).get("/v1/models", {"Authorization: Bearer " + secret}).status == 401);
  CHECK(server.model->now().opened == 0);
}

TEST_CASE("C69: servers with one signing key take each other's secrets until they expire", "[server][secrets]") {
  const temporary_key key;
  auto configuration = keyed();
  configuration.auth.secret_key_file = key.path;
  test_server server(configuration);
  test_server other(configuration);
  CHECK(opened_with(other, minted(server, R"({"session":{"model":"other"}})")).at("model") == "other");
  const parley::server::client_secrets maker(parley::server::load_signing_key(configuration.auth));
  const auto expired = maker.mint("{}", 1'600'000'000, std::chrono::seconds{7200}).value;
  CHECK(wire_client(other.port).upgrade("/v1/realtime", {"api-key: " + expired}).status == 401);
}

TEST_CASE("C69: the largest secret passes as a header, a larger session is refused", "[server][secrets]") {
  test_server server(keyed());
  const auto of = [](std::size_t bytes) {
    const std::string around = R"({"instructions":""})";
    return R"({"session":{"instructions":")" + std::string(bytes - around.size(), 'x') + R"("}})";
  };
  const auto largest = minted(server, of(16 * 1024));
  CHECK(largest.size() > 16 * 1024);
  CHECK(opened_with(server, largest).at("instructions").as_string().size() > 16'000);
  const auto reply = ask(server, of(16 * 1024 + 1));
  CHECK(reply.status == 400);
  CHECK(fault(reply).at("param") == "session");
}

TEST_CASE("secret_route: a mistake in the body is a 400 with the code and path of the field", "[server][secrets]") {
  test_server server(keyed());
  const auto mistake = [&](std::string_view body) {
    const auto reply = ask(server, body);
    CHECK(reply.status == 400);
    const auto error = fault(reply);
    CHECK(error.at("type") == "invalid_request_error");
    CHECK_FALSE(error.at("message").as_string().empty());
    return std::string(error.at("code").as_string()) + " " +
           (error.at("param").is_null() ? "-" : std::string(error.at("param").as_string()));
  };
  CHECK(mistake("") == "invalid_json -");
  CHECK(mistake("{") == "invalid_json -");
  CHECK(mistake("[]") == "invalid_value -");
  CHECK(mistake(R"({"expires_after":{"seconds":9}})") == "invalid_value expires_after.seconds");
  CHECK(mistake(R"({"expires_after":{"seconds":7201}})") == "invalid_value expires_after.seconds");
  CHECK(mistake(R"({"session":{"audio":{"input":{"format":5}}}})") == "invalid_type session.audio.input.format");
  CHECK(mistake(R"({"session":{"colour":"red"}})") == "unknown_parameter session.colour");
  CHECK(mistake(R"({"session":{"prompt":{"id":"none"}}})") == "invalid_value session.prompt.id");
  CHECK(mistake(R"({"session":{"tool_choice":{"type":"function","name":"f"}}})") ==
        "invalid_value session.tool_choice.name");
  CHECK(mistake(R"({"session":{"type":"transcription","instructions":"x"}})") ==
        "unknown_parameter session.instructions");
  const auto unknown = ask(server, R"({"session":{"model":"gpt-unknown"}})");
  CHECK(unknown.status == 404);
  CHECK(fault(unknown).at("code") == "model_not_found");
  CHECK(ask(server, R"({"session":{"prompt":{"id":"greeter","variables":{"guest":"Ada"}}}})").status == 200);
}

TEST_CASE("secret_route: bodies are bounded, with and without their length said", "[server][secrets]") {
  test_server server(keyed());
  const std::string large(1024 * 1024 + 1, ' ');
  CHECK(ask(server, large).status == 413);
  CHECK(ask(server, large.substr(1)).status == 400);  // all of it read: it is no JSON
  wire_client chunked(server.port);
  chunked.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\napi-key: the-key\r\n" +
               "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + large + "\r\n0\r\n\r\n");
  CHECK(chunked.read_reply().status == 413);
  wire_client small(server.port);
  small.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\napi-key: the-key\r\n" +
             "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
  CHECK(small.read_reply().status == 200);
}

TEST_CASE("secret_route: the connection is kept, and a body is asked for when its sender waits", "[server][secrets]") {
  test_server server(keyed());
  wire_client client(server.port);
  CHECK(client.post(path, "{}", with_key).status == 200);
  CHECK(client.post(path, "{}", with_key).status == 200);
  client.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\napi-key: the-key\r\n" +
              "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK(client.read_reply().status == 100);
  client.send("{}");
  CHECK(client.read_reply().status == 200);
  CHECK(client.get("/healthz").status == 200);
}

TEST_CASE("secret_route: a body that never ends is given up", "[server][secrets]") {
  auto configuration = keyed();
  configuration.server.handshake_timeout = std::chrono::seconds(1);
  test_server server(configuration);
  wire_client client(server.port);
  CHECK(client.get(path, {"api-key: the-key", "Content-Length: 1000"}, "POST").status == 0);
  CHECK(server.is_empty());
}

TEST_CASE("secret_route: a transcription secret opens a transcription session", "[server][secrets]") {
  test_server server(keyed());
  const auto secret = minted(server, R"({"session":{"type":"transcription","audio":{"input":{
    "transcription":{"model":"whisper-1","language":"en"}}}}})");
  const auto session = opened_with(server, secret);
  CHECK(session.at("type") == "transcription");
  CHECK(session.at("object") == "realtime.transcription_session");
  CHECK(session.at("audio").at("input").at("transcription").at("model") == "whisper-1");
  const auto plain = opened_with(server, minted(server, "{}"), "/v1/realtime?intent=transcription");
  CHECK(plain.at("audio").at("input").at("transcription").at("model") == "default");
}

TEST_CASE("secret_route: the beta forms", "[server][secrets]") {
  test_server server(keyed());
  const auto made =
      wire_client(server.port)
          .post("/v1/realtime/sessions", R"({"model":"fake","modalities":["text"],"voice":"alloy"})", with_key);
  REQUIRE(made.status == 200);
  const auto session = json::parse(made.body);
  CHECK(session.at("modalities") == json::array{"text"});
  CHECK(session.at("voice") == "alloy");
  const std::string secret(session.at("client_secret").at("value").as_string());
  CHECK(opened_with(server, secret).at("output_modalities") == json::array{"text"});

  const auto heard =
      wire_client(server.port)
          .post("/v1/realtime/transcription_sessions",
                R"({"input_audio_format":"pcm16","input_audio_transcription":{"model":"whisper-1"}})", with_key);
  REQUIRE(heard.status == 200);
  const std::string other(json::parse(heard.body).at("client_secret").at("value").as_string());
  CHECK(opened_with(server, other).at("type") == "transcription");
}
