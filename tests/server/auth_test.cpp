#include "server/auth.hpp"

#include "server/random_ids.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

using namespace parley;
using namespace parley::server;

namespace {

http_request with(std::vector<std::pair<std::string, std::string>> headers) {
  return {.method = "GET", .target = "/v1/realtime", .headers = std::move(headers)};
}

key_ring two_keys() {
  prepare_randomness();
  return key_ring({"first-key", "second-key"});
}

}  // namespace

TEST_CASE("C69: any configured key is admitted in each of its three places", "[server][auth]") {
  const auto keys = two_keys();
  CHECK(keys.admits(with({{"Authorization", "Bearer first-key"}})));
  CHECK(keys.admits(with({{"authorization", "bearer second-key"}})));
  CHECK(keys.admits(with({{"AUTHORIZATION", "BEARER second-key"}})));
  CHECK(keys.admits(with({{"api-key", "second-key"}})));
  CHECK(keys.admits(with({{"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key.first-key"}})));
}

TEST_CASE("C69: everything else is refused", "[server][auth]") {
  const auto keys = two_keys();
  CHECK_FALSE(keys.admits(with({})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Bearer wrong"}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Bearer first"}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Bearer first-key "}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Bearer"}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Bearer "}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Basic first-key"}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "first-key"}})));
  CHECK_FALSE(keys.admits(with({{"api-key", ""}})));
  CHECK_FALSE(keys.admits(with({{"Sec-WebSocket-Protocol", "openai-insecure-api-key."}})));
  CHECK_FALSE(keys.admits(with({{"Authorization", "Bearer first-key"}, {"Authorization", "Bearer first-key"}})));
}

TEST_CASE("C70: one valid key is enough, in the header or the subprotocol", "[server][auth]") {
  const auto keys = two_keys();
  CHECK(keys.admits(with(
      {{"Authorization", "Bearer first-key"}, {"Sec-WebSocket-Protocol", "realtime, openai-insecure-api-key.wrong"}})));
  CHECK(keys.admits(
      with({{"Authorization", "Bearer wrong"}, {"Sec-WebSocket-Protocol", "openai-insecure-api-key.first-key"}})));
}

TEST_CASE("key_ring: without keys everybody is admitted", "[server][auth]") {
  const key_ring keys{{}};
  CHECK(keys.open());
  CHECK(keys.admits(with({})));
}

TEST_CASE("load_keys: file and environment together, comments and blanks left out", "[server][auth]") {
  std::string path = "/tmp/parley_keys_XXXXXX";
  const int file = ::mkstemp(path.data());
  REQUIRE(file >= 0);
  ::close(file);
  std::ofstream(path) << "# operators\n\n  key-one  \nkey-two\r\n";
  const auto keys =
      load_keys({.keys_file = path, .env_keys = {"key-env"}, .allow_anonymous = {}, .secret_key_file = {}});
  CHECK(keys == std::vector<std::string>{"key-env", "key-one", "key-two"});
  std::ofstream(path) << "# nothing\n";
  CHECK_THROWS_AS(load_keys({.keys_file = path, .env_keys = {}, .allow_anonymous = {}, .secret_key_file = {}}),
                  std::runtime_error);
  std::remove(path.c_str());
  CHECK_THROWS_AS(load_keys({.keys_file = path, .env_keys = {}, .allow_anonymous = {}, .secret_key_file = {}}),
                  std::runtime_error);
}
