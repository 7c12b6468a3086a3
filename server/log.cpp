#include "server/log.hpp"

#include "server/log_sink.hpp"

#include <unistd.h>

namespace parley::server {

namespace {

spdlog::level::level_enum level_of(config::log_level level) {
  switch (level) {
    case config::log_level::trace:
      return spdlog::level::trace;
    case config::log_level::debug:
      return spdlog::level::debug;
    case config::log_level::info:
      return spdlog::level::info;
    case config::log_level::warn:
      return spdlog::level::warn;
    case config::log_level::error:
      return spdlog::level::err;
    case config::log_level::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

}  // namespace

std::shared_ptr<spdlog::logger> make_logger(const config::log_config& settings) {
  auto logger = std::make_shared<spdlog::logger>("parley", std::make_shared<log_sink>(STDERR_FILENO));
  logger->set_level(level_of(settings.level));
  return logger;
}

}  // namespace parley::server
