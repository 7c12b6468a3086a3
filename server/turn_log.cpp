#include "server/turn_log.hpp"

#include "protocol/decode.hpp"
#include "protocol/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <variant>

namespace parley::server {

namespace json = boost::json;

namespace {

// Longest name that is logged, in bytes: a client must not fill the log.
constexpr std::size_t longest_name = 128;

std::string name_in(const json::value& tracing, const char* member) {
  const auto* object = tracing.if_object();
  const auto* text = object == nullptr ? nullptr : object->if_contains(member);
  if (text == nullptr || !text->is_string()) return {};
  const auto& name = text->get_string();
  return std::string(protocol::whole_characters({name.data(), name.size()}, longest_name));
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

std::string turn_log::line(const protocol::response_view& response) const {
  json::object out{{"session", session_.value}};
  if (!workflow_name_.empty()) out["workflow_name"] = workflow_name_;
  if (!group_id_.empty()) out["group_id"] = group_id_;
  out["response"] = response.id.value;
  out["status"] = name_of(response.status);
  if (response.usage) {
    out["input_tokens"] = response.usage->input_text_tokens + response.usage->input_audio_tokens;
    out["output_tokens"] = response.usage->output_text_tokens + response.usage->output_audio_tokens;
  }
  return json::serialize(out);
}

}  // namespace parley::server
