// The one gate for a model's words: whatever an adapter gives, clients, history and prompts get UTF-8. What is broken
// becomes U+FFFD. An adapter that gets its text in pieces joins characters cut between them itself (protocol::
// utf8_repair): here every text stands for itself.
//
// Thread safety: a function of its argument.
#pragma once

#include "runtime/model.hpp"

namespace parley::runtime {

[[nodiscard]] model_output readable(model_output output);

}  // namespace parley::runtime
