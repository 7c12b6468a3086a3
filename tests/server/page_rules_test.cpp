#include "server/page_rules.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace parley::server;

namespace {

using header_list = std::vector<std::pair<std::string, std::string>>;

struct site {
  std::string listen = "127.0.0.1:8080";
  std::vector<std::string> origins{};
  std::vector<std::string> hosts{};

  page_rules rules() const {
    parley::config::server_config from;
    from.listen = listen;
    from.origins = origins;
    from.hosts = hosts;
    return page_rules(from);
  }
  // "in", or the code of the refusal.
  std::string told(header_list headers) const {
    const auto refused = rules().refusal({.method = "GET", .target = "/", .headers = std::move(headers)});
    if (!refused) return "in";
    CHECK(refused->status == 403);
    for (const auto* code : {"host_not_allowed", "origin_not_allowed"}) {
      if (refused->body.find(code) != std::string::npos) return code;
    }
    return refused->body;
  }
  std::string host(const std::string& name) const { return told({{"Host", name}}); }
  std::string page(const std::string& origin, const std::string& host = "127.0.0.1:8080") const {
    return told({{"Host", host}, {"Origin", origin}});
  }
};

const std::string host_refused = "host_not_allowed";
const std::string origin_refused = "origin_not_allowed";

const char* header(const http_response& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers) {
    if (equal_no_case(key, name)) return value.c_str();
  }
  return "";
}

}  // namespace

TEST_CASE("F5: a page of the web does not reach a server on loopback", "[server][pages]") {
  const site one;
  for (const auto* origin : {"https://evil.example", "http://evil.example:8080", "null", "file://", "",
                             "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://10.0.0.1:8080",
                             "http://0.0.0.0:8080", "chrome-extension://abc", "http://localhost@evil.example"}) {
    CAPTURE(origin);
    CHECK(one.page(origin) == origin_refused);
  }
  CHECK(one.told({{"Host", "localhost"}, {"Origin", "http://localhost"}, {"Origin", "https://evil.example"}}) ==
        origin_refused);
}

TEST_CASE("F5: a program, and a page of the same machine on any port, does", "[server][pages]") {
  for (const auto* listen : {"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.0.0.1:0"}) {
    const site one{.listen = listen};
    CHECK(one.host("127.0.0.1:8080") == "in");
    CHECK(one.told({}) == "in");  // HTTP/1.0
    for (const auto* origin : {"http://localhost:3000", "http://127.0.0.1:8080", "https://localhost",
                               "http://[::1]:5173", "http://app.localhost:3000", "http://127.0.0.2"}) {
      CAPTURE(listen, origin);
      CHECK(one.page(origin) == "in");
      CHECK(one.page(origin, "localhost:8080") == "in");
    }
  }
}

TEST_CASE("F5: a name that was made to point to loopback is refused, with and without a page", "[server][pages]") {
  const site one;
  for (const auto* name : {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.nip.example:8080",
                           "10.0.0.1:8080", "0.0.0.0:8080", "[fe80::1]:8080", "2130706433", "evil."}) {
    CAPTURE(name);
    CHECK(one.page("http://" + std::string(name), name) == host_refused);
    CHECK(one.page("http://localhost:3000", name) == host_refused);
    if (std::string_view(name) != "evil.") CHECK(one.host(name) == host_refused);
  }
  for (const auto* name :
       {"localhost", "LOCALHOST:1", "localhost.:8080", "127.0.0.1", "127.1.2.3:9", "[::1]:8080", "app.localhost"}) {
    CAPTURE(name);
    CHECK(one.host(name) == "in");
  }
}

TEST_CASE("F5: a name of one label is good for programs alone, and not beside a list", "[server][pages]") {
  CHECK(site{}.host("x") == "in");
  CHECK(site{}.host("parley:8080") == "in");
  CHECK(site{}.page("http://x", "x") == host_refused);
  CHECK(site{}.page("http://localhost", "x") == host_refused);
  CHECK(site{.hosts = {"voice.example.org"}}.host("x") == host_refused);
}

