// Events for the tests of the delivery buffer, and what they cost on the wire.
#pragma once

#include "protocol/encode.hpp"
#include "protocol/event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace parley::tests {

inline protocol::server_event audio(std::string id, std::string response, std::uint64_t epoch = 0,
                                    std::size_t samples = 4, std::int64_t first_sample = 0) {
  protocol::audio_delta delta;
  delta.at = {protocol::response_id{std::move(response)}, protocol::item_id{"item_1"}, 0, 0};
  delta.epoch = {epoch};
  delta.samples.assign(samples, 7);
  delta.first_sample = first_sample;
  return {protocol::event_id{std::move(id)}, std::move(delta)};
}

inline protocol::server_event text(std::string id, std::string response, std::size_t chars = 4) {
  protocol::text_delta delta;
  delta.at = {protocol::response_id{std::move(response)}, protocol::item_id{"item_1"}, 0, 0};
  delta.delta.assign(chars, 'x');
  return {protocol::event_id{std::move(id)}, std::move(delta)};
}

inline protocol::server_event error(std::string id, std::size_t chars = 4) {
  protocol::error_event event;
  event.error.message.assign(chars, 'e');
  return {protocol::event_id{std::move(id)}, std::move(event)};
}

inline protocol::server_event done(std::string id, std::string response) {
  protocol::response_done event;
  event.response.id = protocol::response_id{std::move(response)};
  event.response.status = protocol::response_status::completed;
  return {protocol::event_id{std::move(id)}, std::move(event)};
}

inline protocol::terminal_event terminal(std::size_t detail_chars = 4) {
  return {"session.closed", protocol::session_id{"sess_1"}, "client_request",
          protocol::raw_json{"{\"note\":\"" + std::string(detail_chars, 'd') + "\"}"}};
}

}  // namespace parley::tests
