// One response of a local session: the replier's text goes to the client as it is, or sentence by sentence through the
// speaker; then one model_done or model_failed ends it.
//
//   replier --text--> [ text response: sink ] or [ speech --pieces--> sink ] --> model_done
//
// Lives from respond() until it has finished or is cancelled; destroying it stops the replier and the speech, and
// nothing of it is posted afterwards.
#pragma once

#include "adapters/local/replier.hpp"
#include "adapters/local/speaker.hpp"
#include "runtime/model.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace parley::adapters::local {

// Thread safety: constructed, throttled and destroyed on the session's executor; the replier's and the speaker's
// threads call in between.
class local_answer {
 public:
  // Starts at once. `voices` is used by an audio response only.
  local_answer(const runtime::response_request& request, replier& words, speaker& voices,
               std::shared_ptr<runtime::model_sink> sink);
  local_answer(const local_answer&) = delete;
  local_answer& operator=(const local_answer&) = delete;

  void throttle(bool wait);
  [[nodiscard]] bool finished() const noexcept { return finished_; }

 private:
  struct ending {
    runtime::finish_reason reason = runtime::finish_reason::stop;
    std::optional<protocol::token_usage> usage;
  };

  [[nodiscard]] reply_sink from_replier();
  [[nodiscard]] speech_sink from_speaker();
  void on_text(const std::string& text);
  void on_tool_call(runtime::model_tool_call call);
  void on_replied(const ending& how);
  void post(runtime::model_output output);
  void finish();
  void fail(std::string message);

  // Constant after construction.
  const protocol::response_id response_;
  const protocol::epoch epoch_;
  const int prompt_words_;
  const std::shared_ptr<runtime::model_sink> sink_;

  // Used by the replier's callbacks only, one at a time; read by finish() after the last of them.
  int words_ = 0;
  bool begun_ = false;  // to speak
  ending ending_;

  std::mutex m_;  // held over a post, so that nothing follows the end
  std::atomic<bool> finished_ = false;

  // Destroyed first, in this order: after the replier, nobody gives text to the speech.
  std::unique_ptr<speech> speech_;  // null: a text response
  std::unique_ptr<reply> reply_;
};

}  // namespace parley::adapters::local
