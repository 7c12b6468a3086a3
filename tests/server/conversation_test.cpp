// One conversation through the socket, and where the model's answers come from another thread.
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <boost/json/object.hpp>
#include <catch2/catch.hpp>

#include <string>

using namespace parley;
using namespace parley::server::test;

TEST_CASE("session_call: session.created comes first and names the model asked for", "[server][session]") {
  test_server server;
  wire_client client(server.port);
  REQUIRE(client.upgrade("/v1/realtime?model=gpt-realtime-mini").status == 101);
  const auto first = client.next_event();
  REQUIRE(first);
  CHECK(first->at("type") == "session.created");
  CHECK(first->at("session").at("model") == "gpt-realtime-mini");
}

TEST_CASE("session_call: an answer that the model gives inside the call", "[server][session]") {
  test_server server;
  auto client = open_session(server.port);
  client.send_text(R"({"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}})");
  client.send_text(R"({"type":"response.create"})");
  const auto done = client.wait_for("response.done");
  REQUIRE(done);
  CHECK(done->at("response").at("status") == "completed");
}

TEST_CASE("session_call: an answer from another thread", "[server][session]") {
  test_server server(test_config(), fake_model::manner::silent);
  auto client = open_session(server.port);
  client.send_text(R"({"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}})");
  client.send_text(R"({"type":"response.create"})");
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1; }));
  const auto [sink, request] = server.model->now().requests.front();
  for (int i = 0; i < 100; ++i) sink->post(runtime::model_text{request.id, request.epoch, "word "});
  sink->post(runtime::model_done{request.id, request.epoch});
  const auto done = client.wait_for("response.done");
  REQUIRE(done);
  CHECK(done->at("response").at("status") == "completed");
}

TEST_CASE("session_call: output after the session went is dropped", "[server][session]") {
  test_server server(test_config(), fake_model::manner::silent);
  {
    auto client = open_session(server.port);
    client.send_text(R"({"type":"response.create"})");
    REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1; }));
  }
  const auto [sink, request] = server.model->now().requests.front();
  for (int i = 0; i < 1000; ++i) sink->post(runtime::model_text{request.id, request.epoch, "word "});
  CHECK(server.is_empty());
  sink->post(runtime::model_done{request.id, request.epoch});
  CHECK(server.model->now().alive == 0);
}

TEST_CASE("C78: at max_session the client gets session_expired and close 1001", "[server][session]") {
  auto configuration = test_config();
  configuration.limits.max_session = std::chrono::seconds(1);
  test_server server(configuration, fake_model::manner::endless);
  auto client = open_session(server.port);
  client.send_text(R"({"type":"response.create"})");
  const auto error = client.wait_for("error");
  REQUIRE(error);
  CHECK(error->at("error").at("code") == "session_expired");
  CHECK(client.close_code() == 1001);
  CHECK(server.model->wait([](const auto& seen) { return seen.alive == 0; }));
  CHECK(server.is_empty());
}
