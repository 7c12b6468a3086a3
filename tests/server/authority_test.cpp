#include "server/authority.hpp"

#include <catch2/catch.hpp>

using namespace parley::server;

TEST_CASE("authority: host and port, as a request names them", "[server][authority]") {
  CHECK(parse_authority("Voice.Example.org") == authority{"voice.example.org", {}});
  CHECK(parse_authority("localhost:8080") == authority{"localhost", 8080});
  CHECK(parse_authority("localhost.:8080") == authority{"localhost", 8080});
  CHECK(parse_authority("localhost:") == authority{"localhost", {}});
  CHECK(parse_authority("[::1]:80") == authority{"::1", 80});
  CHECK(parse_authority("[FE80::1]") == authority{"fe80::1", {}});
  CHECK(parse_authority("x") == authority{"x", {}});
  CHECK(parse_authority("my_service:1") == authority{"my_service", 1});
  for (const auto* none :
       {"",       ":80", ".", "a b", "user@a",         "a/b", "a:65536", "a:x",         "a:1:2", "::1", "[::1",
        "[::1]x", "[]",  "[", "[a]", "[fe80::1%eth0]", "a,b", "\"a\"",   "gr\xc3\xbcn", "a\xff", "a#",  "*"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_authority(none));
  }
}

TEST_CASE("authority: an origin is of http or https, and nothing behind it", "[server][authority]") {
  CHECK(parse_origin("http://localhost:3000") == authority{"localhost", 3000});
  CHECK(parse_origin("https://Voice.example.org") == authority{"voice.example.org", 443});
  CHECK(parse_origin("http://[::1]") == authority{"::1", 80});
  for (const auto* none : {"", "null", "localhost", "file://", "file://localhost", "chrome-extension://abc",
                           "http://localhost/", "http://localhost@evil.example", "http://a/http://localhost", "://a"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_origin(none));
  }
}

TEST_CASE("F5: what can only mean the machine itself", "[server][authority]") {
  for (const auto* yes :
       {"localhost", "app.localhost", "127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"}) {
    CAPTURE(yes);
    CHECK(is_loopback_name(yes));
  }
  for (const auto* no : {"", "x", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example",
                         "127.evil.example", "0.0.0.0", "10.0.0.1", "::", "fe80::1", "2130706433", "127.1"}) {
    CAPTURE(no);
    CHECK_FALSE(is_loopback_name(no));
  }
}