TEST_CASE("F5: server.hosts opens a server on loopback to names", "[server][pages]") {
  const site one{.hosts = {"Voice.example.org", "other.example:8443", "[fe80::1]:8080"}};
  for (const auto* name : {"voice.example.org", "VOICE.example.org:1", "other.example:8443", "[FE80::1]:8080",
                           "localhost", "127.0.0.1:8080"}) {
    CAPTURE(name);
    CHECK(one.host(name) == "in");
  }
  for (const auto* name : {"evil.example", "other.example", "other.example:1", "a.voice.example.org", "[fe80::1]:1"}) {
    CAPTURE(name);
    CHECK(one.host(name) == host_refused);
  }
  CHECK(one.page("https://voice.example.org", "voice.example.org") == "in");
  CHECK(one.page("https://evil.example", "voice.example.org") == origin_refused);
  CHECK(site{.hosts = {"*"}}.host("evil.example") == "in");
  CHECK(site{.hosts = {"*"}}.page("https://evil.example", "voice.example.org") == origin_refused);
}

TEST_CASE("F5: beyond loopback any name is taken unless they are listed, and only the own origin", "[server][pages]") {
  const site one{.listen = "0.0.0.0:8080"};
  CHECK(one.host("voice.example.org") == "in");
  CHECK(one.host("10.0.0.1:8080") == "in");
  CHECK(one.page("https://voice.example.org", "voice.example.org") == "in");
  CHECK(one.page("http://voice.example.org", "Voice.example.org") == "in");
  CHECK(one.page("http://voice.example.org:8080", "voice.example.org:8080") == "in");
  CHECK(one.page("http://localhost:8080", "localhost:8080") == "in");
  CHECK(one.page("http://localhost:3000", "localhost:8080") == origin_refused);
  CHECK(one.page("http://localhost:3000", "voice.example.org") == origin_refused);
  CHECK(one.page("http://voice.example.org:8081", "voice.example.org:8080") == origin_refused);
  CHECK(one.page("http://voice.example.org:8081", "voice.example.org") == origin_refused);
  CHECK(one.page("https://evil.example", "voice.example.org") == origin_refused);
  const site listed{.listen = "0.0.0.0:8080", .hosts = {"voice.example.org"}};
  CHECK(listed.host("voice.example.org:8080") == "in");
  CHECK(listed.host("evil.example") == host_refused);
  CHECK(listed.host("localhost") == host_refused);
}

TEST_CASE("F5: server.origins alone decides where it is given", "[server][pages]") {
  const site one{.origins = {"https://app.example.org", "null"}};
  CHECK(one.page("https://app.example.org") == "in");
  CHECK(one.page("HTTPS://APP.example.org") == "in");
  CHECK(one.page("null") == "in");
  CHECK(one.page("https://evil.example") == origin_refused);
  CHECK(one.page("http://localhost:3000") == origin_refused);
  CHECK(one.page("https://app.example.org", "evil.example") == host_refused);
  CHECK(site{.origins = {"*"}}.page("https://evil.example") == "in");
}

TEST_CASE("F29: a preflight is answered by the list of origins", "[server][pages]") {
  const auto rules = site{.origins = {"https://app.example.org"}}.rules();
  http_request asked{.method = "OPTIONS", .target = "/", .headers = {{"Host", "localhost"}}};
  const auto plain = rules.options(asked, "POST");
  CHECK(plain.status == 204);
  CHECK(header(plain, "Allow") == std::string("POST, OPTIONS"));
  CHECK(header(plain, "Access-Control-Allow-Methods") == std::string());
  asked.headers.emplace_back("Origin", "https://app.example.org");
  asked.headers.emplace_back("Access-Control-Request-Headers", "authorization,content-type");
  auto good = rules.options(asked, "POST");
  rules.share(asked, good);
  CHECK(good.status == 204);
  CHECK(header(good, "Access-Control-Allow-Origin") == std::string("https://app.example.org"));
  CHECK(header(good, "Vary") == std::string("Origin"));
  CHECK(header(good, "Access-Control-Allow-Methods") == std::string("POST"));
  CHECK(header(good, "Access-Control-Allow-Headers") == std::string("authorization,content-type"));
  asked.set("Origin", "https://evil.example");
  auto bad = rules.options(asked, "POST");
  rules.share(asked, bad);
  CHECK(bad.status == 403);
  CHECK(header(bad, "Access-Control-Allow-Origin") == std::string());
}

TEST_CASE("F29: a server that lets every page in names none of them", "[server][pages]") {
  http_response answer;
  site{.origins = {"*"}}.rules().share(
      {.method = "GET", .target = "/", .headers = {{"Host", "localhost"}, {"Origin", "\xff<script>"}}}, answer);
  CHECK(header(answer, "Access-Control-Allow-Origin") == std::string("*"));
}
