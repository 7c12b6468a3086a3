// Reads a text/event-stream (WHATWG HTML, "Server-sent events") from bytes in pieces of any size. Sans I/O.
// LF, CRLF and lone CR end a line; comments, `id` and `retry` are skipped. One deliberate deviation: finish() gives out
// a last event that no blank line ended, because some servers close right after their last line.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace parley::adapters::http {

struct sse_event {
  std::string name{};  // of `event:`; empty when there was none
  std::string data{};  // lines joined by LF
};

// Thread safety: none.
class sse_parser {
 public:
  using event_handler = std::function<void(const sse_event&)>;

  // `max_bytes` bounds one event with the line being read: a hostile backend must not fill the memory.
  explicit sse_parser(std::size_t max_bytes = 1024 * 1024) : max_bytes_(max_bytes) {}

  // False once an event was too large; nothing is read after that.
  [[nodiscard]] bool feed(std::string_view bytes, const event_handler& on_event);
  // The stream ended.
  void finish(const event_handler& on_event);

 private:
  void end_line(const event_handler& on_event);
  void read_field(std::string_view line);
  void dispatch(const event_handler& on_event);

  std::size_t max_bytes_;
  std::string line_;
  sse_event event_;
  bool has_data_ = false;
  bool first_line_ = true;  // may begin with a byte order mark
  bool skip_lf_ = false;    // the last line ended with CR: an LF right after it belongs to it
  bool failed_ = false;
};

}  // namespace parley::adapters::http
