#include "config/keys.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace parley::config {
namespace {

template <class Target>
constexpr bool is_number =
    std::is_same_v<Target, int*> || std::is_same_v<Target, std::size_t*> || std::is_same_v<Target, double*> ||
    std::is_same_v<Target, seconds*> || std::is_same_v<Target, milliseconds*> ||
    std::is_same_v<Target, std::vector<int>*> || std::is_same_v<Target, std::optional<int>*> ||
    std::is_same_v<Target, std::optional<seconds>*>;

void check_unit_and_range(const key& one) {
  INFO(one.name);
  std::visit(
      [&]<class Target>(const Target&) {
        if constexpr (std::is_same_v<Target, seconds*> || std::is_same_v<Target, std::optional<seconds>*>) {
          CHECK(one.name.ends_with("_s"));
        } else if constexpr (std::is_same_v<Target, milliseconds*>) {
          CHECK((one.name.ends_with("_ms") || one.name == "ms_per_word"));
        } else if constexpr (!std::is_same_v<Target, std::size_t*>) {
          CHECK_FALSE(one.name.ends_with("_bytes"));
        }
        CHECK(is_number<Target> == (one.most > one.least));
      },
      one.target);
}

}  // namespace

TEST_CASE("keys: every name says its unit and every number has a range", "[config][unit]") {
  config whole;
  model_config model;
  for (const auto& one : keys_of(whole)) check_unit_and_range(one);
  for (const auto& one : keys_of(model)) check_unit_and_range(one);
}

TEST_CASE("keys: no name is given twice", "[config][unit]") {
  config whole;
  model_config model;
  std::set<std::string> names;
  for (const auto& one : keys_of(whole)) CHECK(names.insert(one.name).second);
  names.clear();
  for (const auto& one : keys_of(model)) CHECK(names.insert(one.name).second);
}

}  // namespace parley::config
