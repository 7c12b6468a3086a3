// HOST[:PORT] as requests and origins name a server. Text only: no name is looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::server {

struct authority {
  std::string host;  // lower case, without the brackets of an IPv6 address and the dot that may end a name
  std::optional<std::uint16_t> port;

  friend bool operator==(const authority&, const authority&) = default;
};

// Nothing for what is empty, holds a user or any character that no host has.
[[nodiscard]] std::optional<authority> parse_authority(std::string_view text);

// Where the page is from that a browser names by `Origin: SCHEME://HOST[:PORT]`. Its port is that of http or https
// where it names none. Nothing for other schemes and for `null`, which every sandboxed frame of any page has.
[[nodiscard]] std::optional<authority> parse_origin(std::string_view text);

// A name that can only mean the machine that resolves it: localhost, names below it (RFC 6761, 6.3), 127.0.0.0/8, ::1.
[[nodiscard]] bool is_loopback_name(std::string_view host);

// One label, such as `voice`: no public name is one.
[[nodiscard]] bool is_one_label(std::string_view host) noexcept;

}  // namespace parley::server
