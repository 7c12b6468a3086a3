#include "server/request_target.hpp"

#include <catch2/catch.hpp>

#include <string>

using parley::server::parse_target;

TEST_CASE("request_target: splits path and query and decodes both", "[server][request_target]") {
  const auto target = parse_target("/openai/realtime?api-version=2024-10-01%2Dpreview&deployment=a+b&empty=&flag");
  REQUIRE(target);
  CHECK(target->path == "/openai/realtime");
  CHECK(target->find("api-version") == "2024-10-01-preview");
  CHECK(target->find("deployment") == "a b");
  CHECK(target->find("empty") == "");
  CHECK(target->find("flag") == "");
  CHECK(target->find("missing") == std::nullopt);
}

TEST_CASE("request_target: a plus in the path stays a plus", "[server][request_target]") {
  CHECK(parse_target("/a+b%2Fc")->path == "/a+b/c");
}

TEST_CASE("request_target: the first of several members counts", "[server][request_target]") {
  CHECK(parse_target("/x?model=one&model=two")->find("model") == "one");
}

TEST_CASE("F22: a parameter contradicts itself when two of its values differ", "[server][request_target]") {
  const auto target = parse_target("/x?a=1&b=2&a=1&b=3&%62=2&c=4&d=&d");
  CHECK_FALSE(target->contradicts_itself("a"));
  CHECK(target->contradicts_itself("b"));
  CHECK_FALSE(target->contradicts_itself("c"));
  CHECK_FALSE(target->contradicts_itself("d"));
  CHECK_FALSE(target->contradicts_itself("missing"));
}

TEST_CASE("F22: an absolute target is its path, and its host the host", "[server][request_target]") {
  for (const auto* scheme : {"http", "ws", "https", "WSS"}) {
    const auto target = parse_target(scheme + std::string("://voice.example.org:8080/v1/realtime?model=a"));
    REQUIRE(target);
    CHECK(target->authority == "voice.example.org:8080");
    CHECK(target->path == "/v1/realtime");
    CHECK(target->find("model") == "a");
  }
  CHECK(parse_target("http://[::1]")->path == "/");
  CHECK(parse_target("http://a?model=b")->find("model") == "b");
  CHECK(parse_target("/http://a/b")->authority.empty());
  for (const auto* none : {"", "v1/realtime", "http:///v1", "http://", "http://u@host/v1", "ftp://a/b", "http://a:x/",
                           "*", "a:443", "://a/", "http:/a"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_target(none));
  }
}

TEST_CASE("F11: what is no UTF-8 when decoded is refused, escaped or not", "[server][request_target]") {
  for (const auto* target : {"/x?model=a%ff", "/x?model=a\xff", "/%c3", "/x?%c3=1", "/x?a=%c3%28", "/x?a=%ed%a0%80",
                             "/x?a=%c0%80", "/x?a=%c2%9b", "/x?a=%7f", "/x?a=\xc3&b=\xa4"}) {
    CAPTURE(target);
    CHECK_FALSE(parse_target(target));
  }
  CHECK(parse_target("/x?a=%c3%a4%F0%9F%98%80")->find("a") == "\xc3\xa4\xf0\x9f\x98\x80");
  CHECK(parse_target("/x?a=\xc3%a4")->find("a") == "\xc3\xa4");
}

TEST_CASE("request_target: broken escapes and control characters are refused", "[server][request_target]") {
  for (const auto* target : {"/%", "/%4", "/%zz", "/x?a=%0a", "/x?%00=1", "/x?a=%e"}) {
    CAPTURE(target);
    CHECK_FALSE(parse_target(target));
  }
}
