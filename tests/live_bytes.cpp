// Every form is replaced, those that the library would bring down to others too: a sanitizer brings its own of each, and
// a block must go back to the allocator it came from.
#include "tests/live_bytes.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> live{0};

void* counted(void* block) noexcept {
  if (block) live.fetch_add(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  return block;
}

void* take(std::size_t bytes) noexcept { return counted(std::malloc(bytes == 0 ? 1 : bytes)); }

void* take(std::size_t bytes, std::align_val_t to) noexcept {
  const auto alignment = static_cast<std::size_t>(to);
  return counted(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
}

void* given(void* block) {
  if (!block) throw std::bad_alloc();
  return block;
}

void give_back(void* block) noexcept {
  if (!block) return;
  live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

namespace parley::tests {

std::int64_t live_bytes() noexcept { return live.load(std::memory_order_relaxed); }

}  // namespace parley::tests

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

void* operator new(size_t bytes) { return given(take(bytes)); }
void* operator new[](size_t bytes) { return given(take(bytes)); }
void* operator new(size_t bytes, align_val_t to) { return given(take(bytes, to)); }
void* operator new[](size_t bytes, align_val_t to) { return given(take(bytes, to)); }
void* operator new(size_t bytes, const nothrow_t& /*tag*/) noexcept { return take(bytes); }
void* operator new[](size_t bytes, const nothrow_t& /*tag*/) noexcept { return take(bytes); }
void* operator new(size_t bytes, align_val_t to, const nothrow_t& /*tag*/) noexcept { return take(bytes, to); }
void* operator new[](size_t bytes, align_val_t to, const nothrow_t& /*tag*/) noexcept { return take(bytes, to); }

void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, size_t /*bytes*/) noexcept { give_back(block); }
void operator delete[](void* block, size_t /*bytes*/) noexcept { give_back(block); }
void operator delete(void* block, align_val_t /*to*/) noexcept { give_back(block); }
void operator delete[](void* block, align_val_t /*to*/) noexcept { give_back(block); }
void operator delete(void* block, size_t /*bytes*/, align_val_t /*to*/) noexcept { give_back(block); }
void operator delete[](void* block, size_t /*bytes*/, align_val_t /*to*/) noexcept { give_back(block); }
void operator delete(void* block, const nothrow_t& /*tag*/) noexcept { give_back(block); }
void operator delete[](void* block, const nothrow_t& /*tag*/) noexcept { give_back(block); }
void operator delete(void* block, align_val_t /*to*/, const nothrow_t& /*tag*/) noexcept { give_back(block); }
void operator delete[](void* block, align_val_t /*to*/, const nothrow_t& /*tag*/) noexcept { give_back(block); }
