#include "adapters/local/speaker.hpp"

#include "adapters/audio/resampler.hpp"
#include "adapters/local/flite_voice.hpp"
#include "adapters/local/speakable.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace parley::adapters::local {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_waiting_bytes = 256 * 1024;  // text: four hours of speech
constexpr milliseconds first_piece{40};                 // soon heard
constexpr milliseconds next_piece{100};                 // few events
constexpr milliseconds held_back{20};                   // so that the last piece of a sentence is not shorter
constexpr double slowest = 0.25;                        // of the wire's range

flite_voice voice_named(const std::string& wanted, const std::string& configured) {
  if (const auto found = flite_voice::find(wanted)) return *found;
  if (const auto found = flite_voice::find(configured)) return *found;
  throw std::runtime_error("local.voice: no such voice: " + configured);
}

}  // namespace

struct spoken_answer {
  spoken_answer(flite_voice its_voice, const speech_options& options, speech_sink to)
      : voice(its_voice),
        speed(std::max(options.speed, slowest)),
        rate_hz(options.output_rate_hz),
        sink(std::move(to)) {}

  struct piece {
    std::vector<std::int16_t> samples;
    std::string transcript;
  };

  // Runs call with the sink unless the answer is over. Holding m over the call is what lets drop() promise that
  // nothing comes after it; the sink's functions only post.
  template <class Call>
  void report(bool is_end, Call call) {
    const std::lock_guard lock(m);
    if (closed) return;
    closed = is_end;
    call(sink);
  }

  void speak(const std::string& sentence);
  void give(std::span<const std::int16_t> samples);
  void give_complete_pieces();
  void keep(std::size_t count);
  void keep_words();
  void hand_on();

  // REQUIRES: speaker::m_ held.
  [[nodiscard]] bool has_work() const {
    return overflowed || (!throttled && (!kept.empty() || !sentences.empty() || (last && !over)));
  }

  // Constant after construction.
  const flite_voice voice;
  const double speed;
  const int rate_hz;
  const speech_sink sink;

  // Thread-safe by themselves.
  std::atomic<bool> stopped = false;
  std::atomic<bool> throttled = false;

  // Guarded by m.
  std::mutex m;
  bool closed = false;

  // Guarded by speaker::m_.
  std::deque<std::string> sentences;
  std::size_t waiting_bytes = 0;  // of sentences
  bool last = false;              // no more text
  bool overflowed = false;
  bool in_line = false;
  bool served = false;  // a thread works on it

  // Owned by the thread that serves it, and by m_ otherwise.
  bool over = false;                   // done was reported
  std::string words;                   // of the transcript, to go with the next piece
  std::vector<std::int16_t> gathered;  // speech, less than a piece
  bool first = true;                   // the next piece is the answer's first
  std::deque<piece> kept;              // complete pieces, while throttled
};

void spoken_answer::speak(const std::string& sentence) {
  words += sentence;
  const auto text = speakable(sentence);
  if (text.empty()) return;
  std::optional<audio::resampler> to_output;
  const auto on_chunk = [&](std::span<const std::int16_t> samples, int voice_rate_hz) {
    if (!to_output) to_output.emplace(voice_rate_hz, rate_hz);
    give(to_output->process(samples));
    return !stopped;
  };
  // A sentence that flite can not say stays a sentence of the transcript; the answer goes on.
  (void)voice.speak(text, speed, on_chunk);
  if (to_output) give(to_output->flush());
  if (!gathered.empty()) keep(gathered.size());
  hand_on();
}

void spoken_answer::give(std::span<const std::int16_t> samples) {
  gathered.insert(gathered.end(), samples.begin(), samples.end());
  give_complete_pieces();
  hand_on();
}

void spoken_answer::give_complete_pieces() {
  const auto samples_in = [this](milliseconds length) {
    return static_cast<std::size_t>(length.count() * rate_hz / 1000);
  };
  while (true) {
    const auto size = samples_in(first ? first_piece : next_piece);
    if (gathered.size() < size + samples_in(held_back)) return;
    keep(size);
  }
}

void spoken_answer::keep(std::size_t count) {
  const auto end = gathered.begin() + static_cast<std::ptrdiff_t>(count);
  kept.push_back({{gathered.begin(), end}, std::exchange(words, {})});
  gathered.erase(gathered.begin(), end);
  first = false;
}

