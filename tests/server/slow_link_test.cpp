// Peers on slow links, and peers that pretend to be: large messages both ways, stalls, closes, a long replay.
#include "tests/server/duplex_client.hpp"
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <thread>

using namespace parley;
using namespace parley::server::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::size_t mebibyte = 1024 * 1024;
// One step of a link that carries 2.5 MB a second.
constexpr std::size_t piece_bytes = 64 * 1024;
constexpr milliseconds piece_time{25};

config::config hasty() {
  auto out = duplex_config();
  out.server.ping_interval = seconds(1);
  out.server.ping_timeout = seconds(1);
  out.server.message_timeout = seconds(1);
  out.delivery.write_timeout = seconds(1);
  out.delivery.max_bytes = 64 * mebibyte;
  out.resume.journal_bytes = 64 * mebibyte;
  return out;
}

std::string user_text(std::size_t bytes) {
  return R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[)"
         R"({"type":"input_text","text":")" +
         std::string(bytes, 'x') + "\"}]}}";
}

std::string update_of(std::string_view target) {
  return target.find("duplex") != target.npos ? R"({"type":"session.update","session":{}})"
                                              : R"({"type":"session.update","session":{"type":"realtime"}})";
}

wire_client open_with_small_buffer(std::uint16_t port, const std::string& target) {
  wire_client client(port, 128 * 1024);
  REQUIRE(client.upgrade(target).status == 101);
  REQUIRE(client.wait_for("session.created"));
  return client;
}

}  // namespace

TEST_CASE("F3: who takes a large event steadily and slowly keeps the session", "[server][slow]") {
  test_server server(hasty());
  for (const std::string target : {"/v1/realtime", "/v1/realtime?duplex=1"}) {
    CAPTURE(target);
    auto client = open_with_small_buffer(server.port, target);
    client.send_text(user_text(8 * mebibyte));
    // Longer than write_timeout and ping_timeout together.
    for (std::size_t taken = 0; taken < 8 * mebibyte; taken += piece_bytes) {
      REQUIRE(client.take_in(piece_bytes));
      std::this_thread::sleep_for(piece_time);
    }
    REQUIRE(client.wait_for("conversation.item.added"));
    client.send_text(update_of(target));
    CHECK(client.wait_for("session.updated"));
  }
}

TEST_CASE("F3: who takes nothing of a large event is given up", "[server][slow]") {
  for (const std::string target : {"/v1/realtime", "/v1/realtime?duplex=1"}) {
    CAPTURE(target);
    auto configuration = hasty();
    configuration.server.ping_interval = seconds(3600);
    test_server server(configuration);
    auto client = open_with_small_buffer(server.port, target);
    client.send_text(user_text(14 * mebibyte));
    CHECK(server.is_empty());
  }
}

TEST_CASE("F3: who sends a large message steadily and slowly keeps the session", "[server][slow]") {
  test_server server(hasty());
  for (const std::string target : {"/v1/realtime", "/v1/realtime?duplex=1"}) {
    CAPTURE(target);
    auto client = open_session(server.port, target);
    const auto message = frame_bytes(1, update_of(target) + std::string(8 * mebibyte, ' '));
    for (std::size_t at = 0; at < message.size(); at += piece_bytes) {
      REQUIRE(client.send(std::string_view(message).substr(at, piece_bytes)));
      std::this_thread::sleep_for(piece_time);
    }
    CHECK(client.wait_for("session.updated"));
  }
}

TEST_CASE("F3: a message that does not come to its end closes 1008", "[server][slow]") {
  auto configuration = hasty();
  configuration.server.ping_interval = seconds(3600);
  test_server server(configuration);
  const std::string part(mebibyte, 'x');
  for (const std::string target : {"/v1/realtime", "/v1/realtime?duplex=1"}) {
    CAPTURE(target);
    SECTION("of fragments " + target) {
      auto client = open_session(server.port, target);
      client.send(frame_bytes(1, part, {.fin = false}) + frame_bytes(0, part, {.fin = false}));
      CHECK(client.close_code() == 1008);
      CHECK(client.close_text() == "message_timeout");
    }
    SECTION("of one frame " + target) {
      auto client = open_session(server.port, target);
      client.send(frame_bytes(1, part).substr(0, part.size() / 2));
      CHECK(server.is_empty());
    }
    SECTION("small, and pings go on " + target) {
      auto client = open_session(server.port, target);
      client.send(frame_bytes(1, "{", {.fin = false}) + frame_bytes(9, "still there?"));
      CHECK(client.close_code() == 1008);
    }
  }
  CHECK(server.is_empty());
  CHECK(server->failures() == 0);
}

