#include "config/listen_address.hpp"

#include <catch2/catch.hpp>

namespace parley::config {

TEST_CASE("listen_address: splits host and port", "[config][unit]") {
  const auto plain = parse_listen_address("127.0.0.1:8080");
  REQUIRE(plain);
  CHECK(plain->host == "127.0.0.1");
  CHECK(plain->port == 8080);
  const auto six = parse_listen_address("[::1]:0");
  REQUIRE(six);
  CHECK(six->host == "::1");
  CHECK(six->port == 0);
  CHECK(parse_listen_address("localhost:65535"));
}

TEST_CASE("listen_address: refuses everything else", "[config][unit]") {
  for (const auto* text : {"", ":", "8080", "host", "host:", ":8080", "host:65536", "host:-1", "host:80x", "host: 80",
                           "::1:80", "[]:80", "[host]:80", "ws://host:80", "a b:80", "host:8080 "}) {
    INFO(text);
    CHECK_FALSE(parse_listen_address(text));
  }
}

TEST_CASE("listen_address: knows loopback", "[config][unit]") {
  for (const auto* text : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"})
    CHECK(is_loopback(*parse_listen_address(text)));
  for (const auto* text : {"0.0.0.0:1", "[::]:1", "127.example.org:1", "10.0.0.1:1"}) {
    CHECK_FALSE(is_loopback(*parse_listen_address(text)));
  }
}

}  // namespace parley::config
