// Latencies in buckets whose width is at most 1/32 of their value: any quantile to 3 %, in constant memory.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace parley::bench {

class latency_histogram {
 public:
  void add(std::chrono::nanoseconds latency) noexcept {
    ++counts_[bucket(static_cast<std::uint64_t>(latency.count() < 0 ? 0 : latency.count()))];
    ++total_;
  }

  // The latency that `fraction` (0..1) of all stay within; 0 when there are none.
  [[nodiscard]] double quantile_ms(double fraction) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(fraction * static_cast<double>(total_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > wanted || (seen == total_ && total_ != 0)) return static_cast<double>(upper_ns(i)) / 1e6;
    }
    return 0;
  }

 private:
  static constexpr unsigned sub_bits = 5;  // 32 buckets per power of two
  static constexpr std::uint64_t subs = 1U << sub_bits;

  // Values below 32 have a bucket each; above, the bits behind the leading one choose within its power of two.
  static std::size_t bucket(std::uint64_t ns) noexcept {
    if (ns < subs) return ns;
    const auto shift = static_cast<unsigned>(std::bit_width(ns)) - sub_bits - 1;
    return (shift + 1) * subs + ((ns >> shift) - subs);
  }
  static std::uint64_t upper_ns(std::size_t index) noexcept {
    if (index < subs) return index;
    const auto shift = index / subs - 1;
    return ((subs + index % subs + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - sub_bits + 1) * subs> counts_{};
  std::uint64_t total_ = 0;
  // Thread safety: none.
};

}  // namespace parley::bench
