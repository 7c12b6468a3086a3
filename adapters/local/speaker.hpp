// Text to speech for every session of a local model: `voices` threads take one sentence of one answer after the other,
// in turn, so that a long answer does not hold up the others.
//
//   say(text) -> sentences -> [ answer in line ] -> a thread speaks one -> pieces -> sink -> [ back in line ] ... done
//
// Flow control: while an answer is throttled no thread takes it. A sentence that is being spoken at that moment is
// made to its end, but what is left of it (at most 300 characters, some 20 s of speech) is kept with the answer and
// handed on first when the throttle is lifted: no thread ever waits for a listener. Nothing blocks the caller;
// destroying a `speech` stops it within one chunk (20 ms of audio, under 1 ms of work), and none of its callbacks runs
// afterwards.
#pragma once

#include "adapters/local/sentence_splitter.hpp"
#include "config/config.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace parley::adapters::local {

// Called from a thread of the speaker, one at a time; must not block nor destroy the speech.
struct speech_sink {
  // 20..200 ms of speech; each sentence's words come with its first piece. Words that can not be spoken come without
  // samples, or with the piece that follows them. All transcripts joined are the text.
  std::function<void(std::vector<std::int16_t> samples, std::string transcript)> piece;
  std::function<void()> done;
  std::function<void(std::string message)> failed;  // for the client
};

struct speech_options {
  std::string voice{};  // an unknown name: the configured voice
  double speed = 1.0;
  int output_rate_hz = 24000;
};

class speaker;
struct spoken_answer;

// One answer. REQUIRES: destroyed before its speaker.
// Thread safety: say() and finish() by one thread at a time, throttle() by another, the destructor after all of them.
class speech {
 public:
  speech(speaker& owner, std::shared_ptr<spoken_answer> answer);
  ~speech();
  speech(const speech&) = delete;
  speech& operator=(const speech&) = delete;

  // The next piece of text. At most 256 KiB may wait to be spoken; beyond, the speech fails.
  void say(std::string_view text);
  // No more text; done follows when all was spoken.
  void finish();
  void throttle(bool wait);

 private:
  speaker& owner_;
  std::shared_ptr<spoken_answer> answer_;
  sentence_splitter splitter_;
};

// Thread safety: start() may be called from any thread. The destructor joins the threads.
class speaker {
 public:
  // Throws std::runtime_error when the configured voice is unknown.
  explicit speaker(config::local_config options);
  ~speaker();
  speaker(const speaker&) = delete;
  speaker& operator=(const speaker&) = delete;

  [[nodiscard]] std::unique_ptr<speech> start(const speech_options& options, speech_sink sink);

 private:
  friend class speech;
  using answer_ptr = std::shared_ptr<spoken_answer>;

  void add(const answer_ptr& answer, std::vector<std::string> sentences, bool last);
  void throttle(const answer_ptr& answer, bool wait);
  void drop(const answer_ptr& answer);
  void queue(const answer_ptr& answer);  // REQUIRES: m_ held

  void work();
  void serve(const answer_ptr& answer);

  const config::local_config options_;
  std::mutex m_;
  // Guarded by m_, like the members of every spoken_answer that say so.
  std::deque<answer_ptr> line_;  // answers that have something to do, longest wait first
  bool stopping_ = false;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
};

}  // namespace parley::adapters::local
