// Configuration -> the settings a session starts with, its options and those of its delivery buffer. The only place
// where configuration and session meet.
#pragma once

#include "config/config.hpp"
#include "protocol/dialect.hpp"
#include "runtime/delivery_buffer.hpp"
#include "runtime/session.hpp"
#include "runtime/speech_detector.hpp"

#include <memory>
#include <string>

namespace parley::server {

// What sessions hear with; made by adapters.
struct audio_factories {
  runtime::speech_detector_factory make_detector{};
  runtime::noise_reducer_factory make_reducer{};
  runtime::sample_converter_factory make_converter{};
};

// What all sessions share, made once.
struct session_tools {
  audio_factories audio{};
  std::shared_ptr<const runtime::prompt_library> prompts{};
};

// `model_name` is the name the client asked for. A transcription session transcribes and answers nothing.
[[nodiscard]] protocol::session_settings starting_settings(const config::session_config& from,
                                                           protocol::session_kind kind, std::string model_name);

// The same in the duplex dialect, where turns are the client's unless it says otherwise.
[[nodiscard]] protocol::session_settings starting_duplex_settings(const config::session_config& from,
                                                                  std::string model_name);

// The settings after what is bound to a client secret, or why a session of that model can not start like that: what a
// session.update would be refused for.
[[nodiscard]] protocol::result<protocol::session_settings> bound_settings(
    protocol::session_settings start, const protocol::session_patch& patch,
    const runtime::model_capabilities& capabilities, const runtime::prompt_library* prompts);

// Ids, seed and wall clock are filled in.
[[nodiscard]] runtime::session_options make_session_options(const config::config& configuration,
                                                            protocol::dialect spoken,
                                                            protocol::session_settings settings,
                                                            const runtime::model_capabilities& capabilities,
                                                            const session_tools& tools);

[[nodiscard]] runtime::delivery_limits make_delivery_limits(const config::delivery_config& delivery);

[[nodiscard]] std::int64_t unix_seconds();

}  // namespace parley::server
