// Peers that vanish.
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <thread>
#include <vector>

using namespace parley::server::test;

namespace {

const std::string ask = R"({"type":"response.create"})";
const std::string append = R"({"type":"input_audio_buffer.append","audio":")" + std::string(6400, 'A') + "\"}";

// The places of C60 where a peer resets its connection.
constexpr int places = 7;
void vanish(std::uint16_t port, int place) {
  if (place == 0) {
    wire_client client(port);
    client.send("GET /v1/realtime HTTP/1.1\r\nHost: x\r\nUpg");
    return client.reset();
  }
  if (place == 1) {
    wire_client client(port);
    static_cast<void>(client.upgrade());
    return client.reset();
  }
  auto client = open_session(port);
  if (place == 2) client.send(std::string("\x81", 1));
  if (place == 3) client.send(frame_bytes(1, append).substr(0, 1000));
  if (place == 4) client.send_text(append), client.send_text(R"({"type":"input_audio_buffer.commit"})");
  if (place == 5) client.send_text(ask), client.wait_for("response.output_audio.delta");
  if (place == 6) client.send(frame_bytes(8, close_payload(1000)));
  client.reset();
}

}  // namespace

TEST_CASE("C60: resets at every place leave the others alone and nothing behind", "[server][disconnect]") {
  test_server server(test_config(), fake_model::manner::endless);
  auto other = open_session(server.port);
  std::vector<std::thread> peers;
  for (int thread = 0; thread < 4; ++thread) {
    peers.emplace_back([&server, thread] {
      for (int round = 0; round < 3 * places; ++round) vanish(server.port, (round + thread) % places);
    });
  }
  for (auto& peer : peers) peer.join();
  CHECK(server.eventually([](const auto& one) { return one.sessions() == 1 && one.connections() == 1; }));
  other.send_text(R"({"type":"session.update","session":{"type":"realtime"}})");
  CHECK(other.wait_for("session.updated"));
  CHECK(server.model->wait([](const auto& seen) { return seen.alive == 1; }));
  CHECK(server->failures() == 0);
}

TEST_CASE("C58: the model session ends with the client, however it leaves", "[server][disconnect]") {
  test_server server(test_config(), fake_model::manner::endless);
  for (int round = 0; round < 4; ++round) {
    auto client = open_session(server.port);
    client.send_text(ask);
    REQUIRE(server.model->wait([&](const auto& seen) { return seen.asked == round + 1; }));
    if (round % 2 == 0) {
      client.reset();
    } else {
      client.send(frame_bytes(8, close_payload(1000)));
    }
    CHECK(server.model->wait([](const auto& seen) { return seen.alive == 0; }));
    CHECK(server.model->now().cancelled == round + 1);
  }
}

TEST_CASE("C58: a cancel of the client reaches the model", "[server][disconnect]") {
  test_server server(test_config(), fake_model::manner::silent);
  auto client = open_session(server.port);
  client.send_text(ask);
  REQUIRE(client.wait_for("response.created"));
  client.send_text(R"({"type":"response.cancel"})");
  CHECK(server.model->wait([](const auto& seen) { return seen.cancelled == 1; }));
  CHECK(client.wait_for("response.done"));
}

TEST_CASE("C46: nothing of a lost conversation reaches the next one", "[server][disconnect]") {
  test_server server(test_config(), fake_model::manner::endless);
  std::string before;
  for (int pair = 0; pair < 10; ++pair) {
    auto first = open_session(server.port);
    first.send_text(R"({"type":"conversation.item.create","item":{"type":"message","role":"user",)"
                    R"("content":[{"type":"input_text","text":"secret"}]}})");
    first.send_text(ask);
    REQUIRE(first.wait_for("response.output_audio.delta"));
    first.reset();
    wire_client second(server.port);
    REQUIRE(second.upgrade().status == 101);
    const auto created = second.next_event();
    REQUIRE(created);
    CHECK(created->at("type") == "session.created");
    const std::string id(created->at("session").at("id").as_string());
    CHECK(id != before);
    before = id;
    second.send_text(ask);
    const auto next = second.next_event();
    REQUIRE(next);
    CHECK(next->at("type") == "response.created");
    const int asked = 2 * (pair + 1);
    REQUIRE(server.model->wait([&](const auto& seen) { return seen.asked == asked; }));
    CHECK(server.model->now().prompts.back().empty());
  }
}
