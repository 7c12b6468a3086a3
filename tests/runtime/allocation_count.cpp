#include "tests/runtime/allocation_count.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live{0};
// The allocator's own word beside each block.
constexpr std::size_t header_bytes = sizeof(void*);

void* take(std::size_t bytes) {
  void* const block = std::malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc{};
  live += malloc_usable_size(block) + header_bytes;
  return block;
}

void give_back(void* block) noexcept {
  if (block == nullptr) return;
  live -= malloc_usable_size(block) + header_bytes;
  std::free(block);
}

}  // namespace

// The forms for arrays, sizes and nothrow come down to these two; what is over-aligned is not counted.
void* operator new(std::size_t bytes) { return take(bytes); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }

namespace parley::tests {

std::size_t live_heap_bytes() noexcept { return live; }

}  // namespace parley::tests
