// The plain HTTP side, over a socket.
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

using namespace parley::server::test;

namespace {

std::string code_of(const http_reply& reply) {
  return std::string(boost::json::parse(reply.body).at("error").at("code").as_string());
}

parley::config::config keyed() {
  auto out = test_config();
  out.auth.env_keys = {"the-key"};
  return out;
}

}  // namespace

TEST_CASE("routes: health, readiness and models on one kept connection", "[server][routes]") {
  test_server server;
  wire_client client(server.port);
  CHECK(client.get("/healthz").body == "ok");
  CHECK(client.get("/readyz").status == 200);
  const auto models = client.get("/v1/models");
  CHECK(models.status == 200);
  const auto listed = boost::json::parse(models.body);
  CHECK(listed.at("object") == "list");
  CHECK(listed.at("data").as_array().size() == 3);
  CHECK(listed.at("data").at(0).at("object") == "model");
}

TEST_CASE("routes: HEAD answers as GET does, without the body", "[server][routes]") {
  test_server server(keyed());
  wire_client client(server.port);
  for (const auto* path : {"/healthz", "/readyz", "/v1/models"}) {
    INFO(path);
    const header_lines key{"Authorization: Bearer the-key"};
    const auto head = client.get(path, key, "HEAD");
    const auto got = client.get(path, key);  // on the same connection: a body would be in its way
    CHECK(head.status == 200);
    CHECK(got.status == 200);
    CHECK(head.header("Content-Length") == std::to_string(got.body.size()));
    CHECK(head.header("Content-Type") == got.header("Content-Type"));
  }
  CHECK(client.get("/v1/models", {}, "HEAD").status == 401);
  CHECK(wire_client(server.port).get("/nothing", {}, "HEAD").status == 404);
  // GET without an upgrade is a 426, too.
  CHECK(wire_client(server.port).get("/v1/realtime", {"api-key: the-key"}, "HEAD").status == 426);
}

TEST_CASE("routes: unknown paths, methods and broken requests get an error body", "[server][routes]") {
  test_server server;
  CHECK(code_of(wire_client(server.port).get("/nothing")) == "not_found");
  CHECK(wire_client(server.port).get("/healthz", {}, "DELETE").status == 405);
  CHECK(wire_client(server.port).get("/v1/realtime", {}, "POST").status == 405);
  CHECK(wire_client(server.port).get("/v1/realtime").status == 426);
  CHECK(wire_client(server.port).get("/%zz").status == 400);
  wire_client broken(server.port);
  broken.send("this is not http\r\n\r\n");
  CHECK(broken.read_reply().status == 400);
}

TEST_CASE("C69: a 64 KB header is refused and the answer arrives", "[server][routes]") {
  test_server server(keyed());
  wire_client client(server.port);
  CHECK(client.get("/v1/realtime", {"Authorization: Bearer " + std::string(65536, 'k')}).status == 431);
}

TEST_CASE("C69: no key, no models and no session", "[server][routes]") {
  test_server server(keyed());
  CHECK(wire_client(server.port).get("/v1/models").status == 401);
  CHECK(code_of(wire_client(server.port).upgrade("/v1/realtime")) == "invalid_api_key");
  CHECK(wire_client(server.port).upgrade("/v1/realtime?duplex=1").status == 401);
  CHECK(wire_client(server.port).upgrade("/v1/duplex").status == 401);
  CHECK(wire_client(server.port).upgrade("//v1/realtime").status == 404);
  CHECK(wire_client(server.port).upgrade("/v1/realtime", {"api-key: the-ke"}).status == 401);
  CHECK(wire_client(server.port).get("/healthz").status == 200);
  CHECK(wire_client(server.port).get("/v1/models", {"Authorization: Bearer the-key"}).status == 200);
  CHECK(server.model->now().opened == 0);
  CHECK(server->sessions() == 0);
}

TEST_CASE("C70: the browser's login selects exactly realtime and echoes no key", "[server][routes]") {
  test_server server(keyed());
  const auto reply = wire_client(server.port)
                         .upgrade("/v1/realtime", {"Sec-WebSocket-Protocol: openai-insecure-api-key.the-key",
                                                   "Sec-WebSocket-Protocol: realtime,openai-project.p"});
  CHECK(reply.status == 101);
  CHECK(reply.header("Sec-WebSocket-Protocol") == "realtime");
  CHECK(reply.head.find("the-key") == std::string::npos);
  const auto plain = wire_client(server.port).upgrade("/v1/realtime", {"Authorization: bearer the-key"});
  CHECK(plain.status == 101);
  CHECK(plain.header("Sec-WebSocket-Protocol") == std::nullopt);
}

TEST_CASE("routes: no session beyond max_sessions, and its slot comes back", "[server][routes]") {
  auto configuration = test_config();
  configuration.limits.max_sessions = 1;
  test_server server(configuration);
  {
    const auto first = open_session(server.port);
    CHECK(wire_client(server.port).upgrade().status == 503);
  }
  CHECK(server.eventually([](const auto& one) { return one.sessions() == 0; }));
  CHECK(wire_client(server.port).upgrade().status == 101);
}

TEST_CASE("routes: compression is not negotiated", "[server][routes]") {
  test_server server;
  const auto reply = wire_client(server.port).upgrade("/v1/realtime", {"Sec-WebSocket-Extensions: permessage-deflate"});
  CHECK(reply.status == 101);
  CHECK(reply.header("Sec-WebSocket-Extensions") == std::nullopt);
}
