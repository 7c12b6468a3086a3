// What this program has on the heap: its operator new and delete count, by what the allocator really gave. For tests of
// bounds of memory; resident size would say what the allocator keeps, not what the program holds.
#pragma once

#include <cstddef>

namespace parley::tests {

[[nodiscard]] std::size_t live_heap_bytes() noexcept;

}  // namespace parley::tests
