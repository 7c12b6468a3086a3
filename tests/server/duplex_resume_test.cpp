// Sockets that are lost and sessions that are resumed: statements 145 to 155 and 188, C41, C42.
#include "tests/server/duplex_client.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace parley;
using namespace parley::server::test;
using std::chrono::seconds;

namespace {

config::config patient() {
  auto out = duplex_config();
  out.resume.disconnect_grace = seconds(60);
  return out;
}

// A new socket that took the session of `lost` over, from what it saw last.
duplex_client resumed(std::uint16_t port, const duplex_client& lost) {
  duplex_client next(port);
  next.resume(lost, lost.last);
  next.expect("session.resumed");
  next.last = lost.last;
  return next;
}

// Sends a signal and reads nothing.
void signal_unread(duplex_client& client, const std::string& text) {
  client.send(R"({"type":"turn.signal","event":")" + text + "\"}");
}

// Somebody takes the session over and is gone at once, or as soon as it was answered; then `first` comes back itself.
void take_over_after_a_loser(std::uint16_t port, duplex_client& first, bool answered) {
  duplex_client loser(port);
  loser.resume(first, first.last);
  if (answered) loser.wire.next_frame();
  loser.wire.reset();
  duplex_client winner(port);
  winner.resume(first, first.last);
  winner.last = first.last;
  winner.expect("session.resumed");
  winner.signal("here");
  first = std::move(winner);
}

}  // namespace

TEST_CASE("statement 145, 150, 151: what happened while no socket was there comes unchanged, then what is live",
          "[server][duplex]") {
  test_server server(patient(), fake_model::manner::silent);
  auto first = duplex_client::open(server.port);
  first.signal("one");
  const auto seen = first.last;
  first.send(R"({"type":"conversation.item.create","item":{"type":"message","role":"user",)"
             R"("content":[{"type":"input_text","text":"Hello."}]}})");
  first.send(R"({"type":"response.create","response":{"modalities":["text"]}})");
  first.until("response.created");
  const auto until_created = first.last;
  first.wire.reset();
  // The model goes on.
  REQUIRE(server.model->wait([](const auto& facts) { return facts.asked == 1 && facts.alive == 1; }));
  const auto [sink, request] = server.model->now().requests.front();
  sink->post(runtime::model_text{request.id, request.epoch, "an answer"});
  sink->post(runtime::model_done{request.id, request.epoch});
  duplex_client second(server.port);
  second.resume(first, seen);
  const auto told = second.expect("session.resumed");
  CHECK_FALSE(told.contains("server_event_seq"));
  CHECK(told.at("attachment_generation") == 2);
  CHECK(text_of(told.at("session").as_object(), "id") == first.id);
  CHECK(text_of(told, "resume_token") != first.token);
  bool answered = false;
  for (auto number = seen + 1; !answered; ++number) {
    const auto event = second.next();
    REQUIRE(event);
    CHECK(event->at("server_event_seq") == number);
    answered = event->at("type") == "response.done";
  }
  CHECK(second.last > until_created);
  second.signal("live");
  CHECK(server->failures() == 0);
}

TEST_CASE("statement 150: replayed events are the same, byte for byte", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  const auto start = first.last;
  std::vector<std::string> sent;
  for (int i = 0; i < 20; ++i) {
    signal_unread(first, std::to_string(i));
    sent.push_back(first.wire.next_frame().value().payload);
  }
  first.wire.reset();
  duplex_client second(server.port);
  second.resume(first, start);
  second.expect("session.resumed");
  for (const auto& one : sent) CHECK(second.wire.next_frame().value().payload == one);
}

TEST_CASE("statement 145: a session that can not be resumed ends with its socket", "[server][duplex]") {
  test_server server(patient(), fake_model::manner::fleeting);
  auto client = duplex_client::open(server.port);
  client.wire.reset();
  CHECK(server.is_empty());
  CHECK(server.model->wait([](const auto& facts) { return facts.alive == 0; }));
}

TEST_CASE("statement 145: a close frame without session.close detaches, too", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  first.wire.send(frame_bytes(8, close_payload(1000)));
  CHECK(first.wire.close_code() == 1000);
  auto second = resumed(server.port, first);
  second.signal("here");
}

TEST_CASE("statement 146: a socket that says nothing at all while work runs is lost, its session is not",
          "[server][duplex]") {
  auto configuration = patient();
  configuration.session.idle_timeout = seconds(1);
  configuration.resume.reaper = seconds(1);
  test_server server(configuration, fake_model::manner::silent);
  auto first = duplex_client::open(server.port);
  first.send(R"({"type":"conversation.item.create","item":{"type":"message","role":"user",)"
             R"("content":[{"type":"input_text","text":"Hello."}]}})");
  first.send(R"({"type":"response.create"})");
  first.until("response.created");
  for (const auto& event : first.rest()) CHECK(event.at("type") != "session.expired");
  CHECK(first.wire.close_code() == 0);
  auto second = resumed(server.port, first);
  second.signal("here");
}

