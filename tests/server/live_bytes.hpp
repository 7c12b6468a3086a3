// Bytes that the program holds from operator new, by what the allocator really gave. Linking live_bytes.cpp replaces
// the global operators: only for programs that measure.
#pragma once

#include <cstdint>

namespace parley::tests {

[[nodiscard]] std::int64_t live_bytes() noexcept;

}  // namespace parley::tests
