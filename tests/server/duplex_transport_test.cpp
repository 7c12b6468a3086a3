// What the transport of the duplex dialect answers by itself, and in which order: statements 21 to 24, 50, 155, 158,
// 166, 168 and 185.
#include "tests/server/duplex_client.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace parley;
using namespace parley::server::test;

namespace {

constexpr std::size_t mib = 1024 * 1024;

// An event of that size.
std::string padded(std::size_t bytes) {
  const std::string head = R"({"type":"turn.signal","event":"large","payload":")", tail = "\"}";
  return head + std::string(bytes - head.size() - tail.size(), 'x') + tail;
}

}  // namespace

TEST_CASE("statement 21: commands take effect in the order they arrive", "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  for (int i = 0; i < 50; ++i) client.send(R"({"type":"turn.signal","event":")" + std::to_string(i) + "\"}");
  for (int i = 0; i < 50; ++i) CHECK(text_of(client.expect("turn.event"), "event") == std::to_string(i));
}

TEST_CASE("statement 22, 23: every event has an id, and every journaled one the next number", "[server][duplex]") {
  test_server server(duplex_config());
  duplex_client client(server.port, "model=fake");
  std::set<std::string> ids{text_of(client.expect("session.created"), "event_id")};
  for (int i = 0; i < 20; ++i) client.send(R"({"type":"session.heartbeat"})");
  client.send("no JSON");
  client.send(R"({"type":"response.cancel"})");
  for (std::uint64_t number = 1; number <= 22;) {
    const auto event = client.next();
    REQUIRE(event);
    ids.insert(text_of(*event, "event_id"));
    if (!event->contains("server_event_seq")) continue;
    CHECK(event->at("server_event_seq") == number);
    ++number;
  }
  CHECK(ids.size() == 24);
  for (const auto& id : ids) {
    CHECK(id.starts_with("event_"));
    CHECK(id.find_first_not_of("0123456789abcdef", 6) == std::string::npos);
  }
}

TEST_CASE("statement 24, 155, 158, 166: what the transport answers has no number, and the session lives on",
          "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"type":)", "invalid_json"},
      {"[]", "bad_event"},
      {R"({"event_id":"mine"})", "bad_event"},
      {R"({"type":"no.such.event","event_id":"mine"})", "unknown_event"},
      {R"({"type":"session.event_ack","event_id":"mine","server_event_seq":1000})", "invalid_event_ack"},
      {R"({"type":"session.event_ack","event_id":"mine","server_event_seq":-1})", "invalid_event_ack"},
      {R"({"type":"session.event_ack","event_id":"mine"})", "invalid_event_ack"},
      {R"({"type":"session.resume","event_id":"mine","session_id":"x","resume_token":"y"})",
       "unsupported_session_resume"},
      {R"({"type":"session.resume","event_id":"mine","session_id":7})", "unsupported_session_resume"},  // F19
      {R"({"type":"session.resume","event_id":"mine"})", "unsupported_session_resume"}};
  for (const auto& [text, code] : wrong) {
    CAPTURE(text);
    client.send(text);
    const auto event = client.expect("error");
    CHECK(text_of(event.at("error").as_object(), "code") == code);
    CHECK_FALSE(event.contains("server_event_seq"));
    const bool names_itself = text.find("\"type\":\"") != text.npos;
    if (names_itself) CHECK(event.at("error").at("event_id") == "mine");
  }
  const auto before = client.last;
  client.send(R"({"type":"response.cancel"})");
  CHECK(client.expect("error").at("server_event_seq") == before + 1);
}

TEST_CASE("statement 155: an acknowledgement up to the last number is not answered", "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  client.acknowledge(0);
  client.acknowledge(client.last);
  client.acknowledge(client.last);
  client.send(R"({"type":"turn.signal","event":"next"})");
  client.expect("turn.event");
}

TEST_CASE("statement 50: a message above 15 MiB is answered and dropped, one above 16 MiB ends the socket",
          "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  client.send(padded(15 * mib + 1));
  client.error("event_too_large");
  client.send(padded(15 * mib));
  CHECK(text_of(client.expect("turn.event"), "event") == "large");
  // The header alone.
  client.wire.send(frame_bytes(1, std::string(16 * mib + 1, 'x')).substr(0, 14));
  CHECK(client.wire.close_code() == 1009);
  // The session has only lost its socket.
  duplex_client next(server.port);
  next.resume(client, client.last);
  next.expect("session.resumed");
}

TEST_CASE("statement 24: a binary message is answered, and the session lives on", "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  client.wire.send(frame_bytes(2, R"({"type":"session.heartbeat"})"));
  client.error("bad_event");
  client.signal("here");
}

TEST_CASE("statement 185: acknowledgements around the close raise no error", "[server][duplex]") {
  test_server server(duplex_config());
  for (int round = 0; round < 20; ++round) {
    auto client = duplex_client::open(server.port);
    std::string all;
    for (int i = 0; i < 5; ++i) all += frame_bytes(1, R"({"type":"session.heartbeat"})");
    all += frame_bytes(1, R"({"type":"session.close"})");
    for (int i = 0; i < 5; ++i) all += frame_bytes(1, R"({"type":"session.event_ack","server_event_seq":1})");
    client.wire.send(all);
    for (int i = 0; i < 5; ++i) {
      client.expect("session.heartbeat_ack");
      client.acknowledge(client.last);
    }
    client.expect("session.closed");
    client.acknowledge(client.last);
    CHECK(client.wire.close_code() == 1000);
  }
}
