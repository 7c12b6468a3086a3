#include "adapters/local/recogniser.hpp"

#include "adapters/audio/resampler.hpp"
#include "adapters/local/decoder.hpp"
#include "adapters/local/transcript_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

namespace parley::adapters::local {
namespace {

using std::chrono::steady_clock;
using tokens = std::vector<protocol::token_logprob>;

constexpr std::chrono::seconds idle_limit{2};  // a thread waits so long for more audio while others wait for it
constexpr std::chrono::milliseconds piece_length{100};  // decoded between two looks at what changed: 10 ms of CPU
constexpr const char* unavailable = "Speech recognition is not available.";
constexpr const char* busy = "Speech recognition is busy; try again later.";

std::size_t samples_in(std::chrono::milliseconds length, int rate_hz) {
  return static_cast<std::size_t>(length.count() * rate_hz / 1000);
}

// Word by word as the transcript has them: what pocketsphinx marks (silence, variants of a word) is not in it.
tokens logprobs_of(const std::string& transcript, const std::vector<word_logprob>& heard) {
  tokens all;
  std::istringstream stream(transcript);
  auto next = heard.begin();
  for (std::string word; stream >> word;) {
    next = std::find_if(next, heard.end(),
                        [&](const word_logprob& one) { return one.word == word || one.word.starts_with(word + "("); });
    if (next == heard.end()) return {};  // another guess than the transcript's
    all.push_back({(all.empty() ? "" : " ") + word, next->logprob});
    ++next;
  }
  return all;
}

}  // namespace

struct heard_turn {
  explicit heard_turn(hearing_sink to) : sink(std::move(to)), words(std::in_place) {}

  // Runs call with the sink unless the turn was dropped or answered. Holding m over the call is what lets drop()
  // promise that nothing comes after it; the sink's functions only post.
  template <class Call>
  void report(bool last, Call call) {
    const std::lock_guard lock(m);
    if (closed) return;
    closed = last;
    call(sink);
  }

  void answer(const std::string& text, const tokens& sure) {
    report(true, [&](const hearing_sink& to) { to.text(text, sure); });
  }

  void fail(const std::string& message) {
    report(true, [&](const hearing_sink& to) { to.failed(message); });
  }

  // Constant after construction.
  const hearing_sink sink;

  // Guarded by m.
  std::mutex m;
  bool closed = false;

  // Owned by the thread that decodes it.
  std::string transcript;           // of the phrases that are over
  std::optional<tokens> words;      // of the transcript; none: not known of each
  std::size_t settled_samples = 0;  // of audio: those phrases end before
  likely_words phrase;              // of the one that is going on
  std::string guess;                // that was told

