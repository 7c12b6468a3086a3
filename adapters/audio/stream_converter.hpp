// The resampler as a sample_converter, for a stream without an end: the filter's delay (a few milliseconds) stays in
// it, and in return a piece as long as a whole number of output samples gives exactly that many. So a second of input
// is a second for a model that counts its units.
#pragma once

#include "runtime/session.hpp"

#include <memory>

namespace parley::adapters::audio {

// Throws std::runtime_error when it can not be made (memory). REQUIRES: rates > 0.
[[nodiscard]] std::unique_ptr<runtime::sample_converter> make_stream_converter(int from_hz, int to_hz);

}  // namespace parley::adapters::audio
