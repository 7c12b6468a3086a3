// The speech of one response that waits for its place on the playing clock, as PCM with the words that belong to it.
// Words leave with the first sample of the piece they came with, so that an interruption drops the words together with
// the sound. Bounded by its owner, which looks at what waits.
// Thread safety: none; owned by its response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace parley::runtime {

class outbox {
 public:
  struct chunk {
    std::vector<std::int16_t> samples;
    std::string transcript;
    std::int64_t words_last = 0;  // with words: samples, these included, that are known to belong to them
  };

  void push(std::vector<std::int16_t> samples, std::string transcript);
  // The next piece of speech: at most max_samples, never across the start of other words, and no less than
  // min_samples unless more cannot be had (`complete`, or other words follow). Words without sound come at once.
  [[nodiscard]] std::optional<chunk> take(std::size_t max_samples, std::size_t min_samples, bool complete);
  void clear();

  [[nodiscard]] bool empty() const noexcept { return pieces_.empty(); }
  [[nodiscard]] std::int64_t waiting_samples() const noexcept { return samples_; }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return bytes_; }

 private:
  struct piece {
    std::vector<std::int16_t> samples;
    std::size_t taken = 0;
    std::string transcript;
    [[nodiscard]] std::size_t left() const noexcept { return samples.size() - taken; }
  };
  [[nodiscard]] std::size_t available(std::size_t max_samples) const noexcept;
  [[nodiscard]] std::int64_t until_next_words() const noexcept;
  void move_samples(chunk& into, std::size_t count);

  std::deque<piece> pieces_;
  std::int64_t samples_ = 0;
  std::size_t bytes_ = 0;  // samples and words
};

}  // namespace parley::runtime
