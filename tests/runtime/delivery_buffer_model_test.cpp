// Random operations on the delivery buffer and its model; a failure names the seed and the step.
#include "tests/runtime/delivery_buffer_model.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <random>

TEST_CASE("delivery_buffer: behaves as its model under random operations", "[runtime][delivery_buffer]") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    parley::tests::delivery_checker checker([&](std::size_t n) { return static_cast<std::size_t>(random()) % n; });
    int step = 0;
    try {
      for (; step < 5000; ++step) checker.step();
      checker.finish();
    } catch (const std::logic_error& difference) {
      FAIL("seed " << seed << ", step " << step << ": " << difference.what());
    }
  }
  SUCCEED();
}
