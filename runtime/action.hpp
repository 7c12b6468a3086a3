// What the session state machine asks of its host, in the order in which it must happen.
#pragma once

#include "protocol/event.hpp"
#include "runtime/close_reason.hpp"
#include "runtime/model.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parley::runtime {

// Put this event into the delivery buffer. `cause` is the response on whose behalf it is sent (also for the
// conversation.item events of its items): what the host passes to session::on_overflow when the buffer refuses it.
struct emit {
  protocol::server_event event;
  std::optional<protocol::response_id> cause{};
};
// Take queued audio of that response, up to and including that epoch, back out of the buffer.
struct invalidate {
  protocol::response_id response;
  protocol::epoch through;
};
struct call_hear {
  heard_audio audio;
};
struct call_end_turn {
  ended_turn turn;
};
struct call_hear_unit {
  audio_unit unit;
};
struct call_drop_turn {
  protocol::item_id item;
};
struct call_respond {
  response_request request;
};
struct call_cancel {
  protocol::response_id response;
};
struct call_throttle {
  protocol::response_id response;
  bool wait = false;
};
// End the session: what was emitted before still goes out, then the last event (duplex), then the socket closes.
struct close_session {
  close_reason reason = close_reason::client_close;
  std::optional<protocol::terminal_event> last{};
  protocol::event_id last_id{};  // REQUIRES: set with `last`
};

using action = std::variant<emit, invalidate, call_hear, call_end_turn, call_hear_unit, call_drop_turn, call_respond,
                            call_cancel, call_throttle, close_session>;
using actions = std::vector<action>;

}  // namespace parley::runtime
