// What a request's head alone decides, over a socket: Host, Origin, methods, announced bodies.
#include "protocol/utf8.hpp"
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <string>

using namespace parley::server::test;

namespace {

constexpr const char* secrets = "/v1/realtime/client_secrets";
const std::string as_websocket =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

http_reply told(const test_server& server, const std::string& line, const std::string& headers) {
  wire_client client(server.port);
  client.send(line + " HTTP/1.1\r\n" + headers + "\r\n");
  return client.read_reply(!line.starts_with("HEAD"));
}

http_reply upgraded(const test_server& server, const std::string& headers, const std::string& target = "/v1/realtime") {
  return told(server, "GET " + target, as_websocket + headers);
}

std::string code_of(const http_reply& reply) {
  return std::string(boost::json::parse(reply.body).at("error").at("code").as_string());
}

parley::config::config keyed() {
  auto out = test_config();
  out.auth.env_keys = {"the-key"};
  return out;
}

}  // namespace

TEST_CASE("F5: a page of the web opens nothing, makes nothing and is told nothing", "[server][head]") {
  test_server server;
  for (const std::string page :
       {"Host: 127.0.0.1\r\nOrigin: https://evil.example\r\n", "Host: 127.0.0.1\r\nOrigin: null\r\n",
        "Host: evil.example:8080\r\nOrigin: http://evil.example:8080\r\n", "Host: evil.example\r\n",
        "Host: x\r\nOrigin: http://x\r\n"}) {
    CAPTURE(page);
    const auto socket = upgraded(server, page);
    CHECK(socket.status == 403);
    CHECK(code_of(socket).ends_with("_not_allowed"));
    CHECK(socket.body.find("server.") != std::string::npos);
    CHECK(upgraded(server, page, "/v1/realtime?duplex=1").status == 403);
    for (const auto* path : {secrets, "/v1/realtime/sessions", "/v1/realtime/transcription_sessions"}) {
      const auto made = told(server, std::string("POST ") + path, page + "Content-Length: 2\r\n\r\n{}");
      CHECK(made.status == 403);
      CHECK(made.header("Access-Control-Allow-Origin") == std::nullopt);
    }
    CHECK(told(server, "GET /v1/models", page).status == 403);
    CHECK(told(server, "GET /healthz", page).status == 200);
  }
  CHECK(server.model->now().opened == 0);
}

TEST_CASE("F5: programs and local pages get in", "[server][head]") {
  test_server server;
  for (const std::string visitor : {"Host: 127.0.0.1\r\n", "Host: localhost:9\r\n", "Host: x\r\n",
                                    "Host: localhost\r\nOrigin: http://localhost:3000\r\n"}) {
    CAPTURE(visitor);
    CHECK(upgraded(server, visitor).status == 101);
    CHECK(told(server, "GET /v1/models", visitor).status == 200);
  }
}

TEST_CASE("F22: a request has one Host", "[server][head]") {
  test_server server;
  for (const std::string hosts :
       {"", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nHost: evil.example\r\n", "Host:\r\n",
        "Host: a b\r\n", "Host: http://localhost\r\n", "Host: user@localhost\r\n"}) {
    CAPTURE(hosts);
    CHECK(upgraded(server, hosts).status == 400);
    CHECK(told(server, "GET /v1/models", hosts).status == 400);
    CHECK(told(server, "GET /healthz", hosts).status == 400);
  }
  wire_client old(server.port);
  old.send("GET /v1/models HTTP/1.0\r\n\r\n");
  CHECK(old.read_reply().status == 200);
}

TEST_CASE("F22: an absolute target works, and its host counts", "[server][head]") {
  test_server server;
  CHECK(upgraded(server, "Host: evil.example\r\n", "http://localhost:8080/v1/realtime?model=other").status == 101);
  CHECK(upgraded(server, "Host: localhost\r\n", "ws://evil.example/v1/realtime").status == 403);
  CHECK(told(server, "GET http://127.0.0.1/healthz", "Host: 127.0.0.1\r\n").body == "ok");
  CHECK(told(server, "GET http://127.0.0.1", "Host: 127.0.0.1\r\n").status == 404);
  CHECK(told(server, "GET v1/models", "Host: 127.0.0.1\r\n").status == 400);
}

