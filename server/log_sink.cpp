#include "server/log_sink.hpp"

#include <string>
#include <string_view>

namespace parley::server {

void log_sink::sink_it_(const spdlog::details::log_msg& message) {
  auto& mine = message.level >= spdlog::level::warn ? warnings_ : lines_;
  if (!mine.take(message.time)) return;
  if (const auto missing = mine.take_left_out(); missing != 0) {
    const auto text = std::to_string(missing) + " lines were left out here: there were too many";
    write({message.time, message.source, message.logger_name, spdlog::level::warn, text});
  }
  write(message);
}

void log_sink::write(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t formatted;
  formatter_->format(message, formatted);
  std::string_view line(formatted.data(), formatted.size());
  if (line.size() <= longest_line_bytes) return pump_.put(line);
  pump_.put(std::string(line.substr(0, longest_line_bytes - 1)) + '\n');
}

}  // namespace parley::server
