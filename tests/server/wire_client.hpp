// A WebSocket client on a blocking socket that frames its bytes itself, so that tests can send what no library would.
// Every read has a deadline: a test that waits in vain gets nothing, not a hang.
#pragma once

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::server::test {

struct frame {
  bool fin = true;
  int opcode = 1;  // 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong
  std::string payload{};
};

struct frame_options {
  bool fin = true;
  bool masked = true;
  int reserved = 0;  // the three RSV bits
};

[[nodiscard]] std::string frame_bytes(int opcode, std::string_view payload, const frame_options& options = {});
[[nodiscard]] std::string close_payload(std::uint16_t code, std::string_view reason = {});

struct http_reply {
  int status = 0;
  std::string head;  // status line and headers, as sent
  std::string body;

  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

using header_lines = std::vector<std::string>;

class wire_client {
 public:
  static constexpr std::chrono::seconds patience{60};

  // A kernel that takes in no more than `receive_buffer_bytes` before it is read; 0 = its own choice.
  explicit wire_client(std::uint16_t port, int receive_buffer_bytes = 0);
  ~wire_client();
  wire_client(wire_client&& other) noexcept;
  wire_client& operator=(wire_client&& other) noexcept;

  // False when the peer has gone.
  bool send(std::string_view bytes);
  bool send_text(std::string_view text) { return send(frame_bytes(1, text)); }
  // Takes in so many bytes at most, for the next frames; false at the end.
  bool take_in(std::size_t most);
  // Ends the connection with a reset instead of a close.
  void reset();

  http_reply get(std::string_view target, const header_lines& headers = {}, std::string_view method = "GET");
  http_reply post(std::string_view target, std::string_view body, const header_lines& headers = {});
  http_reply upgrade(std::string_view target = "/v1/realtime", const header_lines& headers = {});
  // `has_body` false: the answer to HEAD.
  http_reply read_reply(bool has_body = true);

  // Empty at the end of the stream or when nothing came in time.
  std::optional<frame> next_frame();
  // The next text message as JSON; pings are answered unless `deaf`, pongs are left out.
  std::optional<boost::json::object> next_event();
  // Events up to and including the first of that type; empty when it did not come.
  std::optional<boost::json::object> wait_for(std::string_view type);
  // Reads on to the close frame and gives its code; 0 when the stream ended without one, -1 when it did not end in
  // time.
  int close_code();
  // What the close frame said that close_code() read.
  [[nodiscard]] const std::string& close_text() const noexcept { return close_text_; }
  bool answers_pings = true;

 private:
  bool fill();
  std::optional<std::string> take(std::size_t bytes);

  bool beta_ = false;
  bool duplex_ = false;
  int socket_ = -1;
  bool ended_ = false;
  std::string input_;
  std::string close_text_;
};

// A client with an open session: upgraded and session.created read.
[[nodiscard]] wire_client open_session(std::uint16_t port, std::string_view target = "/v1/realtime");

}  // namespace parley::server::test
