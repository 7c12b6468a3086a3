// The allocator of this test program counts what is live.
#include "tests/server/live_bytes.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> live{0};

void* counted(void* block) {
  if (!block) throw std::bad_alloc();
  live.fetch_add(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  return block;
}

void release(void* block) noexcept {
  if (!block) return;
  live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

namespace parley::tests {

std::int64_t live_bytes() noexcept { return live.load(std::memory_order_relaxed); }

}  // namespace parley::tests

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new[](std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t to) {
  const auto alignment = static_cast<std::size_t>(to);
  return counted(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
