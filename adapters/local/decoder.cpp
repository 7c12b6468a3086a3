#include "adapters/local/decoder.hpp"

#include <pocketsphinx.h>

#include <mutex>
#include <stdexcept>

namespace parley::adapters::local {
namespace {

ps_decoder_t* load(const config::local_config& options) {
  // sphinxbase keeps its log file and option tables in globals of its own; two loads at once would race for them,
  // whichever recogniser they belong to.
  static std::mutex one_load_at_a_time;
  const std::lock_guard lock(one_load_at_a_time);
  cmd_ln_t* settings =
      cmd_ln_init(nullptr, ps_args(), TRUE, "-hmm", options.acoustic_model.c_str(), "-lm",
                  options.language_model.c_str(), "-dict", options.dictionary.c_str(), "-logfn", "/dev/null", nullptr);
  if (settings == nullptr) return nullptr;
  ps_decoder_t* made = ps_init(settings);
  cmd_ln_free_r(settings);  // ps_init holds a reference of its own
  return made;
}

}  // namespace

void decoder::destroy::operator()(ps_decoder_s* state) const noexcept { ps_free(state); }

decoder::decoder(const config::local_config& options) : state_(load(options)) {
  if (!state_) throw std::runtime_error("pocketsphinx can not load its models");
}

void decoder::start() {
  ps_start_stream(state_.get());  // forgets the noise level of the turn before
  ps_start_utt(state_.get());
}

void decoder::go_on() { ps_start_utt(state_.get()); }

bool decoder::in_speech() const { return ps_get_in_speech(state_.get()) != 0; }

void decoder::process(std::span<const std::int16_t> samples) {
  ps_process_raw(state_.get(), samples.data(), samples.size(), FALSE, FALSE);
}

std::string decoder::hypothesis() const {
  int32 score = 0;
  const char* words = ps_get_hyp(state_.get(), &score);
  return words == nullptr ? std::string() : std::string(words);
}

std::vector<word_logprob> decoder::words() const {
  std::vector<word_logprob> all;
  logmath_t* const log = ps_get_logmath(state_.get());
  for (ps_seg_t* one = ps_seg_iter(state_.get()); one != nullptr; one = ps_seg_next(one)) {
    int32 acoustic = 0;
    int32 language = 0;
    int32 backoff = 0;
    const int32 probability = ps_seg_prob(one, &acoustic, &language, &backoff);
    all.push_back({ps_seg_word(one), logmath_log_to_ln(log, probability)});
  }
  return all;
}

std::string decoder::finish() {
  ps_end_utt(state_.get());
  return hypothesis();
}

}  // namespace parley::adapters::local
