// One of flite's voices as a function: text in, PCM16 out in small chunks while it is being made. The first chunk of a
// statistical voice comes after about 7 ms; a sentence takes a hundredth of its length.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct cst_voice_struct;

namespace parley::adapters::local {

// Thread safety: voices are for ever and may speak on any number of threads at once.
class flite_voice {
 public:
  // Takes the next chunk; false stops the speech at once.
  using chunk_function = std::function<bool(std::span<const std::int16_t> samples, int rate_hz)>;

  // slt, rms, awb or kal16; nothing for another name.
  [[nodiscard]] static std::optional<flite_voice> find(std::string_view name);

  // REQUIRES: ascii_text holds a letter or a digit; speed > 0 (1 = as the voice was made). False when flite failed.
  [[nodiscard]] bool speak(const std::string& ascii_text, double speed, const chunk_function& chunk) const;

 private:
  explicit flite_voice(cst_voice_struct* voice) : voice_(voice) {}
  cst_voice_struct* voice_;
};

}  // namespace parley::adapters::local
