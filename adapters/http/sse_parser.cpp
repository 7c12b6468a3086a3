#include "adapters/http/sse_parser.hpp"

#include <utility>

namespace parley::adapters::http {

bool sse_parser::feed(std::string_view bytes, const event_handler& on_event) {
  while (!bytes.empty() && !failed_) {
    if (std::exchange(skip_lf_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    const auto piece = bytes.substr(0, end);
    if (line_.size() + event_.data.size() + piece.size() > max_bytes_) {
      failed_ = true;
      break;
    }
    line_ += piece;
    if (end == bytes.npos) break;
    skip_lf_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(on_event);
  }
  return !failed_;
}

void sse_parser::finish(const event_handler& on_event) {
  if (failed_) return;
  if (!line_.empty()) end_line(on_event);
  dispatch(on_event);
}

void sse_parser::end_line(const event_handler& on_event) {
  const std::string whole = std::exchange(line_, {});
  std::string_view line = whole;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::exchange(first_line_, false) && line.starts_with(byte_order_mark)) line.remove_prefix(3);
  if (line.empty()) {
    dispatch(on_event);
  } else {
    read_field(line);  // a comment is a field without a name
  }
}

void sse_parser::read_field(std::string_view line) {
  const auto colon = line.find(':');
  const auto name = line.substr(0, colon);
  auto value = colon == line.npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "event") event_.name = value;
  if (name != "data") return;
  if (std::exchange(has_data_, true)) event_.data += '\n';
  event_.data += value;
}

void sse_parser::dispatch(const event_handler& on_event) {
  const auto event = std::exchange(event_, {});
  if (std::exchange(has_data_, false) && !event.data.empty()) on_event(event);
}

}  // namespace parley::adapters::http
