// Runs the server until SIGTERM or SIGINT: the first signal drains, the second ends at once.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"
#include "server/session_setup.hpp"

#include <map>
#include <memory>
#include <string>

namespace parley::server {

// Prints `listening on ws://HOST:PORT/v1/realtime` on standard output when ready. The exit code: 0 after a signal.
// Throws std::runtime_error that names the key when it can not start.
[[nodiscard]] int serve(const config::config& configuration,
                        std::map<std::string, std::shared_ptr<runtime::model>> models, audio_factories audio);

}  // namespace parley::server
