// Any bytes as a text frame: the first byte picks the dialect, the rest is the frame in an allocation of exactly the
// promised size. Beyond memory safety it checks what the session relies on: a refusal has a message and stays small,
// and settings that were accepted merge without surprises.
#include "protocol/decode.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <variant>

namespace protocol = parley::protocol;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_refusal(const protocol::wire_error& error) {
  require(!error.message.empty() && error.message.size() < 4096);
  require(error.param.value_or("").size() < 4096);
  require(error.client_event_id.value_or("").size() <= protocol::max_event_id_bytes);
}

void check_patch(const protocol::session_patch& patch) {
  const auto once = protocol::merged({}, patch);
  if (!once) return check_refusal(once.error());
  require(once->speed >= 0.25 && once->speed <= 1.5);
  require(once->temperature >= 0 && once->temperature <= 2);
  require(once->input_format.rate_hz >= 8000 && once->input_format.rate_hz <= 192000);
  const auto twice = protocol::merged(*once, patch);
  require(twice.has_value() && *twice == *once);
}

void check_command(const protocol::command& command, const char* frame, std::size_t size) {
  require(command.client_event_id.value_or("").size() <= protocol::max_event_id_bytes);
  if (const auto* update = std::get_if<protocol::session_update>(&command.body)) check_patch(update->patch);
  if (const auto* append = std::get_if<protocol::input_audio_append>(&command.body)) {
    require(append->audio_base64.size() <= size);
    const std::string touched{append->audio_base64};  // every byte of the view is readable
    require(touched.size() == append->audio_base64.size() && frame != nullptr);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto spoken = static_cast<protocol::dialect>(data[0] % 3);
  const std::size_t frame_size = size - 1;
  const auto frame = std::make_unique<char[]>(frame_size + protocol::frame_padding_bytes);
  std::memcpy(frame.get(), data + 1, frame_size);
  std::memset(frame.get() + frame_size, '"', protocol::frame_padding_bytes);
  protocol::decoder decoder{spoken};
  const auto command = decoder.decode({frame.get(), frame_size});
  if (command.has_error()) {
    check_refusal(command.error());
  } else {
    check_command(*command, frame.get(), frame_size);
  }
  return 0;
}