  // Guarded by recogniser::m_.
  std::vector<std::int16_t> audio;  // all of the turn, at rate_hz
  int rate_hz = 0;                  // of its first piece; 0: no audio yet
  std::size_t taken_samples = 0;    // of audio, by the thread that decodes
  bool in_line = false;
  bool decoding = false;
  bool ended = false;
  bool wants_logprobs = false;          // said at its end
  bool failed = false;                  // could not be decoded; told when it has ended
  bool dropped = false;                 // by its owner, or overdue
  steady_clock::time_point deadline{};  // for getting a decoder, once ended
};

// ---- hearing ----------------------------------------------------------------------------------------------------

hearing::hearing(recogniser& owner, std::shared_ptr<heard_turn> turn) : owner_(owner), turn_(std::move(turn)) {}
hearing::~hearing() { owner_.drop(turn_); }
void hearing::hear(std::span<const std::int16_t> samples, int rate_hz) { owner_.hear(turn_, samples, rate_hz); }
void hearing::end(bool wants_logprobs) { owner_.end(turn_, wants_logprobs); }
bool hearing::finished() const {
  const std::lock_guard lock(turn_->m);
  return turn_->closed;
}

// ---- recogniser: called by the sessions -------------------------------------------------------------------------

recogniser::recogniser(config::local_config options) : options_(std::move(options)) {
  for (int i = 0; i < options_.decoders; ++i) threads_.emplace_back([this] { work(); });
  threads_.emplace_back([this] { watch_deadlines(); });
}

recogniser::~recogniser() {
  {
    const std::lock_guard guard(m_);
    stopping_ = true;
  }
  changed_.notify_all();
  ended_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::unique_ptr<hearing> recogniser::start(hearing_sink sink) {
  return std::make_unique<hearing>(*this, std::make_shared<heard_turn>(std::move(sink)));
}

void recogniser::hear(const turn_ptr& turn, std::span<const std::int16_t> samples, int rate_hz) {
  if (samples.empty()) return;
  {
    const std::lock_guard guard(m_);
    if (turn->ended || turn->dropped || turn->failed) return;
    if (turn->rate_hz == 0) turn->rate_hz = rate_hz;
    std::vector<std::int16_t> converted;
    if (rate_hz != turn->rate_hz) {  // the client changed its format in mid-turn
      converted = audio::resampled(samples, rate_hz, turn->rate_hz);
      samples = converted;
    }
    const auto room = samples_in(options_.max_turn_audio, turn->rate_hz) - turn->audio.size();
    const auto kept = samples.first(std::min(room, samples.size()));
    if (kept.empty()) return;
    turn->audio.insert(turn->audio.end(), kept.begin(), kept.end());
    queue(turn);
  }
  changed_.notify_all();
}

void recogniser::end(const turn_ptr& turn, bool wants_logprobs) {
  {
    lock guard(m_);
    if (turn->ended || turn->dropped) return;
    turn->ended = true;
    turn->wants_logprobs = wants_logprobs;
    turn->deadline = steady_clock::now() + options_.decoder_wait;
    const bool failed = turn->failed;
    const bool silent = turn->audio.empty();
    if (!failed && !silent) queue(turn);
    guard.unlock();
    if (failed) {
      turn->fail(unavailable);
    } else if (silent) {
      turn->answer({}, {});
    }
  }
  changed_.notify_all();
  ended_.notify_all();
}

void recogniser::drop(const turn_ptr& turn) {
  {
    const std::lock_guard guard(m_);
    turn->dropped = true;
    turn->audio = {};
    if (turn->in_line) std::erase(line_, turn);
  }
  changed_.notify_all();
  turn->report(true, [](const hearing_sink&) {});
}

void recogniser::queue(const turn_ptr& turn) {
  if (turn->in_line || turn->decoding) return;
  turn->in_line = true;
  line_.push_back(turn);
}

// ---- recogniser: its threads ------------------------------------------------------------------------------------

void recogniser::work() {
  std::optional<decoder> engine;
  while (true) {
    turn_ptr turn;
    {
      lock guard(m_);
      changed_.wait(guard, [this] { return stopping_ || !line_.empty(); });
      if (stopping_) return;
      turn = line_.front();
      line_.pop_front();
      turn->in_line = false;
      turn->decoding = true;
      turn->taken_samples = turn->settled_samples;
    }
    try {
      if (!engine) engine.emplace(options_);
      decode(*engine, turn);
    } catch (const std::exception&) {  // files that went bad, memory: the next turn tries again with a new decoder
      engine.reset();
      fail(turn);
    }
  }
}

void recogniser::decode(decoder& engine, const turn_ptr& turn) {
  std::vector<std::int16_t> piece;
  auto next = next_piece(turn, piece);
  if (next == step::give_up) return;
  audio::resampler to_decoder(turn->rate_hz, decoder_rate_hz);
  std::size_t taken_samples = turn->settled_samples;
  turn->phrase = {};  // it may have been given up before
  bool spoke = false;
  engine.start();
  for (; next == step::piece; next = next_piece(turn, piece)) {
    engine.process(to_decoder.process(piece));
    taken_samples += piece.size();
    const bool speaks = engine.in_speech();
    if (spoke && !speaks) {
      end_phrase(engine, turn);
      turn->settled_samples = taken_samples;
      engine.go_on();
    } else {
      guess(engine, turn, std::chrono::milliseconds(taken_samples * 1000 / static_cast<std::size_t>(turn->rate_hz)));
    }
    spoke = speaks;
  }
  if (next == step::end) {
    engine.process(to_decoder.flush());
    end_phrase(engine, turn);
    turn->answer(turn->transcript, wants_logprobs(turn) ? turn->words.value_or(tokens{}) : tokens{});
  } else {
    (void)engine.finish();
  }
}

// Its words follow those of the phrases before.
void recogniser::end_phrase(decoder& engine, const turn_ptr& turn) {
  const auto text = cleaned_transcript(engine.finish(), options_.drop_marker_transcripts);
  turn->phrase = {};
  const bool guessed = !std::exchange(turn->guess, {}).empty();
  if (text.empty() && guessed) turn->report(false, [](const hearing_sink& to) { to.guess({}); });
  if (text.empty()) return;
  const std::string delta = turn->transcript.empty() ? text : " " + text;
  auto words = logprobs_of(text, engine.words());
  if (words.empty()) turn->words.reset();
  if (!words.empty() && !turn->transcript.empty()) words.front().token.insert(0, " ");
  if (turn->words) turn->words->insert(turn->words->end(), words.begin(), words.end());
  turn->transcript += delta;
  turn->report(false, [&](const hearing_sink& to) { to.partial(delta); });
}

void recogniser::guess(const decoder& engine, const turn_ptr& turn, std::chrono::milliseconds heard) {
  const auto words = cleaned_transcript(engine.hypothesis(), options_.drop_marker_transcripts);
  auto likely = turn->phrase.next(words, heard);
  if (!likely.empty() && !turn->transcript.empty()) likely.insert(0, " ");
  if (likely == turn->guess) return;
  turn->guess = std::move(likely);
  turn->report(false, [&](const hearing_sink& to) { to.guess(turn->guess); });
}

recogniser::step recogniser::next_piece(const turn_ptr& turn, std::vector<std::int16_t>& piece) {
  lock guard(m_);
  const auto something_new = [&] {
    return stopping_ || turn->dropped || turn->ended || turn->taken_samples < turn->audio.size();
  };
  while (!changed_.wait_for(guard, idle_limit, something_new)) {
    if (line_.empty()) continue;
    turn->decoding = false;  // others wait; this turn comes back, from its beginning, with its next audio
    return step::give_up;
  }
  if (stopping_ || turn->dropped) return step::give_up;
  if (turn->taken_samples == turn->audio.size()) {
    turn->audio = {};
    return step::end;
  }
  const auto count = std::min(samples_in(piece_length, turn->rate_hz), turn->audio.size() - turn->taken_samples);
  const auto first = turn->audio.begin() + static_cast<std::ptrdiff_t>(turn->taken_samples);
  piece.assign(first, first + static_cast<std::ptrdiff_t>(count));
  turn->taken_samples += count;
  return step::piece;
}

bool recogniser::wants_logprobs(const turn_ptr& turn) {
  const lock guard(m_);
  return turn->wants_logprobs;
}

void recogniser::fail(const turn_ptr& turn) {
  {
    const std::lock_guard guard(m_);
    turn->audio = {};
    turn->failed = true;
    if (!turn->ended) return;  // end() tells
  }
  turn->fail(unavailable);
}

void recogniser::watch_deadlines() {
  lock guard(m_);
  while (!stopping_) {
    const auto overdue = overdue_turn(steady_clock::now());
    if (overdue) {
      overdue->dropped = true;
      overdue->audio = {};
      std::erase(line_, overdue);
      guard.unlock();
      overdue->fail(busy);
      guard.lock();
      continue;
    }
    auto wake = steady_clock::time_point::max();
    for (const auto& turn : line_) {
      if (turn->ended) wake = std::min(wake, turn->deadline);
    }
    if (wake == steady_clock::time_point::max()) {
      ended_.wait(guard);
    } else {
      ended_.wait_until(guard, wake);
    }
  }
}

recogniser::turn_ptr recogniser::overdue_turn(steady_clock::time_point now) {
  const auto found = std::find_if(line_.begin(), line_.end(),
                                  [&](const turn_ptr& turn) { return turn->ended && turn->deadline <= now; });
  return found == line_.end() ? nullptr : *found;
}

}  // namespace parley::adapters::local
