// Makes the program's logger: structured lines on standard error, with ids, never audio, text or keys. Its rate is
// bounded, and it neither waits nor fails when nobody reads it (log_sink).
#pragma once

#include "config/config.hpp"

#include <spdlog/logger.h>

#include <memory>

namespace parley::server {

[[nodiscard]] std::shared_ptr<spdlog::logger> make_logger(const config::log_config& settings);

}  // namespace parley::server
