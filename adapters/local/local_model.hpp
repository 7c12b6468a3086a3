// The embedded model: pocketsphinx hears, a replier answers in words, flite speaks; all in this process, on the model's
// own threads. `decoders` + 1 threads recognise, `voices` threads speak.
#pragma once

#include "adapters/local/replier.hpp"
#include "config/config.hpp"
#include "runtime/model.hpp"

#include <memory>

namespace parley::adapters::local {

// Throws std::runtime_error that names the key (local....) when a file or the voice is missing. The decoders are
// loaded later, when they are first needed.
[[nodiscard]] std::shared_ptr<runtime::model> make_local_model(const config::local_config& options,
                                                               std::shared_ptr<replier> words);

}  // namespace parley::adapters::local
