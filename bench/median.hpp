// The middle of some values.
#pragma once

#include <algorithm>
#include <vector>

namespace parley::bench {

// REQUIRES: not empty.
[[nodiscard]] inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace parley::bench
