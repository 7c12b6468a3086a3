// Configuration -> the options of one session and of its delivery buffer. The only place where the two meet.
#pragma once

#include "config/config.hpp"
#include "protocol/dialect.hpp"
#include "runtime/delivery_buffer.hpp"
#include "runtime/session.hpp"

#include <string>

namespace parley::server {

// `model_name` is the name the client asked for. Ids, seed and wall clock are filled in.
[[nodiscard]] runtime::session_options make_session_options(const config::config& configuration,
                                                            protocol::dialect spoken, std::string model_name,
                                                            const runtime::model_capabilities& capabilities,
                                                            const runtime::speech_detector_factory& make_detector);

[[nodiscard]] runtime::delivery_limits make_delivery_limits(const config::delivery_config& delivery);

}  // namespace parley::server
