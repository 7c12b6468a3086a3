// What a peer may do with frames and messages, over a socket.
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <string>

using namespace parley::server::test;

namespace {

const std::string good = R"({"type":"session.update","session":{"type":"realtime","instructions":"🙂 be brief"}})";

bool is_usable(wire_client& client) { return client.send_text(good) && client.wait_for("session.updated").has_value(); }

int close_code_after(std::uint16_t port, const std::string& bytes) {
  auto client = open_session(port);
  client.send(bytes);
  return client.close_code();
}

}  // namespace

TEST_CASE("C59: each bad message gets one error and the session stays usable", "[server][frames]") {
  test_server server;
  auto client = open_session(server.port);
  client.send(frame_bytes(2, std::string("\x01\x02\x03\x04", 4)));
  CHECK(client.next_event()->at("type") == "error");
  client.send(frame_bytes(2, ""));
  CHECK(client.next_event()->at("type") == "error");
  for (const auto* text : {"", "null", "[]", "42", "{}", R"({"type":5})", R"({"type":"foo.bar"})", R"({"type":"ses)",
                           R"({"type":"input_audio_buffer.clear"}x)",
                           R"({"type":"input_audio_buffer.clear"}{"type":"input_audio_buffer.clear"})"}) {
    CAPTURE(text);
    client.send_text(text);
    const auto event = client.next_event();
    REQUIRE(event);
    CHECK(event->at("type") == "error");
    CHECK(event->at("error").at("type") == "invalid_request_error");
  }
  CHECK(is_usable(client));
}

TEST_CASE("C9: a message announced above the limit closes 1009 from its header", "[server][frames]") {
  test_server server;
  // 300 MB announced, nothing of it sent.
  CHECK(close_code_after(server.port, std::string("\x81\xff\0\0\0\0\x12\x00\0\0\x11\x22\x33\x44", 14)) == 1009);
}

TEST_CASE("C9: a large message that is no JSON is an error, not the end", "[server][frames]") {
  test_server server;
  auto client = open_session(server.port);
  client.send_text(std::string(16'000'000, 'x'));
  CHECK(client.next_event()->at("type") == "error");
  CHECK(is_usable(client));
}

TEST_CASE("C62: one event in 1-byte fragments with pings between", "[server][frames]") {
  test_server server;
  auto client = open_session(server.port);
  std::string bytes;
  for (std::size_t i = 0; i < good.size(); ++i) {
    bytes += frame_bytes(i == 0 ? 1 : 0, good.substr(i, 1), {.fin = i + 1 == good.size()});
    if (i % 16 == 0) bytes += frame_bytes(9, "ping " + std::to_string(i));
  }
  client.send(bytes);
  for (std::size_t i = 0; i < good.size(); i += 16) {
    const auto pong = client.next_frame();
    REQUIRE(pong);
    CHECK(pong->opcode == 10);
    CHECK(pong->payload == "ping " + std::to_string(i));
  }
  const auto updated = client.next_event();
  REQUIRE(updated);
  CHECK(updated->at("type") == "session.updated");
  CHECK(updated->at("session").at("instructions") == "🙂 be brief");
}

TEST_CASE("C62: a ping is answered with its payload while audio streams", "[server][frames]") {
  test_server server(test_config(), fake_model::manner::endless);
  auto client = open_session(server.port);
  client.send_text(R"({"type":"response.create"})");
  REQUIRE(client.wait_for("response.output_audio.delta"));
  client.send(frame_bytes(9, "still there?"));
  auto frame = client.next_frame();
  while (frame && frame->opcode != 10) frame = client.next_frame();
  REQUIRE(frame);
  CHECK(frame->payload == "still there?");
}

TEST_CASE("C62: invalid UTF-8 closes 1007", "[server][frames]") {
  test_server server;
  CHECK(close_code_after(server.port, frame_bytes(1, "{\"type\":\"\xff\xfe\"}")) == 1007);
  CHECK(close_code_after(server.port, frame_bytes(1, "\xf0\x9f", {.fin = false}) + frame_bytes(0, "x")) == 1007);
}

