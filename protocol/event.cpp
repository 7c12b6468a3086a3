#include "protocol/event.hpp"

#include "protocol/spelling.hpp"

#include <array>
#include <string_view>

namespace parley::protocol {
namespace {

// A name that all three share, that both of OpenAI's share, or that the duplex dialect alone has.
constexpr spelling everywhere(std::string_view name) { return {name, name, name}; }
constexpr spelling but_beta(std::string_view name) { return {name, "", name}; }
constexpr spelling duplex_only(std::string_view name) { return {"", "", name}; }

// In the order of event_body's alternatives.
constexpr std::array<spelling, std::variant_size_v<event_body>> spellings{{
    everywhere("session.created"),
    everywhere("session.updated"),
    everywhere("error"),
    everywhere("input_audio_buffer.speech_started"),
    everywhere("input_audio_buffer.speech_stopped"),
    everywhere("input_audio_buffer.committed"),
    everywhere("input_audio_buffer.cleared"),
    {"input_audio_buffer.timeout_triggered", "", ""},
    {"conversation.item.added", "conversation.item.created", "conversation.item.added"},
    but_beta("conversation.item.done"),
    but_beta("conversation.item.retrieved"),
    everywhere("conversation.item.deleted"),
    everywhere("conversation.item.truncated"),
    {"conversation.item.input_audio_transcription.delta", "", ""},
    everywhere("conversation.item.input_audio_transcription.completed"),
    {"conversation.item.input_audio_transcription.failed", "conversation.item.input_audio_transcription.failed", ""},
    everywhere("response.created"),
    everywhere("response.done"),
    everywhere("response.output_item.added"),
    everywhere("response.output_item.done"),
    everywhere("response.content_part.added"),
    everywhere("response.content_part.done"),
    {"response.output_text.delta", "response.text.delta", "response.output_text.delta"},
    {"response.output_text.done", "response.text.done", "response.output_text.done"},
    {"response.output_audio_transcript.delta", "response.audio_transcript.delta",
     "response.output_audio_transcript.delta"},
    {"response.output_audio_transcript.done", "response.audio_transcript.done",
     "response.output_audio_transcript.done"},
    {"response.output_audio.delta", "response.audio.delta", "response.output_audio.delta"},
    {"response.output_audio.done", "response.audio.done", "response.output_audio.done"},
    everywhere("response.function_call_arguments.delta"),
    everywhere("response.function_call_arguments.done"),
    but_beta("playback.acknowledged"),
    everywhere("rate_limits.updated"),
    duplex_only("session.resumed"),
    duplex_only("session.replaced"),
    duplex_only("session.resync_required"),
    duplex_only("session.heartbeat_ack"),
    duplex_only("conversation.item.created"),
    duplex_only("response.speak"),
    duplex_only("response.listen"),
    duplex_only("overlap.decision"),
    duplex_only("turn.event"),
    duplex_only("output_audio_buffer.cleared"),
    duplex_only("duplex.function_call.done"),
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

std::string_view type_name(const event_body& body) noexcept {
  const spelling& known = spelling_of(body);
  return known.ga.empty() ? known.duplex : known.ga;
}

bool is_journaled(const event_body& body) noexcept {
  if (const auto* error = std::get_if<error_event>(&body)) return !error->of_transport;
  return !std::holds_alternative<session_created>(body) && !std::holds_alternative<session_resumed>(body) &&
         !std::holds_alternative<session_replaced>(body) && !std::holds_alternative<resync_required>(body);
}

}  // namespace parley::protocol
