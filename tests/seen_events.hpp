// Writes down every server event that a test sees, so that a later test can hold all of them against the type
// declarations of the openai package: one JSON line an event in $PARLEY_EVENTS_DIR/<pid>-<dialect>.jsonl. Without that
// variable nothing is written.
//
// Thread safety: a line is one appending write.
#pragma once

#include <string_view>

namespace parley::tests {

// Whether a test's events are asked for; ask before rendering an event only for this.
[[nodiscard]] bool notes_events();
// `dialect` is "ga" or "beta".
void note_event(std::string_view dialect, std::string_view json);

}  // namespace parley::tests
