#include "server/socket_writer.hpp"

namespace parley::server {

using runtime::close_reason;
using runtime::delivery_buffer;

task<close_reason> socket_writer::run() {
  const auto failure = co_await write_events();
  // Aborted without being cancelled: the reader is ending the socket after a mistake of the peer.
  const bool refused = failure == asio::error::operation_aborted;
  if (failure && !refused) co_return close_reason::disconnect;
  if (refused) host_.close(close_reason::disconnect);
  if (refused || socket_.peer_closed()) {
    // The close frames are the reader's, and must not be cut off.
    while (true) co_await news_.wait();
  }
  closing_ = true;
  const auto reason = host_.reason();
  const auto code = runtime::close_code(reason);
  if (code != 0) static_cast<void>(co_await socket_.close(code, runtime::close_text(reason)));
  co_return reason;
}

task<error_code> socket_writer::write_events() {
  while (true) {
    const auto status = host_.buffer().get([this] { news_.ring(); });
    if (!status) co_return status.error();
    if (*status == delivery_buffer::get_status::drained) co_return error_code{};
    if (*status == delivery_buffer::get_status::waiting) {
      co_await news_.wait();
      continue;
    }
    const auto bytes = sequence_held();
    host_.on_taken();
    if (!bytes) continue;
    const auto failure = co_await write(*bytes);
    if (failure) co_return failure;
  }
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
