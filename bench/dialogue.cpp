#include "bench/dialogue.hpp"

#include "protocol/base64.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace parley::bench {
namespace {

constexpr std::size_t append_bytes = 8698;
constexpr std::size_t pcm_bytes = 6400;
// `type` comes first in what parley renders; beyond this many bytes there is only payload.
constexpr std::size_t type_window_bytes = 96;

constexpr std::string_view session_update =
    R"({"type":"session.update","session":{"type":"realtime","output_modalities":["audio"],)"
    R"("audio":{"input":{"turn_detection":null}}}})";
constexpr std::string_view response_create = R"({"type":"response.create"})";

// Speech-like: base64 of silence would be one letter.
std::string make_audio() {
  std::vector<std::uint8_t> pcm(pcm_bytes);
  std::uint32_t state = 1;
  for (auto& byte : pcm) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  std::string text(protocol::base64_encoded_size(pcm.size()), '\0');
  protocol::base64_encode(pcm, text.data());
  return text;
}

std::string make_append() {
  const std::string head = R"({"type":"input_audio_buffer.append","event_id":"append_)";
  const std::string tail = R"(","audio":")" + make_audio() + R"("})";
  return head + std::string(append_bytes - head.size() - tail.size(), '0') + tail;
}

task<void> await_type(client& caller, std::string_view type) {
  for (;;) {
    const auto message = co_await caller.read();
    const auto start = message.substr(0, type_window_bytes);
    if (start.find(type) != std::string_view::npos) co_return;
    if (start.find(R"("type":"error")") != std::string_view::npos) throw std::runtime_error(std::string(message));
  }
}

}  // namespace

const std::string& append_message() {
  static const std::string message = make_append();
  return message;
}

bool is_audio_delta(std::string_view message) {
  const auto start = message.substr(0, type_window_bytes);
  if (start.find(R"("type":"response.output_audio.delta")") != std::string_view::npos) return true;
  if (start.find(R"("type":"error")") != std::string_view::npos) throw std::runtime_error(std::string(message));
  return false;
}

bool is_response_done(std::string_view message) {
  return message.substr(0, type_window_bytes).find(R"("type":"response.done")") != std::string_view::npos;
}

task<void> begin_response(client& caller) {
  co_await caller.send(session_update);
  co_await await_type(caller, R"("type":"session.updated")");
  co_await caller.send(response_create);
  co_await await_type(caller, R"("type":"response.created")");
}

task<void> await_delta(client& caller) {
  // Not `while (!is_audio_delta(co_await ...))`: GCC 12 miscompiles a co_await in a loop's condition.
  for (;;) {
    const auto message = co_await caller.read();
    if (is_audio_delta(message)) co_return;
  }
}

}  // namespace parley::bench