TEST_CASE("C62: violations of the framing close 1002", "[server][frames]") {
  test_server server;
  CHECK(close_code_after(server.port, frame_bytes(0, good)) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(1, "{", {.fin = false}) + frame_bytes(1, good)) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(9, std::string(126, 'p'))) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(9, "p", {.fin = false})) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(1, good, {.masked = false})) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(3, good)) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(1, good, {.reserved = 4})) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(8, "x")) == 1002);
  CHECK(close_code_after(server.port, frame_bytes(8, close_payload(1005))) == 1002);
}

TEST_CASE("C62: a close reason that is no UTF-8 is refused", "[server][frames]") {
  test_server server;
  const int code = close_code_after(server.port, frame_bytes(8, close_payload(1000, "\xff\xfe")));
  CHECK((code == 1007 || code == 1002));
}

TEST_CASE("F39: a close code that nobody may send is answered with 1002, any other with itself", "[server][frames]") {
  test_server server;
  for (const auto* target : {"/v1/realtime", "/v1/realtime?duplex=1"}) {
    CAPTURE(target);
    for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 9999, 65535}) {
      CAPTURE(code);
      auto client = open_session(server.port, target);
      client.send(frame_bytes(8, close_payload(static_cast<std::uint16_t>(code))));
      CHECK(client.close_code() == 1002);
    }
    for (const int code : {1000, 1001, 1011, 3000, 4000, 4999}) {
      CAPTURE(code);
      auto client = open_session(server.port, target);
      client.send(frame_bytes(8, close_payload(static_cast<std::uint16_t>(code), "fin")));
      CHECK(client.close_code() == code);
    }
  }
  CHECK(server.eventually([](const auto& one) { return one.connections() == 0; }));
  CHECK(server->failures() == 0);
}

TEST_CASE("F39: a forbidden close code in the middle of speech, too", "[server][frames]") {
  auto configuration = test_config();
  configuration.delivery.pace_ahead = std::chrono::milliseconds(0);
  configuration.delivery.max_bytes = 64 * 1024 * 1024;
  configuration.delivery.max_events = 100'000;
  test_server server(configuration, fake_model::manner::endless);
  auto client = open_session(server.port);
  client.send_text(R"({"type":"response.create"})");
  REQUIRE(client.wait_for("response.output_audio.delta"));
  client.send(frame_bytes(8, close_payload(5000)));
  CHECK(client.close_code() == 1002);
  CHECK(server.is_empty());
}

TEST_CASE("C64: deep nesting is an error and the session stays usable", "[server][frames]") {
  test_server server;
  auto client = open_session(server.port);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  const std::string brackets(200'000, '[');
  for (const auto& text :
       {brackets, objects, R"({"type":"session.update","session":{"tools":[{"parameters":)" + objects,
        R"({"type":"response.create","response":{"metadata":)" + brackets}) {
    client.send_text(text);
    const auto event = client.next_event();
    REQUIRE(event);
    CHECK(event->at("type") == "error");
  }
  CHECK(is_usable(client));
}

TEST_CASE("frames: a close of the peer is answered with its code", "[server][frames]") {
  test_server server;
  auto client = open_session(server.port);
  client.send(frame_bytes(8, close_payload(1000, "OK")));
  CHECK(client.close_code() == 1000);
  CHECK(server.is_empty());
}

TEST_CASE("frames: a model that can not be opened closes 1011 and tells nothing", "[server][frames]") {
  test_server server;
  server.model->refuse_to_open(true);
  wire_client client(server.port);
  REQUIRE(client.upgrade().status == 101);
  const auto frame = client.next_frame();
  REQUIRE(frame);
  CHECK(frame->opcode == 8);
  CHECK(frame->payload.substr(0, 2) == close_payload(1011));
  CHECK(frame->payload.find("no client may see") == std::string::npos);
}