TEST_CASE("statement 147: what is no resume is refused", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  const std::string id = R"("session_id":")" + first.id + '"', token = R"("resume_token":")" + first.token + '"';
  for (const auto& members : {id, token, id + R"(,"resume_token":"")", id + R"(,"resume_token":7)",
                              id + "," + token + R"(,"last_received_server_event_seq":-1)",
                              id + "," + token + R"(,"last_received_server_event_seq":1.5)",
                              id + "," + token + R"(,"last_received_server_event_seq":"1")"}) {
    CAPTURE(members);
    duplex_client next(server.port);
    next.send(R"({"type":"session.resume","event_id":"mine",)" + members + "}");
    CHECK(next.turned_away("invalid_session_resume") == 1008);
  }
  first.signal("untouched");
  // The number is 0 by default, and an incarnation is nobody's business.
  duplex_client next(server.port);
  next.send(R"({"type":"session.resume","incarnation":"x",)" + id + "," + token + "}");
  next.expect("session.resumed");
  CHECK(next.expect("session.updated").at("server_event_seq") == 1);
}

TEST_CASE("statement 148, 188: a resume that fails ends its own socket and nothing else", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  const auto fails = [&](const std::string& id, const std::string& token, std::uint64_t number) {
    duplex_client next(server.port);
    next.resume(id, token, number);
    const auto code = text_of(next.expect("error").at("error").as_object(), "code");
    CHECK_FALSE(next.next());
    CHECK(next.wire.close_code() == 1008);
    return code;
  };
  CHECK(fails("duplex-00000000000000000000000000000000", first.token, 0) == "session_resume_expired");
  CHECK(fails(first.id, "no token", 0) == "invalid_resume_token");
  CHECK(fails(first.id, first.token, first.last + 1) == "session_resume_conflict");
  first.signal("untouched");
  const auto old_token = first.token;
  auto second = resumed(server.port, first);
  second.signal("here");
  CHECK(fails(first.id, old_token, 0) == "invalid_resume_token");
  second.send(R"({"type":"session.close"})");
  second.until("session.closed");
  CHECK(fails(first.id, second.token, 0) == "session_resume_expired");
}

TEST_CASE("statement 148: a session that can not be resumed says so", "[server][duplex]") {
  test_server server(patient(), fake_model::manner::fleeting);
  auto first = duplex_client::open(server.port);
  duplex_client next(server.port);
  next.resume(first.id, "any", 0);
  CHECK(next.turned_away("unsupported_session_resume") == 1008);
  first.signal("untouched");
}

TEST_CASE("statement 149, 155: below what was acknowledged there is a gap, and the session lives on",
          "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  first.signal("one");
  first.acknowledge(first.last);
  first.signal("two");
  duplex_client next(server.port);
  next.resume(first, 1);
  const auto told = next.expect("session.resync_required");
  CHECK(told.at("reason") == "journal_gap");
  CHECK(text_of(told, "session_id") == first.id);
  CHECK_FALSE(told.contains("server_event_seq"));
  CHECK_FALSE(next.next());
  CHECK(next.wire.close_code() == 1000);
  first.signal("untouched");
  duplex_client last(server.port);
  last.resume(first, 2);
  last.expect("session.resumed");
}

TEST_CASE("statement 152: a token is dead once it was used", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  const auto second = resumed(server.port, first);
  duplex_client third(server.port);
  third.resume(first, first.last);
  CHECK(third.turned_away("invalid_resume_token") == 1008);
  auto fourth = resumed(server.port, second);
  CHECK(fourth.generation == 3);
}

TEST_CASE("statement 152: of two resumes with one token exactly one wins", "[server][duplex]") {
  test_server server(patient());
  for (int round = 0; round < 20; ++round) {
    auto first = duplex_client::open(server.port);
    std::vector<duplex_client> rivals;
    for (int i = 0; i < 4; ++i) rivals.emplace_back(server.port);
    for (auto& one : rivals) one.resume(first, first.last);
    int won = 0;
    for (auto& one : rivals) {
      const auto told = one.next();
      REQUIRE(told);
      if (told->at("type") == "session.resumed") {
        ++won;
        CHECK(told->at("attachment_generation") == 2);
      } else {
        CHECK(told->at("error").at("code") == "invalid_resume_token");
      }
    }
    CHECK(won == 1);
  }
}