TEST_CASE("F3: the session of an unfinished message can be resumed", "[server][slow][duplex]") {
  auto configuration = hasty();
  configuration.server.ping_interval = seconds(3600);
  configuration.resume.disconnect_grace = seconds(60);
  test_server server(configuration);
  auto first = duplex_client::open(server.port);
  first.wire.send(frame_bytes(1, "{", {.fin = false}));
  CHECK(first.wire.close_code() == 1008);
  duplex_client second(server.port);
  second.resume(first, first.last);
  second.expect("session.resumed");
  second.signal("here");
}

TEST_CASE("F37: a session that has ended takes no place, however slowly its peer closes", "[server][slow]") {
  auto configuration = duplex_config();
  configuration.limits.max_sessions = 1;
  SECTION("the peer does not answer the close frame") {
    configuration.limits.bad_messages_per_minute = 1;
    test_server server(configuration);
    auto first = open_session(server.port);
    for (int i = 0; i < 2; ++i) first.send_text("{");
    REQUIRE(first.wait_for("error"));
    auto frame = first.next_frame();
    while (frame && frame->opcode != 8) frame = first.next_frame();
    REQUIRE(frame);
    first.send_text("{");
    const auto second = open_session(server.port);
    CHECK(server->connections() == 2);
  }
  SECTION("the model could not be opened") {
    test_server server(configuration);
    server.model->refuse_to_open(true);
    wire_client first(server.port);
    REQUIRE(first.upgrade().status == 101);
    REQUIRE(first.next_frame()->opcode == 8);
    CHECK(wire_client(server.port).upgrade().status == 101);
  }
  SECTION("the peer does not read") {
    configuration.delivery.write_timeout = std::chrono::hours(1);
    configuration.delivery.pace_ahead = milliseconds(0);
    configuration.delivery.max_bytes = 64 * mebibyte;
    configuration.delivery.max_events = 100'000;
    configuration.limits.max_session = seconds(2);
    test_server server(configuration, fake_model::manner::endless);
    auto first = open_with_small_buffer(server.port, "/v1/realtime");
    first.send_text(R"({"type":"response.create"})");
    CHECK(server.eventually([](const auto& one) { return one.sessions() == 0; }));
    CHECK(server->connections() == 1);
    auto second = open_with_small_buffer(server.port, "/v1/realtime?duplex=1");
    second.send_text(user_text(10));
    second.send_text(R"({"type":"response.create"})");
    REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 2; }));
    second.send_text(R"({"type":"session.close"})");
    CHECK(server.eventually([](const auto& one) { return one.sessions() == 0; }));
    CHECK(server->connections() == 2);
    server->begin_shutdown();
    server->begin_shutdown();
  }
}

TEST_CASE("F24: a long replay does not end the session of a client that reads", "[server][slow][duplex]") {
  auto configuration = duplex_config();
  configuration.resume.disconnect_grace = seconds(60);
  configuration.resume.journal_bytes = 64 * mebibyte;
  configuration.delivery.max_events = 64;
  test_server server(configuration);
  constexpr int replayed = 600;
  auto first = duplex_client::open(server.port);
  const auto seen = first.last;
  const std::string words(30'000, 'x');
  const auto update = R"({"type":"session.update","session":{"instructions":")" + words + "\"}}";
  for (int i = 0; i < replayed; ++i) {
    first.send(update);
    first.expect("session.updated");
  }
  duplex_client second(server.port);
  second.resume(first, seen);
  second.expect("session.resumed");
  // A command for each event: more of them than the buffer holds before the replay is over.
  auto number = seen;
  for (int i = 0; i < replayed; ++i) {
    REQUIRE(text_of(second.expect("session.updated").at("session").as_object(), "instructions") == words);
    REQUIRE(second.last == ++number);
    second.send(R"({"type":"turn.signal","event":"live"})");
  }
  for (int i = 0; i < replayed; ++i) {
    REQUIRE(text_of(second.expect("turn.event"), "event") == "live");
    REQUIRE(second.last == ++number);
  }
}
