// A client of the duplex dialect on a wire_client: keeps what it needs to come back. What does not come in time is an
// exception, so that a test says what it waits for and no more.
#pragma once

#include "tests/server/test_server.hpp"
#include "tests/server/wire_client.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parley::server::test {

// A configuration with short times: grace and reaper 1 s.
[[nodiscard]] config::config duplex_config();

class duplex_client {
 public:
  // Upgraded, nothing sent.
  explicit duplex_client(std::uint16_t port, const std::string& query = "autostart=0",
                         const header_lines& headers = {});
  // With an open session: session.created and session.updated read.
  [[nodiscard]] static duplex_client open(std::uint16_t port, const std::string& query = "model=fake",
                                          const header_lines& headers = {});

  bool send(const std::string& text) { return wire.send_text(text); }
  // Keeps id, token and number. Empty at the end of the stream.
  std::optional<boost::json::object> next();
  // The next event, which must be of that type.
  boost::json::object expect(const std::string& type);
  // Reads on to one of that type.
  boost::json::object until(const std::string& type);
  // An error of that code must be next; gives its `error`.
  boost::json::object error(const std::string& code);
  // The one error of that code, and then the end: gives the close code.
  int turned_away(const std::string& code);
  // A journaled event that carries the text: turn.event.
  void signal(const std::string& text);
  void acknowledge(std::uint64_t number);
  // Everything up to the close frame.
  std::vector<boost::json::object> rest();

  // Sends session.resume for the session of `lost`, from that number on, and reads nothing.
  void resume(const duplex_client& lost, std::uint64_t last_received);
  void resume(const std::string& session, const std::string& with, std::uint64_t last_received);

  wire_client wire;
  std::string id, token;
  std::int64_t generation = 0;
  std::uint64_t last = 0;  // server_event_seq
};

[[nodiscard]] std::string text_of(const boost::json::object& event, const char* member);

}  // namespace parley::server::test
