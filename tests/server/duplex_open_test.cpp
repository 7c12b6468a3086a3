// How sockets of the duplex dialect open sessions: statements 1 to 15, 162 and 163.
#include "tests/server/duplex_client.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace parley;
using namespace parley::server::test;
using std::chrono::seconds;

namespace {

const std::string heartbeat = R"({"type":"session.heartbeat"})";

config::config with_room_for(int sessions) {
  auto out = duplex_config();
  out.limits.max_sessions = sessions;
  return out;
}

// Nothing came before what is sent now is answered.
void is_silent(duplex_client& client) {
  client.wire.send(frame_bytes(9, "still there"));
  const auto got = client.wire.next_frame();
  REQUIRE(got);
  CHECK(got->opcode == 10);
}

}  // namespace

TEST_CASE("statement 1, 2, 11: a session opens unasked, once; an update that follows is an update",
          "[server][duplex]") {
  test_server server(duplex_config());
  for (const auto* target : {"/v1/realtime?duplex=on&model=other", "/v1/duplex?model=other"}) {
    wire_client wire(server.port);
    REQUIRE(wire.upgrade(target).status == 101);
    const auto created = wire.next_event();
    REQUIRE(created);
    CHECK(created->at("type") == "session.created");
    CHECK(created->at("session").at("model") == "other");
    const auto updated = wire.next_event();
    REQUIRE(updated);
    CHECK(updated->at("type") == "session.updated");
    CHECK(updated->at("session") == created->at("session"));
    wire.send_text(R"({"type":"session.update","session":{"instructions":"Be brief."}})");
    const auto next = wire.next_event();
    REQUIRE(next);
    CHECK(next->at("type") == "session.updated");
    CHECK(next->at("session").at("instructions") == "Be brief.");
    CHECK(next->at("session").at("id") == created->at("session").at("id"));
  }
}

TEST_CASE("statement 3, 6: such a socket is silent until its first event, which a default session handles",
          "[server][duplex]") {
  test_server server(duplex_config());
  for (const auto* query : {"autostart=0&model=other", "resume=1&model=other"}) {
    duplex_client client(server.port, query);
    is_silent(client);
    CHECK(server->sessions() == 0);
    client.send(heartbeat);
    CHECK(client.expect("session.created").at("session").at("model") == "other");
    client.expect("session.updated");
    client.expect("session.heartbeat_ack");
    client.send(R"({"type":"session.close"})");
    client.rest();
  }
  duplex_client unnamed(server.port);
  unnamed.send(R"({"type":"no.such.event","event_id":"mine"})");
  unnamed.expect("session.created");
  unnamed.expect("session.updated");
  CHECK(text_of(unnamed.error("unknown_event"), "event_id") == "mine");
}

TEST_CASE("statement 4: a first session.update opens a session from its session, or from itself", "[server][duplex]") {
  test_server server(duplex_config());
  for (const auto* first : {R"({"type":"session.update","session":{"model":"other","instructions":"Be brief."}})",
                            R"({"type":"session.update","model":"other","instructions":"Be brief."})"}) {
    duplex_client client(server.port);
    client.send(first);
    const auto created = client.expect("session.created");
    CHECK(created.at("session").at("model") == "other");
    CHECK(created.at("session").at("instructions") == "Be brief.");
    CHECK(client.expect("session.updated").at("session") == created.at("session"));
  }
}

TEST_CASE("statement 5: a first session.resume resumes, also without resume=1 in the query", "[server][duplex]") {
  test_server server(duplex_config());
  for (const auto* query : {"autostart=0", "resume=1"}) {
    auto first = duplex_client::open(server.port);
    duplex_client second(server.port, query);
    second.resume(first, first.last);
    CHECK(text_of(second.expect("session.resumed"), "session_id") == first.id);
  }
}

TEST_CASE("statement 7: a socket that says nothing gets config_timeout and ends", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.session.config_timeout = seconds(1);
  test_server server(configuration);
  duplex_client client(server.port);
  CHECK(client.turned_away("config_timeout") == 1008);
  CHECK(server.is_empty());
}

TEST_CASE("statement 7: the timeout is that of the first message alone", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.session.config_timeout = seconds(1);
  test_server server(configuration);
  auto client = duplex_client::open(server.port);
  duplex_client late(server.port);
  CHECK(late.turned_away("config_timeout") == 1008);  // so its time was over for the other one, too
  client.signal("here");
}

TEST_CASE("statement 8, 10: a first message that is no event ends the socket and opens nothing", "[server][duplex]") {
  test_server server(duplex_config());
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"type":)", "invalid_json"}, {"[]", "bad_event"}, {"17", "bad_event"}, {"null", "bad_event"}};
  for (const auto& [text, code] : wrong) {
    duplex_client client(server.port);
    client.send(text);
    CHECK(client.turned_away(code) == 1008);
  }
  duplex_client binary(server.port);
  binary.wire.send(frame_bytes(2, heartbeat));
  CHECK(binary.turned_away("bad_event") == 1008);
  CHECK(server.is_empty());
  CHECK(server.model->now().opened == 0);
}

