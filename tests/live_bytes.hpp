// Bytes that the program holds from operator new, by what the allocator really gave. For tests of bounds of memory;
// resident size would say what the allocator keeps, not what the program holds. Linking parley_live_bytes replaces the
// global operators: only for programs that measure.
#pragma once

#include <cstdint>

namespace parley::tests {

// Any thread.
[[nodiscard]] std::int64_t live_bytes() noexcept;

}  // namespace parley::tests
