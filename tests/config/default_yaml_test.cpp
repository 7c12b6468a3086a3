#include "config/builtin.hpp"
#include "config/keys.hpp"
#include "config/read.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <variant>

namespace parley::config {
namespace {

std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

reading read_default_yaml() {
  reading all;
  read_yaml(file_text("config/default.yaml"), "default.yaml", all);
  return all;
}

// A number, a text or a list as text, so that two tables can be compared.
struct shown {
  std::string operator()(const std::string* v) const { return *v; }
  std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
  std::string operator()(const seconds* v) const { return std::to_string(v->count()); }
  std::string operator()(const milliseconds* v) const { return std::to_string(v->count()); }
  std::string operator()(const std::vector<std::string>* v) const {
    std::string all;
    for (const auto& one : *v) all += one + "\n";
    return all;
  }
  std::string operator()(const std::vector<int>* v) const {
    std::string all;
    for (const int one : *v) all += std::to_string(one) + "\n";
    return all;
  }
  std::string operator()(const text_map* v) const {
    std::string all;
    for (const auto& [id, text] : *v) all += id + "=" + text + "\n";
    return all;
  }
  std::string operator()(const std::vector<scripted_reply>*) const { return ""; }
  std::string operator()(const choice&) const { return ""; }  // compared member by member below
  template <class Value>
  std::string operator()(const std::optional<Value>* v) const {
    return *v ? (*this)(&**v) : "null";
  }
  template <class Number>
  std::string operator()(const Number* v) const {
    return std::to_string(*v);
  }
};

template <class Root>
std::map<std::string, std::string> values_of(Root root) {
  std::map<std::string, std::string> all;
  for (const auto& one : keys_of(root)) all[one.name] = std::visit(shown{}, one.target);
  return all;
}

}  // namespace

TEST_CASE("default_yaml: is without mistakes", "[config][unit]") {
  const auto all = read_default_yaml();
  for (const auto& one : all.mistakes) UNSCOPED_INFO(to_string(one));
  CHECK(all.mistakes.empty());
}

TEST_CASE("default_yaml: is what is built in", "[config][unit]") {
  CHECK(file_text("config/default.yaml") == builtin_yaml());
}

TEST_CASE("default_yaml: holds every key", "[config][unit]") {
  auto all = read_default_yaml();
  for (const auto& one : keys_of(all.value)) {
    INFO(one.name);
    CHECK(all.origins.contains(one.name));
  }
  model_config model;
  for (const auto& one : keys_of(model)) {
    INFO(one.name);
    if (one.only != adapter_kind::scripted) CHECK(all.origins.contains("models.local." + one.name));
    if (one.only != adapter_kind::local) CHECK(all.origins.contains("models.scripted." + one.name));
  }
}

TEST_CASE("default_yaml: gives the defaults of the structs", "[config][unit]") {
  const auto all = read_default_yaml();
  CHECK(values_of(all.value) == values_of(config{}));
  const config plain;
  CHECK(all.value.server.dialect == plain.server.dialect);
  CHECK(all.value.session.playback_commit_policy == plain.session.playback_commit_policy);
  CHECK(all.value.delivery.on_overflow == plain.delivery.on_overflow);
  CHECK(all.value.log.level == plain.log.level);
}

TEST_CASE("default_yaml: its models have the defaults of their structs", "[config][unit]") {
  auto local = read_default_yaml().value.models.at("local");
  CHECK(local.aliases == test::text_list{"gpt-realtime*", "gpt-4o-realtime*"});
  local.aliases.clear();
  CHECK(values_of(local) == values_of(model_config{}));
  CHECK(local.local.voice == local_config{}.voice);

  const auto scripted = read_default_yaml().value.models.at("scripted");
  CHECK(values_of(scripted) == values_of(model_config{}));
  CHECK(scripted.scripted.mode == scripted_config{}.mode);
  CHECK(scripted.scripted.capabilities.video == scripted_capabilities{}.video);
}

TEST_CASE("default_yaml: defines the three models others rely on", "[config][unit]") {
  const auto models = read_default_yaml().value.models;
  CHECK(models.size() == 3);
  CHECK(models.at("local").adapter == adapter_kind::local);
  CHECK(models.at("scripted").adapter == adapter_kind::scripted);
  CHECK_FALSE(models.at("scripted").scripted.native);
  CHECK(models.at("scripted-native").adapter == adapter_kind::scripted);
  CHECK(models.at("scripted-native").scripted.native);
  for (const auto* name : {"scripted", "scripted-native"}) {
    const auto& replies = models.at(name).scripted.replies;
    REQUIRE(replies.size() >= 3);
    CHECK(replies[0].when == "story");
    CHECK(replies[1].when == "count");
    CHECK_FALSE(replies.back().when.has_value());
  }
}

}  // namespace parley::config
