#include "server/turn_log.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include <memory>

using namespace parley;
using namespace parley::server;

namespace {

protocol::session_view with_tracing(std::optional<protocol::raw_json> tracing) {
  protocol::session_settings settings;
  settings.instructions = "a secret plan";
  settings.tracing = std::move(tracing);
  return {protocol::session_id{"sess_1"}, std::make_shared<const protocol::session_settings>(settings), {}};
}

protocol::event_body ended() {
  protocol::response_view response{.id = protocol::response_id{"resp_1"}};
  response.status = protocol::response_status::cancelled;
  response.usage = protocol::token_usage{1, 20, 300, 4000};
  return protocol::response_done{response};
}

boost::json::value shown(const std::optional<std::string>& line) { return boost::json::parse(line.value()); }

}  // namespace

TEST_CASE("turn_log: says nothing of a session that is not traced", "[server][turns]") {
  turn_log log{protocol::session_id{"sess_1"}};
  CHECK_FALSE(log.see(ended()));
  CHECK_FALSE(log.see(protocol::session_created{with_tracing({})}));
  CHECK_FALSE(log.see(ended()));
}

TEST_CASE("turn_log: one line a response, from session.created on and until it is switched off", "[server][turns]") {
  turn_log log{protocol::session_id{"sess_1"}};
  CHECK_FALSE(log.see(protocol::session_created{with_tracing(protocol::raw_json{R"("auto")"})}));
  const auto line = shown(log.see(ended()));
  CHECK(line == boost::json::parse(R"({"session":"sess_1","response":"resp_1","status":"cancelled",
                                       "input_tokens":21,"output_tokens":4300})"));
  CHECK_FALSE(log.see(protocol::response_created{}));
  CHECK_FALSE(log.see(protocol::session_updated{with_tracing({})}));
  CHECK_FALSE(log.see(ended()));
}

TEST_CASE("turn_log: names the workflow and the group, in one line and not too long", "[server][turns]") {
  turn_log log{protocol::session_id{"sess_1"}};
  const std::string tracing =
      R"({"workflow_name":"a\nb","group_id":")" + std::string(127, 'g') +
      R"(äöü","metadata":{"x":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}})";
  CHECK_FALSE(log.see(protocol::session_updated{with_tracing(protocol::raw_json{tracing})}));
  const auto text = log.see(ended()).value();
  CHECK(text.find('\n') == std::string::npos);
  CHECK(shown(text).at("workflow_name") == "a\nb");
  CHECK(shown(text).at("group_id").as_string() == std::string(127, 'g'));
}
