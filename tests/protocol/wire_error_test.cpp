#include "protocol/wire_error.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string_view>

namespace parley::protocol {
namespace {

TEST_CASE("wire_error: every code has a wire name of its own", "[protocol][wire_error]") {
  std::set<std::string_view> names;
  const auto last = static_cast<int>(errc::internal_error);
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

}  // namespace
}  // namespace parley::protocol
