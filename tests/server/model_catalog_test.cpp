#include "server/model_catalog.hpp"

#include "tests/server/fake_model.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace parley;
using parley::server::model_catalog;
using parley::server::test::fake_model;

namespace {

config::config two_models() {
  config::config out;
  out.models["one"].aliases = {"gpt-*", "uno"};
  out.models["two"].aliases = {"gpt-large-*"};
  out.default_model = "one";
  return out;
}

}  // namespace

TEST_CASE("model_catalog: a name wins over an alias, an alias over a pattern, the longest pattern over the others",
          "[server][model_catalog]") {
  const auto one = std::make_shared<fake_model>();
  const auto two = std::make_shared<fake_model>();
  const model_catalog catalog(two_models(), {{"one", one}, {"two", two}});
  CHECK(catalog.find("one") == one);
  CHECK(catalog.find("uno") == one);
  CHECK(catalog.find("gpt-small") == one);
  CHECK(catalog.find("gpt-large-7") == two);
  CHECK(catalog.find("gpt") == nullptr);
  CHECK(catalog.find("") == nullptr);
  CHECK(catalog.names() == std::vector<std::string>{"one", "two", "uno", "gpt-*", "gpt-large-*"});
}

TEST_CASE("model_catalog: a default or a configured model that was not made is refused", "[server][model_catalog]") {
  const auto one = std::make_shared<fake_model>();
  CHECK_THROWS_AS(model_catalog(two_models(), {{"one", one}}), std::runtime_error);
  CHECK_THROWS_AS(model_catalog(two_models(), {{"two", one}}), std::runtime_error);
}
