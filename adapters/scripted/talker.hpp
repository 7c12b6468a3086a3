// The answers that a scripted session is giving, and their timing. Shared between the session and the steps that wait
// in the timer; close() is the fence after which nothing is posted.
//
//   respond -> [think] -> piece -> [delta / rate] -> piece ... -> last piece, model_done [, model_listen]
//                           |  throttled: parked until throttle(false)
//
// At rate 0 pieces come in bursts without waiting; between two bursts the timer has a turn, so that a long answer
// neither holds the session's thread nor runs past its flow control.
// Pieces are posted under the lock: the sink only queues, and never calls back.
#pragma once

#include "adapters/scripted/answer.hpp"
#include "adapters/step_timer.hpp"
#include "config/config.hpp"
#include "runtime/model.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

namespace parley::adapters::scripted {

// Thread safety: all members may be called from any thread.
class talker {
 public:
  // REQUIRES: `timer` outlives the call of close().
  talker(const config::scripted_config& script, step_timer& timer, std::shared_ptr<runtime::model_sink> sink);

  // `self` is this talker, for the steps to hold weakly.
  static void start(const std::shared_ptr<talker>& self, const protocol::response_id& response, answer what);
  static void throttle(const std::shared_ptr<talker>& self, const protocol::response_id& response, bool wait);
  void cancel(const protocol::response_id& response);
  // In order with the pieces of answers. Nothing is posted once closed.
  void post(runtime::model_output output);
  // Only while an answer is not over: its model_done comes after it. False: nothing was posted.
  [[nodiscard]] bool post_if_speaking(runtime::model_output output);
  // `last` is the last that is posted.
  void close_with(runtime::model_output last);
  void close();

 private:
  struct running {
    answer what;
    step_timer::time_point due;
    bool waiting = false;  // throttled
    bool parked = false;   // a step came while throttled; no step is scheduled
  };

  static void step(const std::weak_ptr<talker>& weak, const protocol::response_id& response);
  // Both REQUIRE: m_ is held.
  void produce(const std::weak_ptr<talker>& self, const protocol::response_id& response);
  void schedule(const std::weak_ptr<talker>& self, const protocol::response_id& response, running& entry);

  // Constant after construction
  const std::chrono::nanoseconds step_time_;  // between two pieces; 0 = at once
  const std::chrono::milliseconds think_;
  const bool ignore_flow_control_;
  const bool yields_floor_;  // model-native: listens again, and says so, when an answer is over
  step_timer& timer_;
  std::mutex m_;
  // Guarded by m_
  std::shared_ptr<runtime::model_sink> sink_;  // null once closed
  std::map<protocol::response_id, running> running_;
};

}  // namespace parley::adapters::scripted
