#include "runtime/told_transcript.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace parley::runtime {
namespace {

// What is shown when these deltas were told before the model said `transcript`; the deltas add up to it.
std::string settled(const std::vector<std::string>& deltas, const std::string& transcript) {
  told_transcript one;
  std::string joined;
  for (const auto& delta : deltas) {
    one.told(delta);
    joined += delta;
  }
  const auto all = one.settle(transcript);
  CHECK(joined + one.rest(all) == all);
  return all;
}

}  // namespace

TEST_CASE("F26: a transcript that begins with what was told stays as it is", "[runtime][turns]") {
  CHECK(settled({}, "you said") == "you said");
  CHECK(settled({}, "") == "");
  CHECK(settled({"you", " said"}, "you said you'd say it") == "you said you'd say it");
  CHECK(settled({"you said"}, "you said") == "you said");
  CHECK(settled({"you sa"}, "you said") == "you said");
}

TEST_CASE("F26: what was told stands, and the words behind it follow", "[runtime][turns]") {
  CHECK(settled({"he", " said"}, "you said you'd say it") == "he said you'd say it");
  CHECK(settled({"one two three"}, "one") == "one two three");
  CHECK(settled({"one two"}, "") == "one two");
  CHECK(settled({" one"}, "two  three") == " one  three");
  CHECK(settled({"one "}, "won two") == "one  two");
  CHECK(settled({"你号"}, "你好吗。我") == "你号吗。我");
  CHECK(settled({"ok 你"}, "oh 我们") == "ok 你们");
}

}  // namespace parley::runtime
