#include "runtime/semantic_pause.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::runtime {
namespace {

using namespace std::chrono_literals;
using protocol::eagerness;

TEST_CASE("semantic_pause: a thought that goes on is waited for, up to the longest pause", "[runtime][turns]") {
  const std::string words = GENERATE("I would like to order pizza and", "Well, uhm", "what is the", "I want to ...",
                                     "The keeper lives in", "UHM,", "so");
  CAPTURE(words);
  CHECK(trails_off(words));
  CHECK(semantic_pause(eagerness::high, words) == 2s);
  CHECK(semantic_pause(eagerness::medium, words) == 4s);
  CHECK(semantic_pause(eagerness::automatic, words) == 4s);
  CHECK(semantic_pause(eagerness::low, words) == 8s);
}

TEST_CASE("semantic_pause: a finished thought, or none known, ends soon", "[runtime][turns]") {
  const std::string words =
      GENERATE("", "what is the weather in paris", "Yes.", "Is that what it is for?", "oui, et", "...!");
  CAPTURE(words);
  CHECK_FALSE(trails_off(words));
  CHECK(semantic_pause(eagerness::high, words) < semantic_pause(eagerness::medium, words));
  CHECK(semantic_pause(eagerness::automatic, words) == semantic_pause(eagerness::medium, words));
  CHECK(semantic_pause(eagerness::medium, words) < semantic_pause(eagerness::low, words));
  CHECK(semantic_pause(eagerness::low, words) < 2s);
}

}  // namespace
}  // namespace parley::runtime
