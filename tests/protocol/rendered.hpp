// Renders an event and reads it back, so that tests look at members and not at text.
#pragma once

#include "protocol/encode.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace parley::protocol {

inline std::string rendered_text(dialect spoken, event_body body) {
  return render(spoken, server_event{event_id{"event_1"}, std::move(body)});
}

inline boost::json::value rendered(dialect spoken, event_body body) {
  return boost::json::parse(rendered_text(spoken, std::move(body)));
}

// The JSON that a test expects; members may stand in any order.
inline boost::json::value expected(std::string_view text) { return boost::json::parse(text); }

inline std::string type_of(dialect spoken, event_body body) {
  return std::string{rendered(spoken, std::move(body)).at("type").as_string()};
}

// Without the members that every event has.
inline boost::json::value payload(dialect spoken, event_body body) {
  auto json = rendered(spoken, std::move(body));
  REQUIRE(json.at("event_id") == "event_1");
  json.as_object().erase("event_id");
  json.as_object().erase("type");
  return json;
}

}  // namespace parley::protocol
