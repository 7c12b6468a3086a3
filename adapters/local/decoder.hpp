// One pocketsphinx decoder: PCM16 at 16 kHz in, words out. Loading takes a quarter of a second and 92 MB, so decoders
// are made by the recogniser's threads, once each, and used for one turn after the other.
#pragma once

#include "config/config.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct ps_decoder_s;

namespace parley::adapters::local {

constexpr int decoder_rate_hz = 16000;  // of the acoustic model

struct word_logprob {
  std::string word;  // as pocketsphinx spells it: its marks and variants included
  double logprob = 0;
};

// Throws std::runtime_error when the files can not be loaded.
// Thread safety: none; one thread at a time. Several decoders may work at once.
class decoder {
 public:
  explicit decoder(const config::local_config& options);

  void start();
  // The next phrase of what start() began. REQUIRES: after finish().
  void go_on();
  // REQUIRES: between start() or go_on() and finish().
  void process(std::span<const std::int16_t> samples);
  // Whether it hears speech; half a second of something else ends it.
  [[nodiscard]] bool in_speech() const;
  // The best guess so far, as pocketsphinx spells it. Any word of it may change until finish(), however long it stood:
  // a second pass weighs the whole phrase anew.
  [[nodiscard]] std::string hypothesis() const;
  // Each word of the best guess with its natural log probability. REQUIRES: after finish().
  [[nodiscard]] std::vector<word_logprob> words() const;
  // Ends the phrase; its final words. Also how a turn is given up.
  [[nodiscard]] std::string finish();

 private:
  struct destroy {
    void operator()(ps_decoder_s* state) const noexcept;
  };
  std::unique_ptr<ps_decoder_s, destroy> state_;
};

}  // namespace parley::adapters::local
