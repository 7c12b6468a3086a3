// What becomes of speech over a running answer in the duplex dialect: one verdict an append, from what the client says,
// what the policy is and how much has been spoken. Pure: who acts on it is the session.
#pragma once

#include "protocol/command.hpp"
#include "protocol/event.hpp"
#include "protocol/session_settings.hpp"

#include <cstdint>
#include <string_view>

namespace parley::runtime {

struct overlap_question {
  protocol::overlap_policy policy = protocol::overlap_policy::listen_only;
  protocol::overlap_wish wish = protocol::overlap_wish::none;  // the client's word
  bool force_barge_in = false, force_listen = false;           // likewise
  bool speech = false;                                         // the append counts as speech
  bool starts_utterance = false;                               // ... and begins one
  bool detected = false;                                       // a turn detector said so, not the loudness
  bool answering = false;                                      // the session answers on its own
  bool can_barge_in = true;                                    // the model's capability
  std::string_view transcript{};                               // a hint
  std::int64_t speech_ms = 0;                                  // over this answer so far, this append counted
  std::int64_t short_ack_ms = 700;
  std::int64_t barge_in_ms = 1200;
};

struct overlap_verdict {
  protocol::overlap_action action = protocol::overlap_action::listen;
  std::string_view reason;
  bool buffers_audio = true;  // the audio stays part of the input
  bool refused_wish = false;  // the client asked for a barge-in that the model does not know
};

// False: the append is simply given to the model, no decision is announced (an answering session that only listens).
[[nodiscard]] bool needs_verdict(const overlap_question& asked) noexcept;
[[nodiscard]] overlap_verdict judge(const overlap_question& asked);
// Yes, right, mm-hm, go on ...: a word of a listener, no turn.
[[nodiscard]] bool is_short_acknowledgement(std::string_view transcript);

}  // namespace parley::runtime
