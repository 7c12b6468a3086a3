// C76: the way down.
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace parley;
using namespace parley::server::test;
using std::chrono::seconds;

namespace {

config::config draining(seconds limit) {
  auto out = test_config();
  out.server.drain_timeout = limit;
  return out;
}

void drain(test_server& server) {
  server->begin_shutdown();
  // Readiness is what a client can see of it.
  REQUIRE(server.eventually([&](const auto&) { return wire_client(server.port).get("/readyz").status == 503; }));
}

}  // namespace

TEST_CASE("C76: idle sessions close 1012, liveness stays, sessions are refused", "[server][drain]") {
  test_server server(draining(seconds(20)), fake_model::manner::silent);
  auto busy = open_session(server.port);
  busy.send_text(R"({"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}})");
  busy.send_text(R"({"type":"response.create"})");
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1; }));
  auto idle = open_session(server.port);
  drain(server);
  CHECK(idle.close_code() == 1012);
  CHECK(wire_client(server.port).get("/healthz").status == 200);
  CHECK(wire_client(server.port).upgrade().status == 503);
  // The running answer may end.
  const auto [sink, request] = server.model->now().requests.front();
  sink->post(runtime::model_text{request.id, request.epoch, "the end"});
  sink->post(runtime::model_done{request.id, request.epoch});
  const auto done = busy.wait_for("response.done");
  REQUIRE(done);
  CHECK(done->at("response").at("status") == "completed");
  CHECK(busy.close_code() == 1012);
  CHECK(server.wait_stopped());
}

TEST_CASE("C76: at the drain limit the rest is closed the same way", "[server][drain]") {
  test_server server(draining(seconds(1)), fake_model::manner::endless);
  std::vector<wire_client> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(open_session(server.port));
  for (auto& client : clients) client.send_text(R"({"type":"response.create"})");
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 10; }));
  server->begin_shutdown();
  for (auto& client : clients) CHECK(client.close_code() == 1012);
  CHECK(server.wait_stopped());
  CHECK(server.model->now().alive == 0);
  CHECK(server->failures() == 0);
}

TEST_CASE("C76: a peer that answers no close frame does not keep the process", "[server][drain]") {
  test_server server(draining(seconds(1)), fake_model::manner::endless);
  auto silent = open_session(server.port);
  silent.send_text(R"({"type":"response.create"})");
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1; }));
  server->begin_shutdown();
  CHECK(server.wait_stopped());
  CHECK(server.is_empty());
}

TEST_CASE("C76: a second signal ends it at once", "[server][drain]") {
  test_server server(draining(seconds(3600)), fake_model::manner::endless);
  auto client = open_session(server.port);
  client.send_text(R"({"type":"response.create"})");
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1; }));
  server->begin_shutdown();
  server->begin_shutdown();
  CHECK(server.wait_stopped());
  CHECK(server.model->now().alive == 0);
}

TEST_CASE("C76: before the first connection, and with idle sockets that are no sessions", "[server][drain]") {
  test_server lonely;
  lonely->begin_shutdown();
  CHECK(lonely.wait_stopped());
  test_server server;
  wire_client waiting(server.port);
  CHECK(waiting.get("/healthz").status == 200);
  server->begin_shutdown();
  CHECK(server.wait_stopped());
}
