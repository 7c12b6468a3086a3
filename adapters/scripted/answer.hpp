// One scripted answer as a sequence of pieces: words of text, stretches of speech with the words that begin in them, or
// tool calls; then model_done. Made whole at the request, produced piece by piece, so that a long answer costs no
// memory before it is spoken. Knows no time: the session decides when the next piece is due.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parley::adapters::scripted {

// A buzz of 240 samples a period that depends on the position alone and is never zero.
[[nodiscard]] std::vector<std::int16_t> make_tone(std::int64_t first_sample, std::int64_t count);
// Of a stretch of speech that takes so long at speed 1.
[[nodiscard]] std::int64_t samples_in(std::chrono::milliseconds time, int rate_hz, double speed = 1);

// Thread safety: none.
class answer {
 public:
  // `text` is what it says unless the request makes it call tools.
  answer(const config::scripted_config& script, const runtime::response_request& request, const std::string& text);

  // The next piece; model_done is the last. REQUIRES: !finished().
  [[nodiscard]] runtime::model_output next();
  // Every piece but model_done was taken.
  [[nodiscard]] bool complete() const noexcept;
  [[nodiscard]] bool finished() const noexcept { return finished_; }

 private:
  runtime::model_output next_speech();
  [[nodiscard]] std::size_t piece_count() const noexcept;
  runtime::model_output done();

  // Constant after construction
  protocol::response_id response_;
  protocol::epoch epoch_;
  bool speaks_ = false;  // else the pieces are text
  std::vector<std::string> pieces_;
  std::vector<runtime::model_tool_call> calls_;  // not empty: it says nothing
  std::int64_t samples_per_word_ = 0;
  std::int64_t samples_per_piece_ = 1;
  std::int64_t total_samples_ = 0;
  int input_tokens_ = 0;
  runtime::finish_reason reason_ = runtime::finish_reason::stop;
  // How far it is
  std::size_t next_piece_ = 0;
  std::int64_t next_sample_ = 0;
  bool finished_ = false;
};

}  // namespace parley::adapters::scripted
