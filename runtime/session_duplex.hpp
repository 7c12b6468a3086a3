// What a session of the duplex dialect has beside what every session has: its listening half, the steps that wait for
// the model's decision on a unit, the lease. Internal to runtime; session_duplex.cpp, session_duplex_units.cpp and
// session_playback.cpp are its code.
// Thread safety: none; owned by session.
#pragma once

#include "protocol/command.hpp"
#include "runtime/duplex_audio.hpp"
#include "runtime/duplex_input.hpp"
#include "runtime/lease.hpp"
#include "runtime/waiting_line.hpp"

#include <optional>

namespace parley::runtime {

struct duplex_half {
  duplex_half(session_context& context, answer_desk& desk)
      : audio(context.options.make_converter),
        input(context, desk),
        life(context.options.disconnect_grace, context.options.reaper_period) {}

  duplex_audio audio;
  duplex_input input;
  lease life;
  // While a unit is in flight. Bounded by what it costs, in pieces, commits and commands.
  waiting_line waiting;
  // An answer that was opened by a commit before the model has decided on it.
  std::optional<protocol::response_id> undecided;
  // What was said since the last answer began: what a response.create would answer.
  bool unanswered_audio = false, unanswered_text = false;
  bool barged_in = false;  // nothing has followed a barge-in yet
  bool was_working = false;
  // What an answer leaves to be told when it is over: that the model listens again. `owes`: a commit over it wants to
  // know, or the model said so. `untold`: one has ended since, and nothing was told.
  bool owes_listen = false, untold_end = false;
};

}  // namespace parley::runtime
