// How sessions of the duplex dialect end, and clients that do not read: statements 168, 170 to 182, C47.
#include "tests/server/duplex_client.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace parley;
using namespace parley::server::test;
using std::chrono::seconds;

namespace {

const std::string ask = R"({"type":"response.create"})";
const std::string words = R"({"type":"conversation.item.create","item":{"type":"message","role":"user",)"
                          R"("content":[{"type":"input_text","text":"Go on."}]}})";

// Speech without end is put into the buffer as fast as it is made, until the buffer refuses it.
config::config unpaced() {
  auto out = duplex_config();
  out.delivery.pace_ahead = std::chrono::milliseconds{0};
  out.resume.disconnect_grace = seconds(60);
  return out;
}

std::string close_with(const std::string& reason) { return R"({"type":"session.close","reason":")" + reason + "\"}"; }

std::vector<std::string> types_of(const std::vector<boost::json::object>& events) {
  std::vector<std::string> types;
  for (const auto& one : events) types.push_back(text_of(one, "type"));
  return types;
}

}  // namespace

TEST_CASE("statement 170: session.closed is the last event, then the socket closes with its reason",
          "[server][duplex]") {
  test_server server(duplex_config());
  for (const auto* alias : {"session.close", "close", "close_session"}) {
    CAPTURE(alias);
    auto client = duplex_client::open(server.port);
    client.send(std::string(R"({"type":")") + alias + R"(","reason":"done"})");
    const auto closed = client.expect("session.closed");
    CHECK(text_of(closed, "session_id") == client.id);
    CHECK(closed.at("reason") == "done");
    CHECK(closed.at("event").is_object());
    CHECK_FALSE(client.next());
    CHECK(client.wire.close_code() == 1000);
    CHECK(client.wire.close_text() == "done");
  }
  auto client = duplex_client::open(server.port);
  client.send(R"({"type":"session.close"})");
  CHECK(client.expect("session.closed").at("reason") == "client_close");
  CHECK(client.wire.close_code() == 1000);
  CHECK(server.is_empty());
}

TEST_CASE("statement 170: a long reason is cut between two characters in the close frame", "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  std::string reason = "x";
  while (reason.size() < 200) reason += "\u00e9";
  client.send(close_with(reason));
  CHECK(text_of(client.expect("session.closed"), "reason") == reason);
  CHECK(client.wire.close_code() == 1000);
  CHECK(client.wire.close_text() == reason.substr(0, 123));
  CHECK(client.wire.close_text().size() == 123);
}

TEST_CASE("statement 171, 174: what was asked before the close is answered before session.closed, which comes once",
          "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  std::string all;
  for (int i = 0; i < 20; ++i) all += frame_bytes(1, R"({"type":"session.heartbeat"})");
  all += frame_bytes(1, R"({"type":"session.close"})") + frame_bytes(1, R"({"type":"session.close"})");
  client.wire.send(all);
  const auto types = types_of(client.rest());
  REQUIRE(types.size() >= 21);
  for (std::size_t i = 0; i < 20; ++i) CHECK(types[i] == "session.heartbeat_ack");
  CHECK(std::count(types.begin(), types.end(), "session.closed") == 1);
  CHECK(types.back() == "session.closed");
}

TEST_CASE("statement 172: a running answer ends cancelled before session.closed", "[server][duplex]") {
  test_server server(duplex_config(), fake_model::manner::endless);
  auto client = duplex_client::open(server.port);
  client.send(words);
  client.send(ask);
  client.until("response.output_audio.delta");
  client.send(R"({"type":"session.close"})");
  const auto done = client.until("response.done");
  CHECK(done.at("response").at("status") == "cancelled");
  CHECK(done.at("response").at("status_details").at("reason") == "session_close");
  const auto types = types_of(client.rest());
  CHECK(std::count(types.begin(), types.end(), "response.output_audio.delta") == 0);
  CHECK(types.back() == "session.closed");
  CHECK(server.model->now().alive == 0);
}

TEST_CASE("statement 173: audio that fills no unit is thrown away", "[server][duplex]") {
  test_server server(duplex_config(), fake_model::manner::native);
  auto client = duplex_client::open(server.port);
  client.send(R"({"type":"session.update","session":{"extra_body":{"auto_response":true}}})");
  client.expect("session.updated");
  client.send(R"({"type":"input_audio_buffer.append","is_speech":true,"audio":")" + std::string(6400, 'A') + "\"}");
  client.expect("input_audio_buffer.speech_started");
  client.send(R"({"type":"session.close"})");
  client.until("session.closed");
  CHECK(server.model->now().units == 0);
}

TEST_CASE("statement 175: drain ends sessions with reason shutdown, detached ones too", "[server][duplex]") {
  test_server server(unpaced());
  auto attached = duplex_client::open(server.port);
  auto detached = duplex_client::open(server.port);
  detached.wire.reset();
  duplex_client unopened(server.port);
  server->begin_shutdown();
  CHECK(attached.expect("session.closed").at("reason") == "shutdown");
  CHECK_FALSE(attached.next());
  CHECK(attached.wire.close_code() == 1012);
  CHECK(unopened.turned_away("server_shutdown") == 1012);
  CHECK(server.wait_stopped());
  CHECK(server->sessions() == 0);
  CHECK(server.model->now().alive == 0);
  CHECK(server->failures() == 0);
}

