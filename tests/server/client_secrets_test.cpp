#include "server/client_secrets.hpp"

#include "server/random_ids.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

using namespace parley;
using namespace parley::server;
using std::chrono::seconds;

namespace {

constexpr std::int64_t now = 1'800'000'000;
const std::string session = R"({"model":"m","instructions":"Sei höflich."})";

client_secrets maker(unsigned char seed = 7) {
  prepare_randomness();
  client_secrets::signing_key key{};
  key.fill(seed);
  return client_secrets(key);
}

// A file that is gone with the object.
struct key_file {
  explicit key_file(const std::string& bytes) {
    const int file = ::mkstemp(path.data());
    if (file >= 0) ::close(file);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~key_file() { std::remove(path.c_str()); }
  key_file(const key_file&) = delete;
  key_file& operator=(const key_file&) = delete;
  [[nodiscard]] config::auth_config auth() const {
    config::auth_config out;
    out.secret_key_file = path;
    return out;
  }
  std::string path = "/tmp/parley_secret_key_XXXXXX";
};

}  // namespace

TEST_CASE("client_secrets: what was minted opens until it expires", "[server][secrets]") {
  const auto secrets = maker();
  const auto made = secrets.mint(session, now, seconds{10});
  CHECK(made.value.starts_with("ek_"));
  CHECK(made.expires_at == now + 10);
  CHECK(secrets.open(made.value, now) == session);
  CHECK(secrets.open(made.value, now + 9) == session);
  CHECK_FALSE(secrets.open(made.value, now + 10));
  CHECK_FALSE(secrets.open(made.value, now + 100'000));
}

TEST_CASE("client_secrets: it is made of characters that headers and subprotocols allow", "[server][secrets]") {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every.push_back(static_cast<char>(byte));
  const auto made = maker().mint(every, now, seconds{10}).value;
  CHECK(made.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
        std::string::npos);
  CHECK(maker().open(made, now) == every);
}

TEST_CASE("client_secrets: no two are the same", "[server][secrets]") {
  const auto secrets = maker();
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) CHECK(seen.insert(secrets.mint(session, now, seconds{10}).value).second);
}

TEST_CASE("client_secrets: any other character in any place makes it nothing", "[server][secrets]") {
  const auto secrets = maker();
  const auto made = secrets.mint(session, now, seconds{60}).value;
  for (std::size_t at = 0; at < made.size(); ++at) {
    for (const char other : {'A', 'B', 'z', '9', '-', '_', '=', '+', '/', ' ', '\0'}) {
      auto wrong = made;
      wrong[at] = other;
      if (wrong != made && secrets.open(wrong, now)) FAIL("place " << at << ", character " << static_cast<int>(other));
    }
  }
  SUCCEED("none opened");
}

TEST_CASE("client_secrets: one bit of its bytes is enough", "[server][secrets]") {
  const auto secrets = maker();
  const auto made = secrets.mint(session, now, seconds{60}).value;
  for (std::size_t at = 3; at < made.size(); ++at) {
    for (const int bit : {0, 1, 2, 3, 4, 5, 6}) {
      auto wrong = made;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      if (secrets.open(wrong, now)) FAIL("place " << at << ", bit " << bit);
    }
  }
  SUCCEED("none opened");
}

TEST_CASE("client_secrets: truncated, lengthened or empty it is nothing", "[server][secrets]") {
  const auto secrets = maker();
  const auto made = secrets.mint(session, now, seconds{60}).value;
  for (std::size_t size = 0; size < made.size(); ++size) {
    if (secrets.open(made.substr(0, size), now)) FAIL("of " << size);
  }
  for (const auto& wrong : {made + "A", made + "=", made + made, " " + made, made + " ", std::string("ek_"),
                            made.substr(3), "EK_" + made.substr(3), "ek_" + std::string(100'000, 'A')}) {
    CHECK_FALSE(secrets.open(wrong, now));
  }
}

TEST_CASE("client_secrets: another key's are nothing", "[server][secrets]") {
  const auto made = maker(1).mint(session, now, seconds{60}).value;
  CHECK(maker(1).open(made, now));
  CHECK_FALSE(maker(2).open(made, now));
}

TEST_CASE("client_secrets: the longest that is made opens", "[server][secrets]") {
  const auto secrets = maker();
  const std::string largest(16 * 1024, 'x');
  CHECK(secrets.open(secrets.mint(largest, now, seconds{60}).value, now) == largest);
}

TEST_CASE("client_secrets: what looks like one is long and begins with ek_", "[server][secrets]") {
  CHECK(looks_like_secret(maker().mint("{}", now, seconds{10}).value));
  CHECK_FALSE(looks_like_secret("ek_dummy"));
  CHECK_FALSE(looks_like_secret("ek_68af296e8e408191a1120ab6383263c2"));
  CHECK_FALSE(looks_like_secret("sk-" + std::string(100, 'x')));
}

TEST_CASE("client_secrets: the signing key is that of the file, else a new one each time", "[server][secrets]") {
  prepare_randomness();
  const key_file file(std::string(31, '\n') + '\xff');
  CHECK(load_signing_key(file.auth()) == load_signing_key(file.auth()));
  CHECK(load_signing_key(file.auth()).back() == 0xff);
  CHECK(load_signing_key({}) != load_signing_key({}));
  for (const std::size_t size : {0U, 31U, 33U}) {
    const key_file wrong(std::string(size, 'k'));
    CHECK_THROWS_AS(load_signing_key(wrong.auth()), std::runtime_error);
  }
  config::auth_config absent;
  absent.secret_key_file = "/no/such/file";
  CHECK_THROWS_AS(load_signing_key(absent), std::runtime_error);
}
