#include "server/turn_log.hpp"

#include "protocol/decode.hpp"
#include "server/log_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <string>
#include <variant>

namespace parley::server {

namespace json = boost::json;

namespace {

std::string name_in(const json::value& tracing, const char* member) {
  const auto* object = tracing.if_object();
  const auto* text = object == nullptr ? nullptr : object->if_contains(member);
  if (text == nullptr || !text->is_string()) return {};
  return for_log(text->get_string());
}

const char* name_of(protocol::response_status status) {
  using enum protocol::response_status;
  switch (status) {
    case in_progress:
      return "in_progress";
    case completed:
      return "completed";
    case cancelled:
      return "cancelled";
    case incomplete:
      return "incomplete";
    case failed:
      return "failed";
  }
  return "failed";
}

}  // namespace

std::optional<std::string> turn_log::see(const protocol::event_body& event) {
  if (const auto* made = std::get_if<protocol::session_created>(&event)) follow(*made->session.settings);
  if (const auto* made = std::get_if<protocol::session_updated>(&event)) follow(*made->session.settings);
  const auto* done = std::get_if<protocol::response_done>(&event);
  if (!tracing_ || done == nullptr) return std::nullopt;
  return line(done->response);
}

void turn_log::follow(const protocol::session_settings& settings) {
  tracing_ = settings.tracing.has_value();
  boost::system::error_code broken;
  json::parse_options depth;
  depth.max_depth = protocol::max_json_depth;
  const auto tracing = tracing_ ? json::parse(settings.tracing->text, broken, {}, depth) : json::value{};
  workflow_name_ = name_in(tracing, "workflow_name");
  group_id_ = name_in(tracing, "group_id");
}

// Written by hand: what a client named is escaped for the log, which is more than JSON asks for.
std::string turn_log::line(const protocol::response_view& response) const {
  std::string out = R"({"session":")" + session_.value + '"';
  if (!workflow_name_.empty()) out += R"(,"workflow_name":")" + workflow_name_ + '"';
  if (!group_id_.empty()) out += R"(,"group_id":")" + group_id_ + '"';
  out += R"(,"response":")" + response.id.value + R"(","status":")" + name_of(response.status) + '"';
  if (response.usage) {
    const auto& used = *response.usage;
    out += R"(,"input_tokens":)" + std::to_string(used.input_text_tokens + used.input_audio_tokens);
    out += R"(,"output_tokens":)" + std::to_string(used.output_text_tokens + used.output_audio_tokens);
  }
  return out + '}';
}

}  // namespace parley::server
