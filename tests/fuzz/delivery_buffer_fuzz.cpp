// Every input is a list of operations for the delivery buffer and its model; a difference ends the program.
#include "tests/runtime/delivery_buffer_model.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t used = 0;
  const auto next = [&]() -> std::size_t { return used < size ? data[used++] : 0; };
  const auto choose = [&](std::size_t n) { return (n > 256 ? next() * 256 + next() : next()) % n; };
  try {
    parley::tests::delivery_checker checker(choose);
    while (used < size) checker.step();
    checker.finish();
  } catch (const std::logic_error& difference) {
    std::fprintf(stderr, "%s\n", difference.what());
    std::abort();
  }
  return 0;
}
