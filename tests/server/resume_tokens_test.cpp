#include "server/resume_tokens.hpp"

#include "server/random_ids.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace parley::server;

TEST_CASE("statement 12: a token is 32 random bytes in base64url", "[server][resume]") {
  prepare_randomness();
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    const auto token = resume_tokens::fresh();
    CHECK(token.size() == 43);
    CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == token.npos);
    all.insert(token);
  }
  CHECK(all.size() == 100);
}

TEST_CASE("statement 152: a used token is dead at once, and back when the next one is in doubt", "[server][resume]") {
  prepare_randomness();
  resume_tokens tokens("one");
  CHECK(tokens.accepts("one"));
  CHECK_FALSE(tokens.accepts("two"));
  CHECK_FALSE(tokens.accepts(""));
  tokens.replace("one", "two");
  CHECK(tokens.accepts("two"));
  CHECK_FALSE(tokens.accepts("one"));
  CHECK(tokens.was_used_last("one"));
  CHECK_FALSE(tokens.was_used_last("two"));
  tokens.reinstate();
  CHECK(tokens.accepts("two"));
  CHECK(tokens.accepts("one"));
  // One more try: its success kills both.
  tokens.replace("one", "three");
  CHECK(tokens.accepts("three"));
  CHECK_FALSE(tokens.accepts("two"));
  CHECK_FALSE(tokens.accepts("one"));
  tokens.replace("three", "four");
  tokens.reinstate();
  CHECK(tokens.accepts("three"));
  CHECK_FALSE(tokens.accepts("one"));
}

TEST_CASE("resume_tokens: with one token only, doubt changes nothing", "[server][resume]") {
  prepare_randomness();
  resume_tokens tokens("one");
  tokens.reinstate();
  CHECK(tokens.accepts("one"));
  CHECK_FALSE(tokens.accepts("two"));
}
