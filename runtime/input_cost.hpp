// What input that waits really holds of memory: objects, what their strings and lists have on the heap, and what the
// allocator adds to each. Bounds that count payload alone are none: a client chooses how small its pieces are.
// Pure functions.
#pragma once

#include "protocol/command.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parley::runtime {

// What the allocator keeps beside a block, and loses by rounding it up.
inline constexpr std::size_t block_overhead_bytes = 32;

// What these have on the heap, beside themselves.
[[nodiscard]] std::size_t heap_of(const std::string& text) noexcept;
[[nodiscard]] std::size_t heap_of(const std::vector<std::int16_t>& samples) noexcept;
[[nodiscard]] std::size_t heap_of(const std::vector<std::string>& list) noexcept;
[[nodiscard]] std::size_t heap_of(const protocol::append_details& details) noexcept;
[[nodiscard]] std::size_t heap_of(const protocol::item& value) noexcept;

// A command as a block of its own.
[[nodiscard]] std::size_t cost_of(const protocol::command& one) noexcept;

}  // namespace parley::runtime
