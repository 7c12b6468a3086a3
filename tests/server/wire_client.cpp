#include "tests/server/wire_client.hpp"

#include "server/http_message.hpp"
#include "tests/seen_events.hpp"

#include <arpa/inet.h>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace parley::server::test {

std::string frame_bytes(int opcode, std::string_view payload, const frame_options& options) {
  std::string out;
  out.push_back(static_cast<char>((options.fin ? 0x80 : 0) | (options.reserved << 4) | opcode));
  const int mask_bit = options.masked ? 0x80 : 0;
  if (payload.size() < 126) {
    out.push_back(static_cast<char>(mask_bit | static_cast<int>(payload.size())));
  } else {
    const bool wide = payload.size() > 0xffff;
    out.push_back(static_cast<char>(mask_bit | (wide ? 127 : 126)));
    for (int shift = wide ? 56 : 8; shift >= 0; shift -= 8) out.push_back(static_cast<char>(payload.size() >> shift));
  }
  if (!options.masked) return out += payload;
  constexpr std::string_view mask = "\x11\x22\x33\x44";
  out += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) out.push_back(static_cast<char>(payload[i] ^ mask[i % 4]));
  return out;
}

std::string close_payload(std::uint16_t code, std::string_view reason) {
  std::string out{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
  return out += reason;
}

std::optional<std::string> http_reply::header(std::string_view name) const {
  std::size_t at = head.find("\r\n");
  while (at != std::string::npos && at + 2 < head.size()) {
    const auto end = std::min(head.find("\r\n", at + 2), head.size());
    const std::string_view line = std::string_view(head).substr(at + 2, end - at - 2);
    const auto colon = line.find(": ");
    if (colon != std::string_view::npos && equal_no_case(line.substr(0, colon), name)) {
      return std::string(line.substr(colon + 2));
    }
    at = end;
  }
  return std::nullopt;
}

wire_client::wire_client(std::uint16_t port, int receive_buffer_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer_bytes != 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    ::close(socket_);
    throw std::runtime_error("test client can not connect");
  }
}

wire_client::~wire_client() {
  if (socket_ >= 0) ::close(socket_);
}

wire_client::wire_client(wire_client&& other) noexcept
    : answers_pings(other.answers_pings),
      beta_(other.beta_),
      duplex_(other.duplex_),
      socket_(std::exchange(other.socket_, -1)),
      ended_(other.ended_),
      input_(std::move(other.input_)),
      close_text_(std::move(other.close_text_)) {}

wire_client& wire_client::operator=(wire_client&& other) noexcept {
  std::swap(socket_, other.socket_);  // closed with `other`
  answers_pings = other.answers_pings;
  beta_ = other.beta_;
  duplex_ = other.duplex_;
  ended_ = other.ended_;
  input_ = std::move(other.input_);
  close_text_ = std::move(other.close_text_);
  return *this;
}

bool wire_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void wire_client::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(socket_, -1));
}

bool wire_client::fill() { return take_in(65536); }

bool wire_client::take_in(std::size_t most) {
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  const auto limit = std::chrono::milliseconds(patience).count();
  if (ended_ || ::poll(&waiting, 1, static_cast<int>(limit)) <= 0) return false;
  std::array<char, 65536> piece{};
  const auto got = ::recv(socket_, piece.data(), std::min(most, piece.size()), 0);
  ended_ = got <= 0;
  if (!ended_) input_.append(piece.data(), static_cast<std::size_t>(got));
  return !ended_;
}

std::optional<std::string> wire_client::take(std::size_t bytes) {
  while (input_.size() < bytes) {
    if (!fill()) return std::nullopt;
  }
  auto out = input_.substr(0, bytes);
  input_.erase(0, bytes);
  return out;
}

http_reply wire_client::get(std::string_view target, const header_lines& headers, std::string_view method) {
  std::string request = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  for (const auto& line : headers) request += line + "\r\n";
  send(request + "\r\n");
  return read_reply(method != "HEAD");
}

http_reply wire_client::post(std::string_view target, std::string_view body, const header_lines& headers) {
  std::string request = "POST " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  for (const auto& line : headers) request += line + "\r\n";
  send(request + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  send(body);
  return read_reply();
}

http_reply wire_client::upgrade(std::string_view target, const header_lines& headers) {
  const auto asks_for_beta = [](std::string_view text) {
    return text.find("realtime=v1") != text.npos || text.find("realtime-v1") != text.npos ||
           text.find("-preview") != text.npos;
  };
  duplex_ = target.find("duplex") != target.npos;
  beta_ = asks_for_beta(target) || std::any_of(headers.begin(), headers.end(), asks_for_beta);
  header_lines lines = {"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="};
  lines.insert(lines.end(), headers.begin(), headers.end());
  return get(target, lines);
}

http_reply wire_client::read_reply(bool has_body) {
  std::size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return {};
  }
  http_reply reply{.head = *take(end + 4), .body = {}};
  std::from_chars(reply.head.data() + 9, reply.head.data() + 12, reply.status);
  if (!has_body) return reply;
  if (const auto length = reply.header("Content-Length")) reply.body = take(std::stoul(*length)).value_or("");
  return reply;
}

std::optional<frame> wire_client::next_frame() {
  const auto head = take(2);
  if (!head) return std::nullopt;
  frame out{.fin = ((*head)[0] & 0x80) != 0, .opcode = (*head)[0] & 0x0f};
  auto size = static_cast<std::uint64_t>((*head)[1] & 0x7f);
  if (size >= 126) {
    const auto extended = take(size == 126 ? 2 : 8);
    if (!extended) return std::nullopt;
    size = 0;
    for (const char byte : *extended) size = size << 8 | static_cast<unsigned char>(byte);
  }
  auto payload = take(size);
  if (!payload) return std::nullopt;
  out.payload = std::move(*payload);
  if (out.opcode == 1 && !duplex_) tests::note_event(beta_ ? "beta" : "ga", out.payload);
  return out;
}

std::optional<boost::json::object> wire_client::next_event() {
  while (auto got = next_frame()) {
    if (got->opcode == 9 && answers_pings) send(frame_bytes(10, got->payload));
    if (got->opcode == 8) {
      input_.insert(0, frame_bytes(8, got->payload, {.masked = false}));  // for close_code()
      return std::nullopt;
    }
    if (got->opcode == 1) return boost::json::parse(got->payload).as_object();
  }
  return std::nullopt;
}

std::optional<boost::json::object> wire_client::wait_for(std::string_view type) {
  while (auto event = next_event()) {
    if (event->at("type").as_string() == type) return event;
  }
  return std::nullopt;
}

int wire_client::close_code() {
  while (auto got = next_frame()) {
    if (got->opcode != 8) continue;
    const auto& payload = got->payload;
    send(frame_bytes(8, payload));
    ::shutdown(socket_, SHUT_WR);  // what a client does once the close frames have crossed
    if (payload.size() < 2) return 1005;
    close_text_ = payload.substr(2);
    return static_cast<unsigned char>(payload[0]) * 256 + static_cast<unsigned char>(payload[1]);
  }
  return ended_ ? 0 : -1;
}

wire_client open_session(std::uint16_t port, std::string_view target) {
  wire_client client(port);
  const auto reply = client.upgrade(target);
  if (reply.status != 101) throw std::runtime_error("upgrade refused: " + reply.head + reply.body);
  if (!client.wait_for("session.created")) throw std::runtime_error("no session.created");
  return client;
}

}  // namespace parley::server::test