TEST_CASE("statement 9: a refused open carries one error and ends the socket", "[server][duplex]") {
  test_server server(duplex_config());
  const std::vector<std::pair<std::string, std::string>> refused = {
      {R"("input_audio_format":"mp3")", "unsupported_audio_format"},
      {R"("turn_detection":{"type":"telepathy"})", "unsupported_turn_detection"},
      {R"("extra_body":{"runtime_key":1})", "invalid_duplex_runtime_config"},
      {R"("overlap_short_ack_ms":"long")", "invalid_session_config"}};
  for (const auto& [session, code] : refused) {
    CAPTURE(session);
    duplex_client client(server.port);
    client.send(R"({"type":"session.update","session":{)" + session + "}}");
    CHECK(client.turned_away(code) == 1008);
  }
  duplex_client unknown(server.port);
  unknown.send(R"({"type":"session.update","event_id":"mine","session":{"model":"nothing"}})");
  const auto error = unknown.error("invalid_value");
  CHECK(error.at("param") == "session.model");
  CHECK(unknown.wire.close_code() == 1008);
  CHECK(server.is_empty());
}

TEST_CASE("statement 9, 14: a model that can not be opened is an error, and its text no client's business",
          "[server][duplex]") {
  test_server server(with_room_for(1));
  server.model->refuse_to_open(true);
  duplex_client client(server.port, "model=fake");
  const auto error = client.error("internal_error");
  CHECK(text_of(error, "message").find("no client may see") == std::string::npos);
  CHECK(client.wire.close_code() == 1011);
  CHECK(server.is_empty());
}

TEST_CASE("statement 12, 13: session.created says how to come back, and has no number", "[server][duplex]") {
  test_server server(duplex_config());
  duplex_client client(server.port, "model=fake");
  const auto created = client.expect("session.created");
  CHECK(created.at("attachment_generation") == 1);
  CHECK(text_of(created, "resume_token").size() == 43);
  CHECK_FALSE(created.contains("incarnation"));
  CHECK_FALSE(created.contains("server_event_seq"));
  CHECK(client.expect("session.updated").at("server_event_seq") == 1);
}

TEST_CASE("statement 12: a session that can not be resumed says nothing of it", "[server][duplex]") {
  test_server server(duplex_config(), fake_model::manner::fleeting);
  duplex_client client(server.port, "model=fake");
  const auto created = client.expect("session.created");
  CHECK_FALSE(created.contains("attachment_generation"));
  CHECK_FALSE(created.contains("resume_token"));
}

TEST_CASE("statement 14: the id of a session is the server's, and never used again", "[server][duplex]") {
  test_server server(duplex_config());
  std::set<std::string> ids;
  for (int round = 0; round < 3; ++round) {
    duplex_client client(server.port, "autostart=0&session_id=mine&id=mine");
    client.send(R"({"type":"session.update","session":{"id":"mine","session_id":"mine"}})");
    client.expect("session.created");
    CHECK(client.id.size() == std::string("duplex-").size() + 32);
    CHECK(client.id.starts_with("duplex-"));
    CHECK(client.id.find_first_not_of("0123456789abcdef", 7) == std::string::npos);
    ids.insert(client.id);
  }
  CHECK(ids.size() == 3);
}

TEST_CASE("statement 162, 163: beyond max_sessions an open is refused, after session.closed it fits",
          "[server][duplex]") {
  test_server server(with_room_for(1));
  auto first = duplex_client::open(server.port);
  duplex_client second(server.port, "model=fake");
  const auto error = second.error("resource_exhausted");
  CHECK(error.at("type") == "rate_limit_error");
  CHECK(error.at("message") == "duplex_session_capacity_exhausted: limit=1");
  CHECK_FALSE(second.next());
  CHECK(second.wire.close_code() == 1013);
  // Other paths still say so before the upgrade.
  CHECK(wire_client(server.port).upgrade().status == 503);
  first.send(R"({"type":"session.close"})");
  first.until("session.closed");
  for (int round = 0; round < 20; ++round) {
    auto next = duplex_client::open(server.port);  // at once
    next.send(R"({"type":"session.close"})");
    next.until("session.closed");
  }
}

TEST_CASE("statement 162: detached sessions count, and a resume needs no room", "[server][duplex]") {
  auto configuration = with_room_for(1);
  configuration.resume.disconnect_grace = seconds(60);
  test_server server(configuration);
  auto first = duplex_client::open(server.port);
  first.wire.reset();
  duplex_client second(server.port, "model=fake");
  CHECK(second.turned_away("resource_exhausted") == 1013);
  duplex_client third(server.port);
  third.resume(first, first.last);
  third.expect("session.resumed");
}
