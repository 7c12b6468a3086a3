// HOST:PORT of server.listen. Text only: no name is looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::config {

struct listen_address {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};

// "127.0.0.1:8080", "[::1]:0", "localhost:8080"; nothing for anything else.
[[nodiscard]] std::optional<listen_address> parse_listen_address(std::string_view text);

// Only this machine can reach it: localhost, 127.0.0.0/8, ::1.
[[nodiscard]] bool is_loopback(const listen_address& address);

}  // namespace parley::config
