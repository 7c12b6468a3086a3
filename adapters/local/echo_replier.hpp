// The built-in replier: answers without a language model, so that a fresh checkout can be talked to. It says what it
// heard; asked for a story it tells a long one and asked to count it counts to two hundred (something to interrupt); a
// tool that the user names is called, and what it gave is told. Its whole answer is made before start() returns.
#pragma once

#include "adapters/local/replier.hpp"

#include <memory>

namespace parley::adapters::local {

[[nodiscard]] std::shared_ptr<replier> make_echo_replier();

}  // namespace parley::adapters::local