TEST_CASE("statement 180: close details that are too large are replaced", "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  client.send(close_with(std::string(5000, 'x')));
  const auto closed = client.expect("session.closed");
  CHECK(closed.at("reason") == "close_details_exceed_output_limit");
  CHECK(closed.at("event").as_object().empty());
  CHECK(text_of(closed, "session_id") == client.id);
  CHECK(client.wire.close_code() == 1000);
}

TEST_CASE("statement 176, 177, 179, 181, 182: the session of a client that does not read ends, and no other",
          "[server][duplex]") {
  test_server server(unpaced(), fake_model::manner::endless);
  auto other = duplex_client::open(server.port);
  auto client = duplex_client::open(server.port);
  client.send(words);
  client.send(ask);
  REQUIRE(server.model->wait([](const auto& seen) { return seen.alive == 1; }));
  other.signal("untouched");
  const auto events = client.rest();
  const auto types = types_of(events);
  const auto at = std::find(types.begin(), types.end(), "error");
  REQUIRE(at != types.end());
  const auto& error = events[static_cast<std::size_t>(at - types.begin())].at("error").as_object();
  CHECK(error.at("code") == "output_backpressure");
  CHECK(error.at("type") == "rate_limit_error");
  // Nothing but the endings follows.
  for (auto next = at + 1; next != types.end(); ++next) CHECK_FALSE(next->ends_with(".delta"));
  CHECK(std::count(at, types.end(), "response.done") == 1);
  CHECK(types.back() == "session.closed");
  CHECK(events.back().at("reason") == "output_backpressure");
  CHECK(client.wire.close_code() == 1013);
}

TEST_CASE("statement 178: at 512 events the reserve still takes the errors, in order", "[server][duplex]") {
  auto configuration = unpaced();
  configuration.delivery.max_events = 32;
  test_server server(configuration, fake_model::manner::endless);
  auto client = duplex_client::open(server.port);
  client.send(words);
  client.send(ask);
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1 && seen.alive == 0; }));
  const auto types = types_of(client.rest());
  REQUIRE(types.size() > 3);
  CHECK(std::count(types.begin(), types.end(), "error") == 1);
  CHECK(std::count(types.begin(), types.end(), "response.done") == 1);
  CHECK(types.back() == "session.closed");
}

TEST_CASE("statement 168: a command to a session that is closing is told so before session.closed",
          "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.delivery.max_bytes = 64 * 1024 * 1024;
  configuration.delivery.max_events = 100'000;
  configuration.delivery.write_timeout = seconds(60);
  configuration.delivery.pace_ahead = std::chrono::milliseconds{0};
  test_server server(configuration, fake_model::manner::endless);
  auto client = duplex_client::open(server.port);
  client.send(words);
  for (int i = 0; i < 4; ++i) {
    client.send(R"({"type":"response.create","response":{"conversation":"none"}})");
  }
  REQUIRE(server.model->wait([](const auto& seen) { return seen.asked >= 1; }));
  // Much more waits than the socket takes while nobody reads.
  std::string all = frame_bytes(1, R"({"type":"session.close"})");
  all += frame_bytes(1, R"({"type":"session.event_ack","server_event_seq":1})");
  all += frame_bytes(1, R"({"type":"response.cancel","event_id":"late"})");
  client.wire.send(all);
  REQUIRE(server.model->wait([](const auto& seen) { return seen.alive == 0; }));
  const auto events = client.rest();
  const auto types = types_of(events);
  REQUIRE(types.size() > 2);
  CHECK(types.back() == "session.closed");
  const auto& told = events[events.size() - 2];
  CHECK(told.at("type") == "error");
  CHECK(told.at("error").at("code") == "session_closed");
  CHECK(told.at("error").at("event_id") == "late");
  CHECK(std::count(types.begin(), types.end(), "error") == 1);
}

TEST_CASE("C47: a client that reads nothing is given up after write_timeout, and its session with the grace",
          "[server][duplex]") {
  auto configuration = unpaced();
  configuration.delivery.write_timeout = seconds(1);
  configuration.delivery.max_bytes = 64 * 1024 * 1024;
  configuration.delivery.max_events = 100'000;
  configuration.resume.disconnect_grace = seconds(1);
  test_server server(configuration, fake_model::manner::endless);
  auto other = duplex_client::open(server.port);
  auto client = duplex_client::open(server.port);
  client.send(words);
  for (int i = 0; i < 4; ++i) client.send(R"({"type":"response.create","response":{"conversation":"none"}})");
  REQUIRE(server.eventually([](const auto& one) { return one.connections() == 1; }));
  CHECK(server.eventually([](const auto& one) { return one.sessions() == 1; }));
  CHECK(server.model->wait([](const auto& seen) { return seen.alive == 1; }));
  other.signal("untouched");
}
