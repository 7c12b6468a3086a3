#include "protocol/wire_error.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace parley::protocol {
namespace {

TEST_CASE("wire_error: every code has a wire name of its own", "[protocol][wire_error]") {
  std::set<std::string_view> names;
  const auto last = static_cast<int>(errc::unknown_session);
  for (int code = 0; code <= last; ++code) names.insert(wire_name(static_cast<errc>(code)));
  CHECK(names.size() == static_cast<std::size_t>(last) + 1);
}

TEST_CASE("wire_error: names are those that SDKs match on", "[protocol][wire_error]") {
  CHECK(wire_name(errc::none).empty());
  CHECK(wire_name(errc::response_cancel_not_active) == "response_cancel_not_active");
  CHECK(wire_name(errc::conversation_already_has_active_response) == "conversation_already_has_active_response");
  CHECK(wire_name(errc::input_audio_buffer_commit_empty) == "input_audio_buffer_commit_empty");
  CHECK(wire_name(error_class::invalid_request_error) == "invalid_request_error");
  CHECK(wire_name(error_class::rate_limit_error) == "rate_limit_error");
  CHECK(wire_name(error_class::server_error) == "server_error");
}

TEST_CASE("statement 165: the class of an error follows from its code", "[protocol][error]") {
  const auto class_of = [](errc code) { return std::string{duplex_class(code)}; };
  for (const errc code : {errc::resource_exhausted, errc::input_backpressure, errc::output_backpressure}) {
    CHECK(class_of(code) == "rate_limit_error");
  }
  for (const errc code :
       {errc::internal_error, errc::commit_aborted, errc::model_failed, errc::server_vad_unavailable,
        errc::runtime_append_failed, errc::runtime_touch_failed, errc::runtime_data_plane_stream_failed}) {
    CHECK(class_of(code) == "server_error");
  }
  for (const errc code : {errc::bad_event, errc::invalid_json, errc::config_timeout, errc::session_closed}) {
    CHECK(class_of(code) == "invalid_request_error");
  }
}

TEST_CASE("wire_error: what both dialects refuse has another name in duplex", "[protocol][error]") {
  const std::pair<errc, const char*> names[] = {
      {errc::response_cancel_not_active, "response_not_active"},
      {errc::conversation_already_has_active_response, "response_already_active"},
      {errc::item_retrieve_invalid_item_id, "item_not_found"},
      {errc::item_delete_invalid_item_id, "item_not_found"},
      {errc::item_truncate_invalid_item_id, "item_not_found"},
      {errc::input_audio_buffer_commit_empty, "input_audio_buffer_empty"},
      {errc::invalid_tool_call_id, "invalid_function_call_output"},
      {errc::cannot_update_voice, "voice_update_after_audio_unsupported"},
      {errc::model_failed, "engine_error"},
      {errc::unsupported_content_type, "unsupported"},
      {errc::invalid_value, "bad_event"},
      {errc::none, "internal_error"},
      {errc::unknown_session, "unknown_session"},
  };
  for (const auto& [code, name] : names) CHECK(duplex_name(code) == name);
}

}  // namespace
}  // namespace parley::protocol