TEST_CASE("F22: an upgrade that announces a body is refused, and so is a body of unknown length", "[server][head]") {
  test_server server;
  const std::string host = "Host: localhost\r\n";
  for (const auto* body : {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
                           "Transfer-Encoding: gzip, chunked\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n"}) {
    CAPTURE(body);
    CHECK(upgraded(server, host + body).status == 400);
    CHECK(upgraded(server, host + body, "/v1/duplex").status == 400);
  }
  CHECK(upgraded(server, host + "Content-Length: 0\r\n").status == 101);
  CHECK(upgraded(server, host + "Content-Length: 00\r\n").status == 101);
  // Where such a body ends is not known: what follows must not be taken for a request.
  wire_client smuggler(server.port);
  smuggler.send("POST " + std::string(secrets) + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n" +
                "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(smuggler.read_reply().status == 400);
  CHECK(smuggler.read_reply().status == 0);
}

TEST_CASE("F11: what a client put into the URL comes back as UTF-8 or not at all", "[server][head]") {
  test_server server;
  const std::string host = "Host: localhost\r\n";
  for (const auto* value : {"gpt-realtime%ff", "gpt-realtime\xff", "%c3", "gpt-realtime%00", "gpt-realtime%0d%0a",
                            "gpt-realtime%1b[2J", "gpt-realtime%c2%9b2J", "%ed%a0%80"}) {
    CAPTURE(value);
    for (const auto* path :
         {"/v1/realtime?model=", "/v1/duplex?model=", "/v1/realtime?colour=", "/openai/realtime?deployment="}) {
      const auto reply = upgraded(server, host, std::string(path) + value);
      CHECK(reply.status == 400);
      CHECK(parley::protocol::is_utf8(reply.head + reply.body));
    }
  }
  wire_client named(server.port);
  REQUIRE(named.upgrade("/v1/realtime?model=gpt-realtime%C3%A4").status == 101);
  CHECK(named.wait_for("session.created")->at("session").at("model") == "gpt-realtime\xc3\xa4");
}

TEST_CASE("F29: a 405 says what is allowed", "[server][head]") {
  test_server server(keyed());
  const std::string head = "Host: localhost\r\napi-key: the-key\r\nContent-Length: 0\r\n";
  for (const auto* path : {"/v1/realtime", "/v1/duplex", "/openai/realtime", "/v1/models", "/healthz", "/readyz"}) {
    for (const std::string method : {"POST", "PUT", "DELETE", "PATCH"}) {
      CAPTURE(path, method);
      const auto reply = told(server, method + " " + path, head);
      CHECK(reply.status == 405);
      CHECK(reply.header("Allow") == "GET, HEAD, OPTIONS");
    }
  }
  for (const auto* path : {secrets, "/v1/realtime/sessions", "/openai/v1/realtime/client_secrets"}) {
    for (const std::string method : {"GET", "HEAD", "PUT"}) {
      CAPTURE(path, method);
      const auto reply = told(server, method + " " + path, head);
      CHECK(reply.status == 405);
      CHECK(reply.header("Allow") == "POST, OPTIONS");
    }
  }
}

TEST_CASE("F29: HEAD of a session path answers as GET without an upgrade", "[server][head]") {
  test_server server;
  for (const auto* path : {"/v1/realtime", "/v1/duplex?model=fake", "/nothing"}) {
    const auto got = told(server, std::string("GET ") + path, "Host: localhost\r\n");
    const auto head = told(server, std::string("HEAD ") + path, "Host: localhost\r\n" + as_websocket);
    CHECK(head.status == got.status);
    CHECK(head.header("Content-Length") == std::to_string(got.body.size()));
    CHECK(head.header("Upgrade") == got.header("Upgrade"));
  }
}

TEST_CASE("F29: a page of the list asks first, posts, and may read both answers", "[server][head]") {
  auto configuration = keyed();
  configuration.server.origins = {"https://app.example.org"};
  test_server server(configuration);
  const std::string page = "Host: localhost\r\nOrigin: https://app.example.org\r\n";
  wire_client client(server.port);
  client.send("OPTIONS " + std::string(secrets) + " HTTP/1.1\r\n" + page +
              "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n\r\n");
  const auto asked = client.read_reply();
  CHECK(asked.status == 204);
  CHECK(asked.header("Access-Control-Allow-Origin") == "https://app.example.org");
  CHECK(asked.header("Access-Control-Allow-Methods") == "POST");
  CHECK(asked.header("Access-Control-Allow-Headers") == "authorization");
  CHECK(asked.header("Content-Length") == std::nullopt);
  CHECK(asked.header("Content-Type") == std::nullopt);
  const auto made = client.post(secrets, "{}", {"api-key: the-key", "Origin: https://app.example.org"});
  CHECK(made.status == 200);
  CHECK(made.header("Access-Control-Allow-Origin") == "https://app.example.org");
  CHECK(made.header("Vary") == "Origin");
  CHECK(told(server, "GET /v1/models", page + "api-key: the-key\r\n").header("Access-Control-Allow-Origin") ==
        "https://app.example.org");
  // Also what went wrong.
  const auto refused = told(server, "POST " + std::string(secrets), page + "Content-Length: 2\r\n\r\n{}");
  CHECK(refused.status == 401);
  CHECK(refused.header("Access-Control-Allow-Origin") == "https://app.example.org");
}

TEST_CASE("F29: a page that is not of the list is turned away by the preflight", "[server][head]") {
  test_server server(keyed());
  const auto refused =
      told(server, "OPTIONS " + std::string(secrets), "Host: localhost\r\nOrigin: https://evil.example\r\n");
  CHECK(refused.status == 403);
  CHECK(refused.header("Access-Control-Allow-Origin") == std::nullopt);
  const auto plain = told(server, "OPTIONS /v1/realtime", "Host: localhost\r\n");
  CHECK(plain.status == 204);
  CHECK(plain.header("Allow") == "GET, HEAD, OPTIONS");
  CHECK(told(server, "OPTIONS *", "Host: localhost\r\n").status == 204);
  CHECK(told(server, "OPTIONS /nothing", "Host: localhost\r\n").status == 404);
}