void spoken_answer::keep_words() {
  if (!words.empty()) kept.push_back({{}, std::exchange(words, {})});
}

void spoken_answer::hand_on() {
  while (!throttled && !kept.empty()) {
    auto& next = kept.front();
    report(false, [&](const speech_sink& to) { to.piece(std::move(next.samples), std::move(next.transcript)); });
    kept.pop_front();
  }
}

// ---- speech -----------------------------------------------------------------------------------------------------

speech::speech(speaker& owner, std::shared_ptr<spoken_answer> answer) : owner_(owner), answer_(std::move(answer)) {}
speech::~speech() { owner_.drop(answer_); }
void speech::say(std::string_view text) { owner_.add(answer_, splitter_.push(text), false); }
void speech::finish() { owner_.add(answer_, splitter_.finish(), true); }
void speech::throttle(bool wait) { owner_.throttle(answer_, wait); }

// ---- speaker: called by the sessions ----------------------------------------------------------------------------

speaker::speaker(config::local_config options) : options_(std::move(options)) {
  (void)voice_named(options_.voice, options_.voice);
  for (int i = 0; i < options_.voices; ++i) threads_.emplace_back([this] { work(); });
}

speaker::~speaker() {
  {
    const std::lock_guard lock(m_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::unique_ptr<speech> speaker::start(const speech_options& options, speech_sink sink) {
  const auto voice = voice_named(options.voice, options_.voice);
  return std::make_unique<speech>(*this, std::make_shared<spoken_answer>(voice, options, std::move(sink)));
}

void speaker::add(const answer_ptr& answer, std::vector<std::string> sentences, bool last) {
  const std::lock_guard lock(m_);
  if (answer->overflowed || answer->last) return;
  for (auto& sentence : sentences) {
    answer->waiting_bytes += sentence.size();
    answer->sentences.push_back(std::move(sentence));
  }
  answer->last = last;
  answer->overflowed = answer->waiting_bytes > most_waiting_bytes;
  queue(answer);
}

void speaker::throttle(const answer_ptr& answer, bool wait) {
  const std::lock_guard lock(m_);
  answer->throttled = wait;
  queue(answer);
}

void speaker::drop(const answer_ptr& answer) {
  answer->stopped = true;
  {
    const std::lock_guard lock(m_);
    if (answer->in_line) std::erase(line_, answer);
    answer->in_line = false;
  }
  answer->report(true, [](const speech_sink&) {});
}

void speaker::queue(const answer_ptr& answer) {
  // What a serving thread changes is not looked at; it queues the answer itself when it is through.
  if (answer->served || answer->in_line || answer->stopped || !answer->has_work()) return;
  answer->in_line = true;
  line_.push_back(answer);
  changed_.notify_one();
}

// ---- speaker: its threads ---------------------------------------------------------------------------------------

void speaker::work() {
  std::unique_lock lock(m_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !line_.empty(); });
    if (stopping_) return;
    const auto answer = line_.front();
    line_.pop_front();
    answer->in_line = false;
    answer->served = true;
    lock.unlock();
    try {
      serve(answer);
    } catch (const std::exception&) {  // memory
      answer->report(true, [](const speech_sink& to) { to.failed("Speech synthesis failed."); });
      answer->stopped = true;
    }
    lock.lock();
    answer->served = false;
    queue(answer);
  }
}

void speaker::serve(const answer_ptr& answer) {
  answer->hand_on();
  std::optional<std::string> sentence;
  bool at_end = false;
  bool overflowed = false;
  {
    const std::lock_guard lock(m_);
    overflowed = answer->overflowed;
    if (answer->throttled && !overflowed) return;
    at_end = answer->last && answer->sentences.empty();
    if (!answer->sentences.empty()) {
      sentence = std::move(answer->sentences.front());
      answer->sentences.pop_front();
      answer->waiting_bytes -= sentence->size();
    }
  }
  if (overflowed) {
    answer->report(true, [](const speech_sink& to) { to.failed("The answer is too long to be spoken."); });
    answer->stopped = true;
  } else if (sentence) {
    answer->speak(*sentence);
  } else if (at_end) {
    answer->keep_words();
    answer->hand_on();
    answer->over = answer->kept.empty();
    if (answer->over) answer->report(true, [](const speech_sink& to) { to.done(); });
  }
}

}  // namespace parley::adapters::local
