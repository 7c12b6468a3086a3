#include "tests/server/duplex_client.hpp"

#include <boost/json/serialize.hpp>

#include <stdexcept>
#include <utility>

namespace parley::server::test {

namespace json = boost::json;

config::config duplex_config() {
  auto out = test_config();
  out.resume.disconnect_grace = std::chrono::seconds{1};
  out.resume.reaper = std::chrono::seconds{1};
  return out;
}

std::string text_of(const json::object& event, const char* member) { return std::string(event.at(member).as_string()); }

duplex_client::duplex_client(std::uint16_t port, const std::string& query, const header_lines& headers) : wire(port) {
  const auto reply = wire.upgrade("/v1/realtime?duplex=1&" + query, headers);
  if (reply.status != 101) throw std::runtime_error("upgrade refused: " + reply.head + reply.body);
}

duplex_client duplex_client::open(std::uint16_t port, const std::string& query, const header_lines& headers) {
  duplex_client client(port, query, headers);
  client.expect("session.created");
  client.expect("session.updated");
  return client;
}

std::optional<json::object> duplex_client::next() {
  auto event = wire.next_event();
  if (!event) return event;
  if (const auto* session = event->if_contains("session")) id = text_of(session->as_object(), "id");
  if (event->contains("resume_token")) token = text_of(*event, "resume_token");
  if (const auto* now = event->if_contains("attachment_generation")) generation = now->to_number<std::int64_t>();
  if (const auto* number = event->if_contains("server_event_seq")) last = number->to_number<std::uint64_t>();
  return event;
}

json::object duplex_client::expect(const std::string& type) {
  auto event = next();
  if (!event) throw std::runtime_error("the end instead of " + type);
  if (event->at("type").as_string() != type) throw std::runtime_error("not " + type + ": " + json::serialize(*event));
  return *std::move(event);
}

json::object duplex_client::until(const std::string& type) {
  while (auto event = next()) {
    if (event->at("type").as_string() == type) return *std::move(event);
  }
  throw std::runtime_error("the end before " + type);
}

json::object duplex_client::error(const std::string& code) {
  const auto event = expect("error");
  auto error = event.at("error").as_object();
  if (error.at("code").as_string() != code) throw std::runtime_error("not " + code + ": " + json::serialize(event));
  return error;
}

int duplex_client::turned_away(const std::string& code) {
  error(code);
  if (const auto more = next()) throw std::runtime_error("more than one event: " + json::serialize(*more));
  return wire.close_code();
}

void duplex_client::signal(const std::string& text) {
  send(R"({"type":"turn.signal","event":")" + text + "\"}");
  if (const auto event = until("turn.event"); text_of(event, "event") != text) {
    throw std::runtime_error("another event: " + json::serialize(event));
  }
}

void duplex_client::acknowledge(std::uint64_t number) {
  send(R"({"type":"session.event_ack","server_event_seq":)" + std::to_string(number) + "}");
}

std::vector<json::object> duplex_client::rest() {
  std::vector<json::object> events;
  while (auto event = next()) events.push_back(*std::move(event));
  return events;
}

void duplex_client::resume(const duplex_client& lost, std::uint64_t last_received) {
  resume(lost.id, lost.token, last_received);
}

void duplex_client::resume(const std::string& session, const std::string& with, std::uint64_t last_received) {
  send(R"({"type":"session.resume","session_id":")" + session + R"(","resume_token":")" + with +
       R"(","last_received_server_event_seq":)" + std::to_string(last_received) + "}");
}

}  // namespace parley::server::test
