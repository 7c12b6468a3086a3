#include "runtime/input_cost.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace parley::runtime {

using namespace protocol;

namespace {

// Overloads that find each other, whatever holds what.
struct heap {
  template <class Tag>
  static std::size_t of(const id<Tag>& name) noexcept {
    return of(name.value);
  }
  // Of what may be absent, or null: nothing.
  template <class T>
  static std::size_t of(const std::optional<T>& value) noexcept {
    return value ? of(*value) : 0;
  }
  template <class T>
  static std::size_t of(const std::vector<T>& list) noexcept {
    std::size_t sum = list.capacity() == 0 ? 0 : list.capacity() * sizeof(T) + block_overhead_bytes;
    if constexpr (!std::is_arithmetic_v<T>) {
      for (const T& one : list) sum += of(one);
    }
    return sum;
  }
  template <class... Parts>
  static std::size_t of_all(const Parts&... parts) noexcept {
    return (std::size_t{0} + ... + of(parts));
  }
  static std::size_t of(const std::string& text) noexcept {
    static const std::size_t held_inside = std::string{}.capacity();
    return text.capacity() > held_inside ? text.capacity() + block_overhead_bytes : 0;
  }

  static std::size_t of(const raw_json& json) noexcept { return of(json.text); }
  static std::size_t of(const std::pair<std::string, std::string>& one) noexcept {
    return of_all(one.first, one.second);
  }
  static std::size_t of(const tool& one) noexcept { return of_all(one.name, one.definition); }
  static std::size_t of(const tool_choice& one) noexcept { return of(one.function); }
  static std::size_t of(const prompt_template& one) noexcept { return of_all(one.id, one.version, one.variables); }
  static std::size_t of(const transcription_patch& one) noexcept {
    return of_all(one.model, one.language, one.prompt, one.delay, one.keywords, one.languages);
  }
  static std::size_t of(const content_part& part) noexcept {
    const std::size_t audio = part.audio ? sizeof(audio_clip) + block_overhead_bytes + of(part.audio->samples) : 0;
    return audio + of_all(part.text, part.transcript, part.detail);
  }
  static std::size_t of(const item& one) noexcept {
    return of_all(one.id, one.content, one.name, one.call, one.arguments, one.output);
  }
  static std::size_t of(const response_options::input_item& one) noexcept { return of(one.value); }
  static std::size_t of(const append_details& one) noexcept { return of_all(one.video_frames, one.transcript); }

  // ---- commands that may be long; the others have no text, or never wait
  static std::size_t of(const session_update& update) noexcept {
    const session_patch& one = update.patch;
    return of_all(one.model, one.instructions, one.voice, one.tools, one.choice, one.transcription,
                  one.reasoning_effort, one.prompt, one.tracing, one.duplex.extra_body, one.duplex.private_key);
  }
  static std::size_t of(const response_create& create) noexcept {
    const response_options& one = create.options;
    return of_all(one.instructions, one.voice, one.tools, one.choice, one.metadata, one.reasoning_effort, one.prompt,
                  one.input);
  }
  static std::size_t of(const item_create& one) noexcept { return of_all(one.new_item, one.previous_item_id); }
  static std::size_t of(const item_delete& one) noexcept { return of(one.id); }
  static std::size_t of(const item_truncate& one) noexcept { return of(one.id); }
  static std::size_t of(const input_text_append& one) noexcept { return of(one.text); }
};

}  // namespace

std::size_t heap_of(const std::string& text) noexcept { return heap::of(text); }
std::size_t heap_of(const std::vector<std::int16_t>& samples) noexcept { return heap::of(samples); }
std::size_t heap_of(const std::vector<std::string>& list) noexcept { return heap::of(list); }
std::size_t heap_of(const append_details& details) noexcept { return heap::of(details); }
std::size_t heap_of(const item& value) noexcept { return heap::of(value); }

std::size_t cost_of(const command& one) noexcept {
  const auto of_body = [](const auto& body) -> std::size_t {
    if constexpr (requires { heap::of(body); }) return heap::of(body);
    return 0;
  };
  return sizeof(command) + block_overhead_bytes + heap::of(one.client_event_id) + std::visit(of_body, one.body);
}

}  // namespace parley::runtime
