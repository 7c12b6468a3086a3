#include "server/socket_writer.hpp"

namespace parley::server {

using runtime::close_reason;
using runtime::delivery_buffer;

task<close_reason> socket_writer::run() {
  while (true) {
    const auto status = host_.buffer().get([this] { news_.ring(); });
    if (!status) co_return close_reason::internal_error;
    if (*status == delivery_buffer::get_status::drained) break;
    if (*status == delivery_buffer::get_status::waiting) {
      co_await news_.wait();
      continue;
    }
    if (const auto bytes = sequence_held()) {
      const auto ec = co_await write(*bytes);
      // The reader is ending the socket after a mistake of the peer: its close frame must not be cut off.
      while (ec == asio::error::operation_aborted) co_await news_.wait();
      if (ec) co_return close_reason::disconnect;
    }
  }
  closing_ = true;
  const auto reason = host_.reason();
  const auto code = runtime::close_code(reason);
  if (code != 0) static_cast<void>(co_await socket_.close(code, runtime::close_text(reason)));
  co_return reason;
}

std::shared_ptr<const std::string> socket_writer::sequence_held() {
  runtime::receipt sent;
  std::shared_ptr<const std::string> bytes;
  {
    delivery_buffer::guard held(host_.buffer());
    if (!held.valid()) return nullptr;
    sent = held.sequence(next_sequence_++, false);
    bytes = held.bytes();
  }
  host_.on(sent);
  return bytes;
}

task<error_code> socket_writer::write(const std::string& bytes) {
  writing_since_ = std::chrono::steady_clock::now();
  const auto [ec, written] = co_await socket_.write(bytes);
  writing_since_.reset();
  co_return ec;
}

}  // namespace parley::server
