// The log: what peers can not do to it, and what its reader can not do to the server.
#include "server/line_pump.hpp"
#include "server/log_sink.hpp"
#include "server/peer_log.hpp"
#include "server/session_log.hpp"
#include "tests/server/captured_log.hpp"
#include "tests/server/duplex_client.hpp"
#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace parley;
using namespace parley::server;
using namespace parley::server::test;
using std::chrono::milliseconds;
using std::chrono::seconds;
using clock_type = std::chrono::steady_clock;

namespace {

struct pipe_ends {
  pipe_ends() { REQUIRE(::pipe(ends.data()) == 0); }
  ~pipe_ends() {
    close_reader();
    ::close(ends[1]);
  }
  void close_reader() {
    if (ends[0] >= 0) ::close(std::exchange(ends[0], -1));
  }
  // Until so many bytes, or that text.
  std::string read_until(const std::string& last) {
    std::string out;
    std::array<char, 65536> piece{};
    while (out.find(last) == out.npos) {
      const auto got = ::read(ends[0], piece.data(), piece.size());
      if (got <= 0) break;
      out.append(piece.data(), static_cast<std::size_t>(got));
    }
    return out;
  }
  std::array<int, 2> ends{};
};

const std::string long_line = std::string(999, 'x') + '\n';

std::size_t written_by_burst(log_sink& sink, spdlog::level::level_enum level, spdlog::log_clock::time_point at) {
  constexpr int burst = 5000;
  for (int i = 0; i < burst; ++i) sink.log({at, {}, "test", level, "a line"});
  return burst;
}

// Lines of a log that end with that text.
std::ptrdiff_t count_of(const std::string& text, const std::string& what) {
  std::ptrdiff_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

protocol::event_body error_of(protocol::errc code) { return protocol::error_event{{.code = code, .message = "no"}}; }

protocol::event_body traced() {
  protocol::session_settings settings;
  settings.tracing = protocol::raw_json{R"("auto")"};
  return protocol::session_updated{
      {protocol::session_id{"sess_1"}, std::make_shared<const protocol::session_settings>(settings), {}}};
}

protocol::event_body response_ended() {
  return protocol::response_done{protocol::response_view{.id = protocol::response_id{"resp_1"}}};
}

// A name that ends its line, begins another and colours it.
const std::string forged = "gpt-realtime\n[2026-01-01] session forged: ended\x1b[31m";
const std::string forged_json = R"(gpt-realtime\n[2026-01-01] session forged: ended\u001b[31m)";
const std::string forged_query = "gpt-realtime%0a%5b2026-01-01%5d%20session%20forged:%20ended%1b%5b31m";

}  // namespace

TEST_CASE("F6: a log whose reader has gone neither ends nor stalls anything", "[server][log]") {
  pipe_ends pipe;
  pipe.close_reader();
  line_pump pump(pipe.ends[1]);
  for (int i = 0; i < 10'000; ++i) pump.put(long_line);
  CHECK(pump.wait_written(seconds(20)));
}

TEST_CASE("F6: a log that nobody reads stalls nobody, and says what it dropped", "[server][log]") {
  pipe_ends pipe;
  line_pump pump(pipe.ends[1], 100'000);
  for (int i = 0; i < 10'000; ++i) pump.put(long_line);  // a pipe holds 64 KiB
  CHECK_FALSE(pump.wait_written(milliseconds(1)));
  const auto text = pipe.read_until("too slow\n");
  CHECK(text.starts_with(long_line));
  CHECK(count_of(text, long_line) < 1000);
}

TEST_CASE("F6: the end of the program does not wait for a reader that does not read", "[server][log]") {
  pipe_ends pipe;
  {
    line_pump pump(pipe.ends[1]);
    for (int i = 0; i < 1000; ++i) pump.put(long_line);
  }
  SUCCEED("it has ended");
}

TEST_CASE("F6: what was logged last is written before the end", "[server][log]") {
  pipe_ends pipe;
  { line_pump(pipe.ends[1]).put("the last line\n"); }
  CHECK(pipe.read_until("\n") == "the last line\n");
}

TEST_CASE("F6: a descriptor that is closed is no log, and no harm", "[server][log]") {
  const int closed = ::dup(STDERR_FILENO);
  ::close(closed);
  for (const int descriptor : {-1, closed}) {
    line_pump pump(descriptor);
    pump.put(long_line);
    CHECK(pump.wait_written(seconds(20)));
  }
}

TEST_CASE("F10: a line budget gives so many at once and so many a second, and counts the rest", "[server][log]") {
  const clock_type::time_point start{seconds(100)};
  line_budget<clock_type::time_point> budget(3, 2);
  for (int i = 0; i < 3; ++i) CHECK(budget.take(start));
  CHECK_FALSE(budget.take(start));
  CHECK_FALSE(budget.take(start + milliseconds(400)));
  CHECK(budget.take(start + milliseconds(500)));
  CHECK_FALSE(budget.take(start + milliseconds(500)));
  CHECK(budget.take_left_out() == 3);
  CHECK(budget.take_left_out() == 0);
  CHECK_FALSE(budget.take(start));  // a clock that was set back
  for (int i = 0; i < 3; ++i) CHECK(budget.take(start + seconds(3600)));
  CHECK_FALSE(budget.take(start + seconds(3600)));
}

TEST_CASE("F10: the log takes a bounded number of lines, and keeps room for warnings", "[server][log]") {
  pipe_ends pipe;
  std::string text;
  const spdlog::log_clock::time_point start{seconds(1'000'000)};
  {
    log_sink sink(pipe.ends[1]);
    sink.set_pattern("%v");
    const auto sent = written_by_burst(sink, spdlog::level::info, start);
    CHECK(sent > static_cast<std::size_t>(log_sink::lines_at_once));
    sink.log({start, {}, "test", spdlog::level::err, "an error"});
    sink.log({start + seconds(1), {}, "test", spdlog::level::info, "later"});
    text = pipe.read_until("later\n");
  }
  CHECK(count_of(text, "a line\n") == log_sink::lines_at_once);
  CHECK(count_of(text, "an error\n") == 1);
  CHECK(count_of(text, "4000 lines") == 1);
}

TEST_CASE("F10: a line is bounded, too", "[server][log]") {
  pipe_ends pipe;
  log_sink sink(pipe.ends[1]);
  sink.set_pattern("%v");
  const std::string huge(1'000'000, 'x');
  sink.log({spdlog::log_clock::time_point{seconds(1)}, {}, "test", spdlog::level::info, huge});
  CHECK(pipe.read_until("\n").size() == log_sink::longest_line_bytes);
}

TEST_CASE("F10: refusals are told once a second at most, with a count a cause", "[server][log]") {
  const captured_log log;
  peer_log peers(log.logger());
  const clock_type::time_point start{seconds(100)};
  peers.tell(start);
  CHECK(log.lines().empty());
  for (int i = 0; i < 1000; ++i) peers.refused("401 invalid_api_key");
  peers.refused("message invalid_json");
  CHECK(log.lines().empty());
  peers.tell(start);
  REQUIRE(log.lines().size() == 1);
  CHECK(log.lines().front().find("401 invalid_api_key x1000, message invalid_json x1") != std::string::npos);
  peers.refused("message invalid_json");
  peers.tell(start + milliseconds(999));
  CHECK(log.lines().size() == 1);
  peers.tell(start + seconds(1));
  CHECK(log.lines().size() == 2);
  peers.tell(start + seconds(2));
  CHECK(log.lines().size() == 2);
}

TEST_CASE("F10: a session has a bounded number of lines, and always its first and last", "[server][log]") {
  const captured_log log;
  const auto peers = std::make_shared<peer_log>(log.logger());
  session_log session(protocol::session_id{"sess_1"}, peers);
  const clock_type::time_point start{seconds(100)};
  session.opened("fake");
  session.see(traced(), start);
  for (int i = 0; i < 500; ++i) {
    session.see(response_ended(), start);
    session.note("detached", start);
  }
  CHECK(log.lines().size() == 1 + session_log::lines_at_once);
  session.see(response_ended(), start + seconds(1));
  CHECK(log.lines().size() == 1 + session_log::lines_at_once + session_log::lines_per_second);
  session.ended("client_close");
  CHECK(log.lines().back().find("980 lines left out") != std::string::npos);
}

TEST_CASE("F10: errors that a client was told are counted, not logged one by one", "[server][log]") {
  const captured_log log;
  const auto peers = std::make_shared<peer_log>(log.logger());
  session_log session(protocol::session_id{"sess_1"}, peers);
  const clock_type::time_point start{seconds(100)};
  for (int i = 0; i < 500; ++i) session.see(error_of(protocol::errc::invalid_json), start);
  CHECK(log.lines().empty());
  peers->tell(start);
  CHECK(log.lines().size() == 1);
}

TEST_CASE("F10: whatever is refused is in the log, once", "[server][log]") {
  const captured_log log;
  {
    auto configuration = test_config();
    configuration.auth.env_keys = {"sk-right"};
    test_server server(configuration, fake_model::manner::text, log.logger());
    for (int i = 0; i < 50; ++i) CHECK(wire_client(server.port).upgrade().status == 401);
    CHECK(wire_client(server.port).get("/nothing").status == 404);
    wire_client client(server.port);
    CHECK(client.upgrade("/v1/realtime", {"Authorization: Bearer sk-right"}).status == 101);
    REQUIRE(client.wait_for("session.created"));
    for (int i = 0; i < 50; ++i) client.send_text("{");
    for (int i = 0; i < 50; ++i) CHECK(client.wait_for("error"));
  }
  std::string all;
  for (const auto& line : log.lines()) all += line + '\n';
  CHECK(all.find("401 ") != std::string::npos);
  CHECK(all.find("404 ") != std::string::npos);
  CHECK(all.find("invalid_json") != std::string::npos);
  CHECK(log.lines().size() < 50);
}

TEST_CASE("F9: what a client calls its model and its reasons ends no line of the log", "[server][log]") {
  const captured_log log;
  {
    test_server server(duplex_config(), fake_model::manner::text, log.logger());
    static_cast<void>(open_session(server.port, "/v1/realtime?model=gpt-realtime" + std::string(20'000, 'A')));
    duplex_client named(server.port);
    named.send(R"({"type":"session.update","session":{"model":")" + forged_json + "\"}}");
    named.until("session.updated");
    named.send(R"({"type":"session.close","reason":")" + forged_json + "\"}");
    CHECK(named.wire.close_code() == 1000);
    wire_client minting(server.port);
    const auto secret = minting.post("/v1/realtime/client_secrets",
                                     R"({"session":{"type":"realtime","model":")" + forged_json + "\"}}");
    CHECK(secret.status == 200);
    wire_client in_query(server.port);
    static_cast<void>(in_query.upgrade("/v1/realtime?model=" + forged_query));
  }
  REQUIRE_FALSE(log.lines().empty());
  for (const auto& line : log.lines()) {
    CAPTURE(line);
    CHECK(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }));
    CHECK(line.size() < 1000);
    if (line.find(": opened") != std::string::npos) CHECK(line.ends_with("model fake"));
  }
}
