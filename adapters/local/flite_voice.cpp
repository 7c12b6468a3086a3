#include "adapters/local/flite_voice.hpp"

#include <flite/flite.h>

#include <array>
#include <memory>
#include <mutex>

extern "C" {
cst_voice* register_cmu_us_slt(const char* directory);
cst_voice* register_cmu_us_rms(const char* directory);
cst_voice* register_cmu_us_awb(const char* directory);
cst_voice* register_cmu_us_kal16(const char* directory);
}

namespace parley::adapters::local {
namespace {

struct known_voice {
  std::string_view name;
  cst_voice* (*load)(const char*);
};
constexpr std::array<known_voice, 4> known_voices{{{"slt", register_cmu_us_slt},
                                                   {"rms", register_cmu_us_rms},
                                                   {"awb", register_cmu_us_awb},
                                                   {"kal16", register_cmu_us_kal16}}};

// flite's voices are globals, and an utterance shares their values by a count that is not atomic: loading a voice,
// taking its values and giving them back happen one at a time. The synthesis between is free of it.
std::mutex& voices_mutex() {
  static std::mutex m;
  return m;
}

struct delete_locked {
  void operator()(cst_utterance* utterance) const {
    const std::lock_guard lock(voices_mutex());
    delete_utterance(utterance);
  }
};
using utterance_ptr = std::unique_ptr<cst_utterance, delete_locked>;

constexpr int chunk_samples = 320;  // 20 ms at 16 kHz

// flite calls this C function; ours travels in its user data.
int on_chunk(const cst_wave* wave, int start, int size, int /*last*/, cst_audio_streaming_info* info) {
  const auto& chunk = *static_cast<const flite_voice::chunk_function*>(info->userdata);
  const std::span<const std::int16_t> samples(wave->samples + start, static_cast<std::size_t>(size));
  return chunk(samples, wave->sample_rate) ? CST_AUDIO_STREAM_CONT : CST_AUDIO_STREAM_STOP;
}

utterance_ptr make_utterance(const std::string& text, double speed, cst_voice* voice,
                             const flite_voice::chunk_function& chunk) {
  auto* info = new_audio_streaming_info();
  info->min_buffsize = chunk_samples;
  info->asc = on_chunk;
  info->userdata = const_cast<flite_voice::chunk_function*>(&chunk);
  const std::lock_guard lock(voices_mutex());
  utterance_ptr made(new_utterance());
  utt_set_input_text(made.get(), text.c_str());
  utt_init(made.get(), voice);
  feat_set(made->features, "streaming_info", audio_streaming_info_val(info));  // now the utterance's
  feat_set_float(made->features, "duration_stretch", static_cast<float>(1 / speed));
  return made;
}

}  // namespace

std::optional<flite_voice> flite_voice::find(std::string_view name) {
  for (const auto& known : known_voices) {
    if (known.name != name) continue;
    const std::lock_guard lock(voices_mutex());
    flite_init();
    if (auto* voice = known.load(nullptr)) return flite_voice(voice);
  }
  return std::nullopt;
}

bool flite_voice::speak(const std::string& ascii_text, double speed, const chunk_function& chunk) const {
  const auto utterance = make_utterance(ascii_text, speed, voice_, chunk);
  return utt_synth(utterance.get()) != nullptr;
}

}  // namespace parley::adapters::local