TEST_CASE("statement 153, 154: a takeover ends the socket before, which is not heard any more", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  auto second = resumed(server.port, first);
  signal_unread(first, "from the old one");
  const auto told = first.expect("session.replaced");
  CHECK(text_of(told, "session_id") == first.id);
  CHECK(told.at("attachment_generation") == 1);
  CHECK_FALSE(told.contains("server_event_seq"));
  CHECK_FALSE(first.next());
  CHECK(first.wire.close_code() == 1000);
  CHECK(first.wire.close_text() == "session_replaced");
  // Its end detaches nothing.
  signal_unread(second, "from the new one");
  const auto event = second.next();
  REQUIRE(event);
  CHECK(event->at("type") == "turn.event");
  CHECK(event->at("event") == "from the new one");
  const auto third = resumed(server.port, second);
  CHECK(third.generation == 3);
}

TEST_CASE("statement 153: takeovers from many threads lose and double nothing", "[server][duplex]") {
  test_server server(patient());
  auto client = duplex_client::open(server.port);
  for (int round = 0; round < 30; ++round) {
    const auto text = std::to_string(round);
    signal_unread(client, text);  // answered to this socket, or to the next
    duplex_client next(server.port);
    next.resume(client, client.last);
    next.last = client.last;
    next.expect("session.resumed");
    const auto expected = next.last + 1;
    signal_unread(next, "after");
    auto event = next.expect("turn.event");
    CHECK(event.at("server_event_seq") == expected);
    if (text_of(event, "event") == text) {
      event = next.expect("turn.event");
      CHECK(event.at("server_event_seq") == expected + 1);
    }
    CHECK(event.at("event") == "after");
    client = std::move(next);
  }
  CHECK(server->failures() == 0);
}

TEST_CASE("C41: after a resume the session is what it was", "[server][duplex]") {
  test_server server(patient());
  duplex_client first(server.port);
  first.send(R"({"type":"session.update","session":{"input_audio_format":"g711_ulaw","instructions":"Be brief.",)"
             R"("overlap_short_ack_ms":400}})");
  first.expect("session.created");
  first.expect("session.updated");
  first.send(R"({"type":"input.cancel"})");  // raises the epoch
  first.until("input_audio_buffer.cleared");
  first.send(R"({"type":"session.update","session":{"voice":"other"}})");
  const auto shown = first.until("session.updated").at("session").as_object();
  CHECK(shown.at("epoch") == 1);
  first.wire.reset();
  duplex_client second(server.port);
  second.resume(first, first.last);
  const auto told = second.expect("session.resumed");
  CHECK(told.at("attachment_generation") == 2);
  CHECK(told.at("session") == shown);
  second.send(R"({"type":"session.update","session":{}})");
  CHECK(second.expect("session.updated").at("session") == shown);
}

TEST_CASE("C42: a takeover that is given up at any point locks nobody out", "[server][duplex]") {
  test_server server(patient());
  auto first = duplex_client::open(server.port);
  const auto closes = [](duplex_client& one) {
    one.expect("session.replaced");
    CHECK(one.wire.close_code() == 1000);
  };
  SECTION("before its message is complete") {
    duplex_client second(server.port);
    const auto message = frame_bytes(1, R"({"type":"session.resume","session_id":")" + first.id + "\"}");
    second.wire.send(message.substr(0, 30));
    second.wire.reset();
    first.signal("untouched");
    resumed(server.port, first).signal("here");
    closes(first);
  }
  SECTION("at once after it") {
    for (int round = 0; round < 20; ++round) {
      CAPTURE(round);
      take_over_after_a_loser(server.port, first, false);
    }
  }
  SECTION("right after session.resumed, which its client never saw") {
    for (int round = 0; round < 20; ++round) {
      CAPTURE(round);
      take_over_after_a_loser(server.port, first, true);
    }
  }
  CHECK(server->sessions() == 1);
  CHECK(server->failures() == 0);
}

TEST_CASE("C42: opens that are given up keep no slot", "[server][duplex]") {
  auto configuration = duplex_config();
  configuration.limits.max_sessions = 4;
  test_server server(configuration);
  for (int i = 0; i < 50; ++i) {
    duplex_client client(server.port, i % 2 == 0 ? "model=fake" : "autostart=0");
    if (i % 2 == 1) client.send(R"({"type":"session.update","session":{}})");
    client.wire.reset();
  }
  CHECK(server.is_empty());
  std::vector<duplex_client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(duplex_client::open(server.port));
  CHECK(server->failures() == 0);
}
