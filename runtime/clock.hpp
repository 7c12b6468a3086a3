// The one clock of the runtime: steady, passed in as a value, so that tests turn it by hand.
#pragma once

#include <chrono>

namespace parley::runtime {

using time_point = std::chrono::steady_clock::time_point;
using duration = std::chrono::steady_clock::duration;

}  // namespace parley::runtime
