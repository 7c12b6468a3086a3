// Pings in both directions and peers that do not read.
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <catch2/catch.hpp>

using namespace parley::server::test;
using std::chrono::seconds;

TEST_CASE("C65: the server pings a quiet connection, and a peer that answers stays", "[server][liveness]") {
  auto configuration = test_config();
  configuration.server.ping_interval = seconds(1);
  configuration.server.ping_timeout = seconds(1);
  test_server server(configuration);
  auto client = open_session(server.port);
  for (int round = 0; round < 2; ++round) {
    const auto ping = client.next_frame();
    REQUIRE(ping);
    CHECK(ping->opcode == 9);
    client.send(frame_bytes(10, ping->payload));
  }
  client.send_text(R"({"type":"session.update","session":{"type":"realtime"}})");
  CHECK(client.wait_for("session.updated"));
}

TEST_CASE("C65: a peer that answers no ping is given up and its slot is freed", "[server][liveness]") {
  auto configuration = test_config();
  configuration.server.ping_interval = seconds(1);
  configuration.server.ping_timeout = seconds(1);
  test_server server(configuration, fake_model::manner::endless);
  auto client = open_session(server.port);
  client.answers_pings = false;
  client.send_text(R"({"type":"response.create"})");
  CHECK(server.eventually([](const auto& one) { return one.sessions() == 0; }));
  CHECK(client.close_code() == 0);
  CHECK(server.model->wait([](const auto& seen) { return seen.alive == 0; }));
}

TEST_CASE("session_call: a peer that stops reading is given up after write_timeout", "[server][liveness]") {
  auto configuration = test_config();
  configuration.delivery.write_timeout = seconds(1);
  configuration.delivery.pace_ahead = std::chrono::milliseconds(0);
  configuration.delivery.max_bytes = 64 * 1024 * 1024;
  configuration.delivery.max_events = 100'000;
  test_server server(configuration, fake_model::manner::endless);
  auto client = open_session(server.port);
  // 4 MB of base64, more than a socket that nobody reads holds.
  client.send_text(R"({"type":"response.create"})");
  CHECK(server.eventually([](const auto& one) { return one.sessions() == 0; }));
  CHECK(server.model->wait([](const auto& seen) { return seen.alive == 0; }));
}

TEST_CASE("C62: a peer that breaks the framing and stays on the line is given up", "[server][liveness]") {
  auto configuration = test_config();
  configuration.server.ping_interval = seconds(1);
  configuration.delivery.write_timeout = seconds(1);
  test_server server(configuration);
  auto client = open_session(server.port);
  client.send(frame_bytes(3, "a reserved opcode"));
  CHECK(server.is_empty());
}

TEST_CASE("connection: a request that never comes ends at the handshake timeout", "[server][liveness]") {
  auto configuration = test_config();
  configuration.server.handshake_timeout = seconds(1);
  test_server server(configuration);
  wire_client client(server.port);
  client.send("GET /v1/realtime HTTP/1.1\r\n");
  CHECK(client.close_code() == 0);
  CHECK(server.is_empty());
}
