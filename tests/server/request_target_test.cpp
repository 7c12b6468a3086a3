#include "server/request_target.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("request_target: broken escapes and control characters are refused", "[server][request_target]") {
  for (const auto* target : {"/%", "/%4", "/%zz", "/x?a=%0a", "/x?%00=1", "/x?a=%e"}) {
    CAPTURE(target);
    CHECK_FALSE(parse_target(target));
  }
}
