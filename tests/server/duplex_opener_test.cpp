// Whose a session is: it is resumed with what opened it, and guesses are counted.
#include "tests/server/duplex_client.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <string>

using namespace parley;
using namespace parley::server::test;

namespace {

const header_lines mine = {"Authorization: Bearer my-key"};
const header_lines yours = {"Authorization: Bearer your-key"};

config::config keyed() {
  auto out = duplex_config();
  out.resume.disconnect_grace = std::chrono::seconds(60);
  out.auth.env_keys = {"my-key", "your-key"};
  return out;
}

header_lines secret_of(const test_server& server, const header_lines& key) {
  const auto reply = wire_client(server.port).post("/v1/realtime/client_secrets", "{}", key);
  return {"Authorization: Bearer " + std::string(boost::json::parse(reply.body).at("value").as_string())};
}

// Is turned away as with a wrong token, and the session does not notice.
void is_refused(const test_server& server, duplex_client& owner, const header_lines& with) {
  duplex_client thief(server.port, "autostart=0", with);
  thief.resume(owner, owner.last);
  CHECK(thief.turned_away("invalid_resume_token") == 1008);
  owner.signal("still here");
}

void is_resumed(const test_server& server, duplex_client& owner, const header_lines& with) {
  duplex_client next(server.port, "autostart=0", with);
  next.resume(owner, owner.last);
  next.expect("session.resumed");
  owner.expect("session.replaced");
  next.last = owner.last;
  next.signal("here");
  owner = std::move(next);
}

}  // namespace

TEST_CASE("F7: a session is resumed with the key that opened it alone, in any of its places", "[server][duplex]") {
  test_server server(keyed());
  auto owner = duplex_client::open(server.port, "model=fake", mine);
  is_refused(server, owner, yours);
  is_refused(server, owner, secret_of(server, mine));
  is_resumed(server, owner, {"api-key: my-key"});
  is_resumed(server, owner, {"Sec-WebSocket-Protocol: openai-insecure-api-key.my-key"});
  // Also when nobody is attached.
  owner.wire.reset();
  duplex_client thief(server.port, "autostart=0", yours);
  thief.resume(owner, owner.last);
  CHECK(thief.turned_away("invalid_resume_token") == 1008);
  duplex_client back(server.port, "autostart=0", mine);
  back.resume(owner, owner.last);
  back.expect("session.resumed");
  CHECK(server->failures() == 0);
}

TEST_CASE("F7: a session that a client secret opened is resumed with that secret", "[server][duplex]") {
  test_server server(keyed());
  const auto secret = secret_of(server, mine);
  auto owner = duplex_client::open(server.port, "model=fake", secret);
  is_refused(server, owner, mine);
  is_refused(server, owner, secret_of(server, mine));
  is_resumed(server, owner, secret);
}

TEST_CASE("F7: where everybody is admitted, everybody with the token resumes", "[server][duplex]") {
  auto configuration = keyed();
  configuration.auth.env_keys.clear();
  test_server server(configuration);
  auto owner = duplex_client::open(server.port, "model=fake", {"Authorization: Bearer any"});
  is_resumed(server, owner, {});
  is_resumed(server, owner, {"api-key: other"});
  is_refused(server, owner, secret_of(server, {}));
}

TEST_CASE("F7: an unknown session stays apart from a wrong token, whoever asks", "[server][duplex]") {
  test_server server(keyed());
  auto owner = duplex_client::open(server.port, "model=fake", mine);
  for (const auto& key : {mine, yours}) {
    duplex_client guesser(server.port, "autostart=0", key);
    guesser.resume("sess_nobody", owner.token, 0);
    CHECK(guesser.turned_away("session_resume_expired") == 1008);
    duplex_client other(server.port, "autostart=0", key);
    other.resume(owner.id, "wrong", 0);
    CHECK(other.turned_away("invalid_resume_token") == 1008);
  }
}

TEST_CASE("F7: wrong keys and tokens are counted, what is no guess is not", "[server][duplex]") {
  test_server server(keyed());
  auto owner = duplex_client::open(server.port, "model=fake", mine);
  CHECK(wire_client(server.port).upgrade("/v1/realtime").status == 401);  // no key
  CHECK(wire_client(server.port).get("/v1/models", mine).status == 200);
  duplex_client late(server.port, "autostart=0", mine);
  late.resume("sess_gone", owner.token, 0);
  CHECK(late.turned_away("session_resume_expired") == 1008);
  CHECK(server->guesses() == 0);
  CHECK(wire_client(server.port).upgrade("/v1/realtime", {"api-key: wrong"}).status == 401);
  CHECK(wire_client(server.port).get("/v1/models", {"api-key: wrong"}).status == 401);
  CHECK(wire_client(server.port).post("/v1/realtime/client_secrets", "{}", {"api-key: wrong"}).status == 401);
  CHECK(server->guesses() == 3);
  is_refused(server, owner, yours);
  CHECK(server->guesses() == 4);
}

TEST_CASE("F7: who guesses keys does not lock out who has one at the same address", "[server][duplex]") {
  test_server server(keyed());
  auto owner = duplex_client::open(server.port, "model=fake", mine);
  constexpr int guesses = 24;  // beyond those that are free
  for (int i = 0; i < guesses; ++i) {
    CHECK(wire_client(server.port).upgrade("/v1/realtime", {"api-key: guess-" + std::to_string(i)}).status == 401);
  }
  is_resumed(server, owner, mine);
  CHECK(wire_client(server.port).get("/healthz").status == 200);
  CHECK(server->guesses() == guesses);
}
