#include "runtime/prompt_window.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace parley::runtime {
namespace {

using namespace protocol;
using items = std::vector<conversation::item_ptr>;

conversation::item_ptr message(item_role role, std::string text) {
  item made{.id = item_id{text.substr(0, 8)}, .role = role};
  made.content.push_back({.type = part_type::input_text, .text = std::move(text)});
  return std::make_shared<const item>(std::move(made));
}

conversation::item_ptr call(std::string id) {
  return std::make_shared<const item>(
      item{.id = item_id{"c" + id}, .type = item_type::function_call, .name = "f", .call = call_id{id}});
}

conversation::item_ptr result(std::string id) {
  return std::make_shared<const item>(
      item{.id = item_id{"r" + id}, .type = item_type::function_call_output, .call = call_id{id}, .output = "out"});
}

std::vector<std::string> names(const items& of) {
  std::vector<std::string> all;
  std::transform(of.begin(), of.end(), std::back_inserter(all), [](const auto& one) { return one->id.value; });
  return all;
}

// 24 tokens each: 20 of text, 4 of the item.
std::string eighty(char letter) { return std::string(80, letter); }

items five_turns() {
  items made;
  for (char letter = 'a'; letter <= 'e'; ++letter) made.push_back(message(item_role::user, eighty(letter)));
  return made;
}

TEST_CASE("prompt_window: what fits stays whole", "[runtime][prompt]") {
  const auto all = five_turns();
  CHECK(fit(all, {}, 5 * 24).items == all);
  CHECK_FALSE(fit(all, {.type = truncation_type::disabled}, 5 * 24).too_long);
}

TEST_CASE("C49: the oldest leave first, as many as must", "[runtime][prompt]") {
  CHECK(names(fit(five_turns(), {}, 5 * 24 - 1).items) ==
        std::vector<std::string>{"bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"});
  CHECK(names(fit(five_turns(), {}, 2 * 24).items) == std::vector<std::string>{"dddddddd", "eeeeeeee"});
}

TEST_CASE("C49: the newest turn stays whatever the limit", "[runtime][prompt]") {
  CHECK(names(fit(five_turns(), {}, 1).items) == std::vector<std::string>{"eeeeeeee"});
  items with_tools = five_turns();
  with_tools.push_back(call("1"));
  with_tools.push_back(result("1"));
  CHECK(names(fit(with_tools, {}, 1).items) == std::vector<std::string>{"eeeeeeee", "c1", "r1"});
  CHECK(fit({message(item_role::assistant, eighty('x'))}, {}, 1).items.size() == 1);
  CHECK(fit({}, {}, 1).items.empty());
}

TEST_CASE("C49: a call and its result leave together", "[runtime][prompt]") {
  items all{message(item_role::user, eighty('a')), call("1"), result("1"), message(item_role::user, eighty('b'))};
  // Room for the result but not for its call.
  const std::size_t limit = prompt_tokens(*all[2]) + prompt_tokens(*all[3]);
  CHECK(names(fit(all, {}, limit).items) == std::vector<std::string>{"bbbbbbbb"});
  CHECK(names(fit({result("9"), all[3]}, {}, 1000).items) == std::vector<std::string>{"bbbbbbbb"});
}

TEST_CASE("prompt_window: a retention ratio makes room ahead", "[runtime][prompt]") {
  const truncation half{truncation_type::retention_ratio, 0.5};
  CHECK(fit(five_turns(), half, 5 * 24).items.size() == 5);
  CHECK(fit(five_turns(), half, 5 * 24 - 1).items.size() == 2);
}

TEST_CASE("prompt_window: with truncation off nothing leaves and it is said", "[runtime][prompt]") {
  const auto window = fit(five_turns(), {.type = truncation_type::disabled}, 5 * 24 - 1);
  CHECK(window.too_long);
  CHECK(window.items.size() == 5);
}

TEST_CASE("prompt_window: sound and pictures count", "[runtime][prompt]") {
  item spoken{.id = item_id{"s"}};
  spoken.content.push_back(
      {.type = part_type::input_audio,
       .audio = std::make_shared<const audio_clip>(audio_clip{{}, std::vector<std::int16_t>(24000)})});
  CHECK(audio_tokens(spoken) == 10);
  CHECK(prompt_tokens(spoken) == 14);
  spoken.role = item_role::assistant;  // its words are what the model gets
  CHECK(audio_tokens(spoken) == 20);
  CHECK(prompt_tokens(spoken) == 4);
  item seen{.id = item_id{"i"}};
  seen.content.push_back({.type = part_type::input_image, .text = std::string(100'000, 'A')});
  CHECK(prompt_tokens(seen) == 804);
}

}  // namespace
}  // namespace parley::runtime
