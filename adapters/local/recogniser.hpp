// Speech to text for every session of a local model: `decoders` threads, each with a decoder it loads when it is first
// needed. A turn that has audio waits in line for a thread, keeps it until it has ended, and gives partial results on
// the way:
//
//   start() -> [ idle ] --audio--> [ in line ] --thread free--> [ being decoded ] --end()--> text / failed
//                 ^                    | longer than decoder_wait after end(): failed       |
//                 +---- no audio for 2 s while others wait: decoded anew later -------------+
//
// A pause of half a second ends a phrase: its words are final then, and told. Those of the phrase that is going on are
// a guess until it ends, because pocketsphinx weighs a whole phrase anew at its end. A turn that is decoded anew begins
// behind the phrases that are final.
//
// A turn's audio is kept until it ends, at most max_turn_audio of it; what comes beyond is not recognised. Each ended
// turn is answered once. Nothing blocks the caller; destroying a `hearing` drops the turn: its audio is freed, no more
// of it is decoded, and none of its callbacks runs afterwards.
#pragma once

#include "config/config.hpp"
#include "protocol/event.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace parley::adapters::local {

// Called from a thread of the recogniser, one at a time for a turn; must not block nor destroy the turn's hearing.
struct hearing_sink {
  std::function<void(std::string delta)> partial;  // a phrase that is over; the transcript begins with all of them
  std::function<void(std::string words)> guess;    // what seems to follow; replaces the guess before
  // The end: the transcript, empty when nothing was said, and how sure each word of it is (if that was wanted).
  std::function<void(std::string text, std::vector<protocol::token_logprob> words)> text;
  std::function<void(std::string message)> failed;  // the end: why there is no transcript, for the client
};

class decoder;
class recogniser;
struct heard_turn;

// One turn. REQUIRES: destroyed before its recogniser.
// Thread safety: none; one owner.
class hearing {
 public:
  hearing(recogniser& owner, std::shared_ptr<heard_turn> turn);
  ~hearing();
  hearing(const hearing&) = delete;
  hearing& operator=(const hearing&) = delete;

  void hear(std::span<const std::int16_t> samples, int rate_hz);
  // Nothing more follows.
  void end(bool wants_logprobs);
  // The turn was answered; the object may go.
  [[nodiscard]] bool finished() const;

 private:
  recogniser& owner_;
  std::shared_ptr<heard_turn> turn_;
};

// Thread safety: start() may be called from any thread. The destructor joins the threads.
class recogniser {
 public:
  explicit recogniser(config::local_config options);
  ~recogniser();
  recogniser(const recogniser&) = delete;
  recogniser& operator=(const recogniser&) = delete;

  [[nodiscard]] std::unique_ptr<hearing> start(hearing_sink sink);

 private:
  friend class hearing;
  using turn_ptr = std::shared_ptr<heard_turn>;
  using lock = std::unique_lock<std::mutex>;
  enum class step : std::uint8_t { piece, end, give_up };

  void hear(const turn_ptr& turn, std::span<const std::int16_t> samples, int rate_hz);
  void end(const turn_ptr& turn, bool wants_logprobs);
  void drop(const turn_ptr& turn);
  void queue(const turn_ptr& turn);  // REQUIRES: m_ held

  void work();
  void decode(decoder& engine, const turn_ptr& turn);
  void end_phrase(decoder& engine, const turn_ptr& turn);
  void guess(const decoder& engine, const turn_ptr& turn, std::chrono::milliseconds heard);
  [[nodiscard]] step next_piece(const turn_ptr& turn, std::vector<std::int16_t>& piece);
  [[nodiscard]] bool wants_logprobs(const turn_ptr& turn);
  void fail(const turn_ptr& turn);
  void watch_deadlines();
  [[nodiscard]] turn_ptr overdue_turn(std::chrono::steady_clock::time_point now);  // REQUIRES: m_ held

  const config::local_config options_;
  std::mutex m_;
  // Guarded by m_, like the members of every heard_turn that say so.
  std::deque<turn_ptr> line_;  // turns that wait for a thread, longest wait first
  bool stopping_ = false;
  std::condition_variable changed_;  // for the workers: a turn in line, more audio, an end, stopping
  std::condition_variable ended_;    // for the watch: a turn in line ended, stopping
  std::vector<std::thread> threads_;
};

}  // namespace parley::adapters::local
