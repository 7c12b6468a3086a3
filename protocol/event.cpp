#include "protocol/event.hpp"

#include "protocol/spelling.hpp"

#include <array>
#include <string_view>

namespace parley::protocol {
namespace {

// In the order of event_body's alternatives; session_created is the first, rate_limits_updated the last.
constexpr std::array<spelling, std::variant_size_v<event_body>> spellings{{
    {"session.created", "session.created"},
    {"session.updated", "session.updated"},
    {"error", "error"},
    {"input_audio_buffer.speech_started", "input_audio_buffer.speech_started"},
    {"input_audio_buffer.speech_stopped", "input_audio_buffer.speech_stopped"},
    {"input_audio_buffer.committed", "input_audio_buffer.committed"},
    {"input_audio_buffer.cleared", "input_audio_buffer.cleared"},
    {"input_audio_buffer.timeout_triggered", ""},
    {"conversation.item.added", "conversation.item.created"},
    {"conversation.item.done", ""},
    {"conversation.item.retrieved", ""},
    {"conversation.item.deleted", "conversation.item.deleted"},
    {"conversation.item.truncated", "conversation.item.truncated"},
    {"conversation.item.input_audio_transcription.delta", ""},
    {"conversation.item.input_audio_transcription.completed", "conversation.item.input_audio_transcription.completed"},
    {"conversation.item.input_audio_transcription.failed", "conversation.item.input_audio_transcription.failed"},
    {"response.created", "response.created"},
    {"response.done", "response.done"},
    {"response.output_item.added", "response.output_item.added"},
    {"response.output_item.done", "response.output_item.done"},
    {"response.content_part.added", "response.content_part.added"},
    {"response.content_part.done", "response.content_part.done"},
    {"response.output_text.delta", "response.text.delta"},
    {"response.output_text.done", "response.text.done"},
    {"response.output_audio_transcript.delta", "response.audio_transcript.delta"},
    {"response.output_audio_transcript.done", "response.audio_transcript.done"},
    {"response.output_audio.delta", "response.audio.delta"},
    {"response.output_audio.done", "response.audio.done"},
    {"response.function_call_arguments.delta", "response.function_call_arguments.delta"},
    {"response.function_call_arguments.done", "response.function_call_arguments.done"},
    {"playback.acknowledged", ""},
    {"rate_limits.updated", "rate_limits.updated"},
}};

// Where the events of a response keep its id: in themselves, in their part_ref or in the response they show.
struct response_finder {
  template <class Event>
  const response_id* operator()(const Event& event) const noexcept {
    if constexpr (requires { event.at.response; }) {
      return &event.at.response;
    } else if constexpr (requires { event.response.id; }) {
      return &event.response.id;
    } else if constexpr (requires { event.response; }) {
      return &event.response;
    } else {
      return nullptr;
    }
  }
};

}  // namespace

const response_id* response_of(const event_body& body) noexcept { return std::visit(response_finder{}, body); }

const spelling& spelling_of(const event_body& body) noexcept { return spellings[body.index()]; }

std::string_view type_name(const event_body& body) noexcept { return spelling_of(body).ga; }

}  // namespace parley::protocol
