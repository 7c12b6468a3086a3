// What bounds a session in time: statements 156, 157 and 159 to 161, C45, C46.
#include "tests/server/duplex_client.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace parley;
using namespace parley::server::test;
using std::chrono::seconds;

namespace {

const std::string ask = R"({"type":"response.create","response":{"modalities":["text"]}})";
const std::string words = R"({"type":"conversation.item.create","item":{"type":"message","role":"user",)"
                          R"("content":[{"type":"input_text","text":"secret"}]}})";

config::config single() {
  auto out = duplex_config();
  out.limits.max_sessions = 1;
  return out;
}

// The code that an attempt to come back gets.
std::string fails(std::uint16_t port, const duplex_client& lost) {
  duplex_client next(port);
  next.resume(lost, lost.last);
  return text_of(next.expect("error").at("error").as_object(), "code");
}

}  // namespace

TEST_CASE("statement 157: over its limit the journal stops, and the session goes on live", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.resume.journal_bytes = 8000;
  configuration.resume.disconnect_grace = seconds(60);
  test_server server(configuration);
  auto client = duplex_client::open(server.port);
  std::uint64_t number = client.last;
  boost::json::object event;
  do {
    client.send(R"({"type":"turn.signal","event":"more"})");
    event = *client.next();
    if (event.at("type") == "turn.event") CHECK(event.at("server_event_seq") == ++number);
  } while (event.at("type") == "turn.event");
  CHECK(event.at("type") == "session.resync_required");
  CHECK(event.at("reason") == "journal_overflow");
  CHECK(text_of(event, "session_id") == client.id);
  CHECK_FALSE(event.contains("server_event_seq"));
  CHECK(number > 3);
  for (int i = 0; i < 50; ++i) {
    if (i > 0) client.send(R"({"type":"turn.signal","event":"more"})");
    CHECK_FALSE(client.expect("turn.event").contains("server_event_seq"));
  }
  client.acknowledge(number);
  client.acknowledge(number + 1);
  client.error("invalid_event_ack");
  duplex_client next(server.port);
  next.resume(client, number);
  CHECK(next.expect("session.resync_required").at("reason") == "journal_gap");
  client.signal("untouched");
}

TEST_CASE("statement 156: what is older than the replay time is gone", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.resume.journal_age = seconds(1);
  configuration.resume.disconnect_grace = seconds(60);
  configuration.server.ping_interval = seconds(2);
  test_server server(configuration);
  auto client = duplex_client::open(server.port);
  const auto ping = client.wire.next_frame();  // 2 s have passed
  REQUIRE(ping);
  CHECK(ping->opcode == 9);
  client.wire.send(frame_bytes(10, ping->payload));
  client.signal("fresh");
  duplex_client next(server.port);
  next.resume(client, 0);
  CHECK(next.expect("session.resync_required").at("reason") == "journal_gap");
  duplex_client last(server.port);
  last.resume(client, client.last - 1);
  last.expect("session.resumed");
  CHECK(last.expect("turn.event").at("event") == "fresh");
}

TEST_CASE("statement 159: a heartbeat is answered", "[server][duplex]") {
  test_server server(duplex_config());
  auto client = duplex_client::open(server.port);
  client.send(R"({"type":"session.heartbeat"})");
  CHECK(text_of(client.expect("session.heartbeat_ack"), "session_id") == client.id);
}

TEST_CASE("statement 160, 171: an unused session expires, and its socket closes", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.session.idle_timeout = seconds(1);
  configuration.resume.reaper = seconds(1);
  test_server server(configuration);
  auto client = duplex_client::open(server.port);
  const auto events = client.rest();
  REQUIRE(events.size() == 1);
  CHECK(events.front().at("type") == "session.expired");
  CHECK(events.front().at("reason") == "idle_ttl_expired");
  CHECK(client.wire.close_code() == 1000);
  CHECK(server.is_empty());
}

TEST_CASE("statement 161: beyond the grace a detached session has ended", "[server][duplex]") {
  test_server server(single());
  auto client = duplex_client::open(server.port);
  client.wire.reset();
  CHECK(server.is_empty());
  CHECK(fails(server.port, client) == "session_resume_expired");
  CHECK(server.model->now().alive == 0);
}

TEST_CASE("C45: a session that nobody comes back to is reaped, whatever it was doing", "[server][duplex]") {
  for (const auto* doing : {"idle", "answer", "append", "close"}) {
    CAPTURE(doing);
    test_server server(single(), fake_model::manner::silent);
    auto client = duplex_client::open(server.port);
    const std::string what = doing;
    if (what == "answer") {
      client.send(words);
      client.send(ask);
      REQUIRE(server.model->wait([](const auto& seen) { return seen.asked == 1; }));
    }
    if (what == "append") {
      client.send(R"({"type":"input_audio_buffer.append","is_speech":true,"audio":")" + std::string(6400, 'A') + "\"}");
      client.until("input_audio_buffer.speech_started");
    }
    if (what == "close") {
      client.send(R"({"type":"session.close"})");
      CHECK(client.until("session.closed").at("reason") == "client_close");
      CHECK(fails(server.port, client) == "session_resume_expired");  // at once
    } else {
      client.wire.reset();
      // Within the grace it can be resumed ...
      duplex_client next(server.port);
      next.resume(client, client.last);
      next.expect("session.resumed");
      client = std::move(next);
      client.wire.reset();
    }
    // ... and then it is gone, with all that it ran.
    CHECK(server.is_empty());
    CHECK(fails(server.port, client) == "session_resume_expired");
    CHECK(server.model->wait([](const auto& seen) { return seen.alive == 0; }));
    CHECK(server.model->now().cancelled == server.model->now().asked);
    duplex_client::open(server.port).signal("room");
  }
}

TEST_CASE("C46: a new session has nothing of one that is still detached", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.server.threads = 4;
  test_server server(configuration, fake_model::manner::text);
  std::vector<std::thread> pairs;
  std::atomic<int> clean = 0;
  for (int i = 0; i < 10; ++i) {
    pairs.emplace_back([&] {
      auto first = duplex_client::open(server.port);
      first.send(words);
      first.send(ask);
      first.until("response.created");
      first.wire.reset();
      auto second = duplex_client::open(server.port);
      second.send(R"({"type":"turn.signal","event":"mine"})");
      const auto event = second.next();
      if (second.id != first.id && event && event->at("type") == "turn.event" && event->at("event") == "mine") ++clean;
    });
  }
  for (auto& one : pairs) one.join();
  CHECK(clean == 10);
  CHECK(server.is_empty());
  CHECK(server.model->now().alive == 0);
  CHECK(server->failures() == 0);
}
