// A deterministic talker for tests, demonstrations and load: it hears every turn as the same words and answers from a
// script (config::scripted_config) with words, a buzz as speech, or tool calls, at playing speed or at once.
// Turn-based, model-native (`native`), or an echo for the benchmark (`mode`). The model owns one timer thread, which
// its sessions share and which ends with the last of them. It never fails a request, but units
// where the script says so.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"

#include <memory>

namespace parley::adapters::scripted {

[[nodiscard]] std::shared_ptr<runtime::model> make_scripted_model(const config::scripted_config& script);

}  // namespace parley::adapters::scripted
