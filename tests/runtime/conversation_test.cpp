#include "runtime/conversation.hpp"

#include <catch2/catch.hpp>

using parley::runtime::conversation;
using namespace parley::protocol;

namespace {

item named(std::string id, std::size_t audio_samples = 0) {
  item value{.id = item_id{std::move(id)}};
  if (audio_samples == 0) return value;
  value.content.push_back(
      {.type = part_type::input_audio,
       .audio = std::make_shared<const audio_clip>(audio_clip{{}, std::vector<std::int16_t>(audio_samples)})});
  return value;
}

std::string ids(const conversation& items) {
  std::string joined;
  for (const auto& one : items.items()) joined += one->id.value;
  return joined;
}

}  // namespace

TEST_CASE("conversation: items stand where they were put", "[runtime][conversation]") {
  conversation items{10, 1000, 100'000};
  CHECK_FALSE(items.last());
  items.append(named("b"));
  items.insert_first(named("a"));
  items.append(named("d"));
  items.insert_after(item_id{"b"}, named("c"));
  CHECK(ids(items) == "abcd");
  CHECK(items.last() == item_id{"d"});
  CHECK(items.previous_of(item_id{"c"}) == item_id{"b"});
  CHECK_FALSE(items.previous_of(item_id{"a"}));
  CHECK_FALSE(items.previous_of(item_id{"x"}));
  CHECK(items.erase(item_id{"b"}));
  CHECK_FALSE(items.erase(item_id{"b"}));
  CHECK(ids(items) == "acd");
}

TEST_CASE("conversation: replace keeps the place and leaves holders of the old item alone", "[runtime][conversation]") {
  conversation items{10, 1000, 100'000};
  items.append(named("a"));
  items.append(named("b"));
  const auto before = items.find(item_id{"a"});
  item changed = *before;
  changed.status = item_status::incomplete;
  items.replace(changed);
  items.replace(named("gone"));
  CHECK(ids(items) == "ab");
  CHECK(before->status == item_status::completed);
  CHECK(items.find(item_id{"a"})->status == item_status::incomplete);
}

TEST_CASE("conversation: beyond its bounds the oldest item and the oldest audio leave", "[runtime][conversation]") {
  conversation items{3, 400, 100'000};  // bytes: 200 samples
  for (const char* id : {"a", "b", "c"}) items.append(named(id, 100));
  CHECK_FALSE(items.find(item_id{"a"})->content.front().audio);
  CHECK(items.find(item_id{"b"})->content.front().audio);
  items.append(named("d", 150));
  CHECK(ids(items) == "bcd");
  CHECK_FALSE(items.find(item_id{"c"})->content.front().audio);
  CHECK(items.find(item_id{"d"})->content.front().audio);
  CHECK(items.erase(item_id{"d"}));
  items.append(named("e", 200));
  CHECK(items.find(item_id{"e"})->content.front().audio);
}

TEST_CASE("C49: pictures count as what leaves first, and a text stands for one that left", "[runtime][conversation]") {
  conversation items{10, 150, 100'000};
  for (const char* id : {"a", "b"}) {
    item seen = named(id);
    seen.content.push_back({.type = part_type::input_image, .text = std::string(100, 'A')});
    items.append(std::move(seen));
  }
  CHECK(items.find(item_id{"a"})->content.front().type == part_type::input_text);
  CHECK_FALSE(items.find(item_id{"a"})->content.front().text.empty());
  CHECK(items.find(item_id{"b"})->content.front().text.size() == 100);
}

TEST_CASE("C49: words are bounded too, and the newest stay however long they are", "[runtime][conversation]") {
  constexpr std::size_t itself = sizeof(item) + sizeof(content_part) + 1;  // with its id of one letter
  conversation items{10, 1000, 2 * itself + 2 * sizeof(item)};
  const auto write = [&](std::string id, std::size_t length) {
    item value = named(std::move(id));
    value.content.push_back({.text = std::string(length, 'x')});
    items.append(std::move(value));
  };
  write("a", sizeof(item));
  write("b", sizeof(item));
  CHECK(ids(items) == "ab");
  write("c", 1);
  CHECK(ids(items) == "bc");
  write("d", 10 * sizeof(item));
  CHECK(ids(items) == "d");
  write("e", 1);
  CHECK(ids(items) == "e");
}

TEST_CASE("conversation: a call that was cut off is no call", "[runtime][conversation]") {
  conversation items{10, 1000, 100'000};
  items.append({.id = item_id{"a"},
                .type = item_type::function_call,
                .status = item_status::incomplete,
                .call = call_id{"cut"}});
  items.append({.id = item_id{"b"}, .type = item_type::function_call, .call = call_id{"made"}});
  CHECK_FALSE(items.has_call(call_id{"cut"}));
  CHECK(items.has_call(call_id{"made"}));
  CHECK_FALSE(items.has_output_of(call_id{"made"}));
  items.append({.id = item_id{"c"}, .type = item_type::function_call_output, .call = call_id{"made"}});
  CHECK(items.has_output_of(call_id{"made"}));
}
