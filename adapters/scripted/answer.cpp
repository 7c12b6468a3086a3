#include "adapters/scripted/answer.hpp"

#include "adapters/prompt_text.hpp"
#include "adapters/scripted/tool_script.hpp"
#include "adapters/tool_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace parley::adapters::scripted {
namespace {

constexpr double slowest = 0.25;  // of the wire's range

}  // namespace

std::vector<std::int16_t> make_tone(std::int64_t first_sample, std::int64_t count) {
  constexpr std::int64_t period = 240;  // 100 Hz at 24 kHz
  constexpr std::int64_t step = 32;     // peak 3824: well audible, far from clipping
  std::vector<std::int16_t> samples(static_cast<std::size_t>(count));
  for (auto& sample : samples) {
    sample = static_cast<std::int16_t>((first_sample++ % period - period / 2) * step + step / 2);
  }
  return samples;
}

std::int64_t samples_in(std::chrono::milliseconds time, int rate_hz, double speed) {
  return std::llround(static_cast<double>(time.count()) * rate_hz / 1000 / std::max(speed, slowest));
}

answer::answer(const config::scripted_config& script, const runtime::response_request& request, const std::string& text)
    : response_(request.id), epoch_(request.epoch), input_tokens_(count_words(request.prompt) + 1) {
  for (const auto* tool : tools_to_call(request)) {
    append_call(calls_, request, tool->name, make_arguments(*tool, last_user_text(request.prompt)));
  }
  if (!calls_.empty()) return;
  pieces_ = split_words(text);
  const auto limit = static_cast<std::size_t>(std::max(0, request.max_output_tokens.value_or(0)));
  if (request.max_output_tokens && pieces_.size() > limit) {
    pieces_.resize(limit);
    reason_ = runtime::finish_reason::max_output_tokens;
  }
  speaks_ = request.modality == protocol::output_modality::audio;
  samples_per_word_ = samples_in(script.ms_per_word, request.output_rate_hz, request.speed);
  samples_per_piece_ = std::max<std::int64_t>(1, samples_in(script.delta, request.output_rate_hz));
  total_samples_ = speaks_ ? samples_per_word_ * static_cast<std::int64_t>(pieces_.size()) : 0;
}

bool answer::complete() const noexcept { return next_piece_ == piece_count() && next_sample_ == total_samples_; }

std::size_t answer::piece_count() const noexcept { return calls_.empty() ? pieces_.size() : calls_.size(); }

runtime::model_output answer::next() {
  if (complete()) return done();
  if (!calls_.empty()) return calls_[next_piece_++];
  if (speaks_) return next_speech();
  return runtime::model_text{response_, epoch_, pieces_[next_piece_++]};
}

runtime::model_output answer::next_speech() {
  const auto end = std::min(next_sample_ + samples_per_piece_, total_samples_);
  runtime::model_speech piece{response_, epoch_, make_tone(next_sample_, end - next_sample_), {}};
  // With words of no length there are no samples, and all words are in the one empty piece.
  while (next_piece_ < pieces_.size() &&
         (end == total_samples_ || static_cast<std::int64_t>(next_piece_) * samples_per_word_ < end)) {
    piece.transcript += pieces_[next_piece_++];
  }
  next_sample_ = end;
  return piece;
}

runtime::model_output answer::done() {
  finished_ = true;
  protocol::token_usage usage;
  usage.input_text_tokens = input_tokens_;
  usage.output_text_tokens = static_cast<int>(piece_count());
  usage.output_audio_tokens = speaks_ ? usage.output_text_tokens : 0;
  return runtime::model_done{response_, epoch_, reason_, usage};
}

}  // namespace parley::adapters::scripted
