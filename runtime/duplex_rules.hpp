// What a session of the duplex dialect may be opened with, and what of it may change later. The shape of the fields is
// the decoder's business: here is what depends on the model and on the session's life.
#pragma once

#include "protocol/session_settings.hpp"
#include "runtime/model.hpp"

#include <optional>

namespace parley::runtime {

// The first session.update, before the session is: `start` are the settings it would be merged into.
[[nodiscard]] std::optional<protocol::wire_error> refused_open(const protocol::session_settings& start,
                                                               const protocol::session_patch& patch,
                                                               const model_capabilities& capabilities);

struct session_life {
  bool has_spoken = false;       // some audio was generated
  bool model_has_heard = false;  // the model's context was initialised
};
[[nodiscard]] std::optional<protocol::wire_error> refused_update(const protocol::session_settings& now,
                                                                 const protocol::session_patch& patch,
                                                                 const model_capabilities& capabilities,
                                                                 const session_life& life);

}  // namespace parley::runtime
