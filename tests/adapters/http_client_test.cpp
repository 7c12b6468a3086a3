#include "adapters/http/http_client.hpp"

#include "tests/adapters/raw_server.hpp"

#include <catch2/catch.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>

namespace parley::adapters::http {
namespace {

using namespace std::chrono_literals;

// What came back of one call. Thread safety: all members may be called from any thread.
struct outcome {
  std::mutex m;
  std::condition_variable changed;
  http_head head;
  std::string body;
  std::optional<http_error> error;
  bool ended = false;

  template <class Change>
  void note(Change change) {
    {
      const std::lock_guard lock(m);
      change();
    }
    changed.notify_all();
  }
  http_callbacks callbacks() {
    return {.head = [this](const http_head& h) { return note([&] { head = h; }), true; },
            .body = [this](std::string_view bytes) { return note([&] { body += bytes; }), true; },
            .end = [this] { note([&] { ended = true; }); },
            .failed = [this](http_error e) { note([&] { error = e; }); }};
  }
  bool wait() {
    std::unique_lock lock(m);
    return changed.wait_for(lock, 30s, [&] { return ended || error; });
  }
  bool wait_for_body(std::size_t bytes) {
    std::unique_lock lock(m);
    return changed.wait_for(lock, 30s, [&] { return body.size() >= bytes; });
  }
};

http_request request_to(const std::string& url) {
  http_request request;
  request.url = parse_http_url(url).value();
  request.body = "{}";
  return request;
}

// Runs one call to its end against a server that plays this.
struct played {
  explicit played(std::vector<raw_script> scripts, http_timeouts timeouts = {}, bool retry = false)
      : server(std::move(scripts)) {
    auto request = request_to(server.url());
    request.timeouts = timeouts;
    request.retry_when_busy = retry;
    const auto call = client.start(std::move(request), got.callbacks());
    REQUIRE(got.wait());
  }
  raw_server server;
  outcome got;
  http_client client;
};

constexpr http_timeouts short_timeouts{5s, 100ms, 100ms};

}  // namespace

TEST_CASE("http_client: addresses are taken apart, others refused", "[adapters][http_client]") {
  const auto plain = parse_http_url("http://host/v1/x?y=1#part");
  REQUIRE(plain);
  CHECK(plain->host == "host");
  CHECK(plain->port == "80");
  CHECK(plain->target == "/v1/x?y=1");
  const auto v6 = parse_http_url("http://[::1]:8000?q");
  REQUIRE(v6);
  CHECK(v6->host == "::1");
  CHECK(v6->port == "8000");
  CHECK(v6->target == "/?q");
  CHECK(v6->authority == "[::1]:8000");
  for (const auto* bad :
       {"https://host/", "host", "http://", "http://:80", "http://u@host/", "http://h:0", "http://h:x",
        "http://h:99999", "http://h /", "http://h/\r\nX: y", "http://[::1", "http://[::1]x"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_http_url(bad));
  }
}

TEST_CASE("http_client: a chunked answer comes whole", "[adapters][http_client]") {
  played p({{{stream_head, chunk("one "), chunk("two"), last_chunk}}});
  CHECK(p.got.ended);
  CHECK(p.got.head.status == 200);
  CHECK(p.got.head.content_type == "text/event-stream");
  CHECK(p.got.body == "one two");
  const auto sent = p.server.requests().at(0);
  CHECK(sent.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
  CHECK(sent.ends_with("\r\n\r\n{}"));
}

TEST_CASE("C50: Content-Length, HTTP/1.0 until close and one byte per write are whole answers",
          "[adapters][http_client]") {
  CHECK(played({{{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"}}}).got.body == "abc");
  played old({{{"HTTP/1.0 200 OK\r\n\r\na", "bc"}}});
  CHECK(old.got.ended);
  CHECK(old.got.body == "abc");
  raw_script bytes;
  for (const char c : stream_head + chunk("abc") + last_chunk) bytes.pieces.emplace_back(1, c);
  played slow({bytes});
  CHECK(slow.got.ended);
  CHECK(slow.got.body == "abc");
  CHECK(played({{{"HTTP/1.1 204 No Content\r\n\r\n"}}}).got.ended);
}

TEST_CASE("C54: a cut body is a failure, not an end", "[adapters][http_client]") {
  CHECK(played({{{stream_head, chunk("abc")}}}).got.error == http_error::cut);
  CHECK(played({{{stream_head, chunk("abc")}, raw_ending::reset}}).got.error == http_error::cut);
  CHECK(played({{{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"}}}).got.error == http_error::cut);
  CHECK(played({{{"HTTP/1.1 200 OK\r\nConten"}}}).got.error == http_error::cut);
  CHECK(played({raw_script{}}).got.error == http_error::cut);
}

TEST_CASE("C54: a quiet backend fails within the limits, and its connection is closed", "[adapters][http_client]") {
  const std::vector<std::string> said = GENERATE(std::vector<std::string>{}, std::vector<std::string>{stream_head},
                                                 std::vector<std::string>{stream_head, chunk("abc")});
  played p({{said, raw_ending::wait_for_peer}}, short_timeouts);
  CHECK(p.got.error == http_error::timed_out);
  CHECK(p.server.wait_for_closed(1));
}

TEST_CASE("C54: a refused connection and an unknown host are failures", "[adapters][http_client]") {
  std::string gone;
  {
    raw_server server({raw_script{}});
    gone = server.url();
  }
  http_client client;
  outcome refused;
  const auto first = client.start(request_to(gone), refused.callbacks());
  REQUIRE(refused.wait());
  CHECK(refused.error == http_error::unreachable);

  outcome unknown;
  auto request = request_to("http://no-such-host.invalid/");
  request.timeouts.connect = 2s;  // some resolvers take their time to say no
  const auto second = client.start(std::move(request), unknown.callbacks());
  REQUIRE(unknown.wait());
  CHECK((unknown.error == http_error::unresolved || unknown.error == http_error::timed_out));
}

TEST_CASE("http_client: what is no HTTP or has an endless header is refused", "[adapters][http_client]") {
  CHECK(played({{{"SSH-2.0-OpenSSH\r\n\r\n"}}}).got.error == http_error::malformed);
  CHECK(played({{{"HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x') + "\r\n\r\n"}}}).got.error ==
        http_error::too_large);
}

TEST_CASE("http_client: a busy backend is asked again once, within the time budget", "[adapters][http_client]") {
  const raw_script busy{{"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"}};
  const raw_script good{{stream_head, chunk("abc"), last_chunk}};
  played twice({busy, good}, {}, true);
  CHECK(twice.got.head.status == 200);
  CHECK(twice.got.body == "abc");
  CHECK(twice.server.requests().size() == 2);
  CHECK(twice.server.requests()[0] == twice.server.requests()[1]);

  played still({busy}, {}, true);
  CHECK(still.got.head.status == 503);
  CHECK(still.server.requests().size() == 2);
  played no_time({busy}, short_timeouts, true);
  CHECK(no_time.server.requests().size() == 1);
  played unasked({busy, good});
  CHECK(unasked.got.head.status == 503);
}

TEST_CASE("C58: destroying the call closes the connection at any point of the answer", "[adapters][http_client]") {
  const std::vector<std::string> said = GENERATE(std::vector<std::string>{}, std::vector<std::string>{stream_head},
                                                 std::vector<std::string>{stream_head, chunk("abc")});
  raw_server server({{said, raw_ending::wait_for_peer}});
  outcome got;
  http_client client;
  auto call = client.start(request_to(server.url()), got.callbacks());
  REQUIRE(server.wait_for_requests(1));
  if (said.size() == 2) REQUIRE(got.wait_for_body(3));
  call.reset();
  CHECK(server.wait_for_closed(1));
  CHECK_FALSE(got.ended);
  CHECK_FALSE(got.error);
}

TEST_CASE("C58: destroying the call works during look-up and connect", "[adapters][http_client]") {
  http_client client;
  outcome got;
  auto looking_up = client.start(request_to("http://no-such-host.invalid/"), got.callbacks());
  looking_up.reset();
  auto connecting = client.start(request_to("http://192.0.2.1/"), got.callbacks());  // an address that is nobody's
  connecting.reset();
  CHECK_FALSE(got.ended);
  CHECK_FALSE(got.error);
}

TEST_CASE("C58: two hundred calls dropped at random points leave nothing open", "[adapters][http_client]") {
  raw_server server({{{stream_head, chunk("abc"), chunk("def")}, raw_ending::wait_for_peer}});
  outcome got;
  {
    http_client client;
    std::vector<std::unique_ptr<http_call>> calls;
    for (int i = 0; i < 200; ++i) {
      calls.push_back(client.start(request_to(server.url()), got.callbacks()));
      if (i % 7 == 0) calls.clear();
    }
    calls.clear();
    outcome last;
    const auto call = client.start(request_to(server.url()), last.callbacks());
    REQUIRE(last.wait_for_body(6));
  }
  CHECK(server.wait_for_closed(server.requests().size()));
  CHECK_FALSE(got.error);
}

TEST_CASE("http_client: a callback may destroy its own call, and stops it by returning false",
          "[adapters][http_client]") {
  raw_server server({{{stream_head, chunk("abc")}, raw_ending::wait_for_peer}});
  outcome got;
  std::unique_ptr<http_call> call;
  std::mutex assigned;
  http_client client;
  auto callbacks = got.callbacks();
  callbacks.body = [&](std::string_view) {
    const std::lock_guard lock(assigned);
    call.reset();
    return true;
  };
  {
    const std::lock_guard lock(assigned);
    call = client.start(request_to(server.url()), callbacks);
  }
  CHECK(server.wait_for_closed(1));

  callbacks.body = [](std::string_view) { return false; };
  const auto stopped = client.start(request_to(server.url()), callbacks);
  CHECK(server.wait_for_closed(2));
  CHECK_FALSE(got.error);
}

TEST_CASE("http_client: a call may outlive its client", "[adapters][http_client]") {
  raw_server server({{{}, raw_ending::wait_for_peer}});
  outcome got;
  std::unique_ptr<http_call> call;
  {
    http_client client;
    call = client.start(request_to(server.url()), got.callbacks());
    REQUIRE(server.wait_for_requests(1));
  }
  CHECK(server.wait_for_closed(1));
  call.reset();
  CHECK_FALSE(got.error);
}

}  // namespace parley::adapters::http
