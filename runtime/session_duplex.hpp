// What a session of the duplex dialect has beside what every session has: its listening half, the steps that wait for
// the model's decision on a unit, the lease. Internal to runtime; session_duplex.cpp, session_duplex_units.cpp and
// session_playback.cpp are its code.
// Thread safety: none; owned by session.
#pragma once

#include "protocol/command.hpp"
#include "runtime/duplex_audio.hpp"
#include "runtime/duplex_input.hpp"
#include "runtime/lease.hpp"

#include <deque>
#include <optional>
#include <variant>

namespace parley::runtime {

struct duplex_half {
  duplex_half(session_context& context, answer_desk& desk)
      : audio(context.options.make_converter),
        input(context, desk),
        life(context.options.disconnect_grace, context.options.reaper_period) {}

  duplex_audio audio;
  duplex_input input;
  lease life;
  // In the order they came, while a unit is in flight. Bounded: bytes of appends, commits, commands in all.
  std::deque<std::variant<heard_append, protocol::command>> waiting;
  std::size_t waiting_bytes = 0;
  std::size_t waiting_commits = 0;
  // An answer that was opened by a commit before the model has decided on it.
  std::optional<protocol::response_id> undecided;
  // What was said since the last answer began: what a response.create would answer.
  bool unanswered_audio = false, unanswered_text = false;
  bool barged_in = false;  // nothing has followed a barge-in yet
  bool was_working = false;
};

}  // namespace parley::runtime
