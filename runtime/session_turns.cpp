// Who speaks when: committed turns, answers that start, wait, are interrupted and end.
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

// ---- the user's turns -------------------------------------------------------------------------------------------

void session::impl::speech_began() {
  if (context.settings->detection->interrupt_response) interrupt(status_reason::turn_detected);
}

void session::impl::turn_committed(const item_id& item, double seconds, bool detected) {
  const auto& detection = context.settings->detection;
  pending.push_back({item, seconds, detected && detection && detection->create_response});
  if (!context.options.capabilities.takes_audio) take(turn_ready{item, std::nullopt});
}

void session::impl::take(turn_partial partial) {
  if (!context.settings->transcription || !context.items.find(partial.item)) return;
  context.emit(transcription_delta{.item = std::move(partial.item), .delta = std::move(partial.delta)});
}

bool session::impl::is_pending(const item_id& id) const {
  return std::any_of(pending.begin(), pending.end(), [&](const auto& one) { return one.item == id; });
}

// One final answer a turn: what a model says of a turn that is settled, or that nobody took, is dropped.
void session::impl::take(turn_ready ready) {
  if (!is_pending(ready.item)) return;
  if (ready.transcript) set_transcript(ready.item, *std::move(ready.transcript));
  turn_resolved(ready.item, false);
}

void session::impl::take(const turn_blank& blank) {
  if (!is_pending(blank.item)) return;
  set_transcript(blank.item, "");
  turn_resolved(blank.item, true);
}

void session::impl::take(turn_failed failed) {
  if (!is_pending(failed.item)) return;
  if (context.settings->transcription && context.items.find(failed.item)) {
    context.emit(transcription_failed{
        .item = failed.item,
        .error = {
            .kind = error_class::server_error, .code = errc::model_failed, .message = std::move(failed.message)}});
  }
  turn_resolved(failed.item, true);  // nothing was understood: no answer is made up from it (C17)
}

void session::impl::set_transcript(const item_id& id, std::string transcript) {
  const auto known = context.items.find(id);
  if (!known || known->content.empty()) return;
  item changed = *known;
  for (content_part& part : changed.content)
    if (part.type == part_type::input_audio) part.transcript = transcript;
  context.items.replace(std::move(changed));
  if (!context.settings->transcription) return;
  const auto turn = std::find_if(pending.begin(), pending.end(), [&](const auto& one) { return one.item == id; });
  context.emit(transcription_completed{
      .item = id, .transcript = std::move(transcript), .audio_seconds = turn == pending.end() ? 0 : turn->seconds});
}

void session::impl::turn_resolved(const item_id& id, bool blank) {
  const auto turn = std::find_if(pending.begin(), pending.end(), [&](const auto& one) { return one.item == id; });
  if (turn == pending.end()) return;
  // An answer that waits for its prompt answers this turn as well.
  const bool covered = active_waits && active && !active->over() && !active_options.input;
  if (turn->answered && !blank && !covered) answer_owed = true;
  if (!blank) active_has_words = true;
  pending.erase(turn);
  ask_when_heard();
}

// ---- answers ----------------------------------------------------------------------------------------------------

bool session::impl::may_answer() const { return !active && !input.speaking() && !draining; }

// Nothing is going on that a drain would cut off. An answer that is owed does not count: it may not begin any more.
bool session::impl::idle() const { return !active && out_of_band.empty() && pending.empty() && !input.speaking(); }

response* session::impl::find_response(const response_id& id) {
  if (active && active->id() == id && !active->over()) return &*active;
  const auto found = std::find_if(out_of_band.begin(), out_of_band.end(),
                                  [&](const response& one) { return one.id() == id && !one.over(); });
  return found == out_of_band.end() ? nullptr : &*found;
}

void session::impl::handle(const response_create& create) {
  const response_options& options = create.options;
  if (draining) {
    return context.refuse(
        {.kind = error_class::server_error, .code = errc::server_shutdown, .message = "The server is shutting down."});
  }
  if (!options.out_of_band && active) {
    return context.refuse({.code = errc::conversation_already_has_active_response,
                           .message = "Conversation already has an active response: " + active->id().value + "."});
  }
  if (options.out_of_band &&
      out_of_band.size() >= static_cast<std::size_t>(context.options.limits.out_of_band_responses)) {
    return context.refuse({.kind = error_class::rate_limit_error,
                           .code = errc::too_many_responses,
                           .message = "Too many out-of-band responses at once."});
  }
  if (usable_input(options)) start_response(options);
}

void session::impl::start_response(const response_options& options) {
  response next{context.ids.response(), context.epoch, effective(*context.settings, options)};
  next.open(context);
  if (options.out_of_band) {
    ask_model(out_of_band.emplace_back(std::move(next)), options);
    return;
  }
  const bool asks_for_turn = !pending.empty() && context.items.last() == pending.back().item;
  active_has_words = std::exchange(answer_owed, false) || !asks_for_turn || options.input;
  active.emplace(std::move(next));
  active_options = options;
  active_waits = true;
  if (pending.empty()) {
    active_waits = false;
    ask_model(*active, options);
  }
}

// The prompt needs the words of every committed turn: an answer asked for earlier is open, but waits for them.
void session::impl::ask_when_heard() {
  if (!active_waits || !pending.empty() || !active || active->over()) return;
  active_waits = false;
  if (!active_has_words) return active->complete_empty(context);  // blank turns alone are no question
  ask_model(*active, active_options);
}

void session::impl::ask_model(const response& one, const response_options& options) {
  const response_settings& settings = one.settings();
  context.act(call_respond{{.id = one.id(),
                            .epoch = one.epoch(),
                            .instructions = settings.instructions,
                            .prompt = prompt(options),
                            .tools = settings.tools,
                            .choice = settings.choice,
                            .modality = settings.modality,
                            .voice = settings.voice,
                            .speed = settings.speed,
                            .temperature = settings.temperature,
                            .output_rate_hz = settings.output_format.rate_hz,
                            .max_output_tokens = settings.max_output_tokens}});
}

void session::impl::handle(const response_cancel& cancel) {
  response* const one = cancel.id ? find_response(*cancel.id) : active && !active->over() ? &*active : nullptr;
  if (!one) {
    return context.refuse(
        {.code = errc::response_cancel_not_active, .message = "Cancellation failed: no active response found"});
  }
  if (active && one == &*active) return interrupt(status_reason::client_cancelled);
  one->cancel(context, status_reason::client_cancelled);
}

// The fence of the conversation: its answer ends now, and what was not heard by now never will be.
void session::impl::interrupt(status_reason reason) {
  const bool still_playing = context.clock.end() > context.now;
  if (!active && !still_playing) return;
  for (auto& [id, one] : context.spoken) {
    if (one.track.playing(context.now) || (active && one.response == active->id())) one.track.freeze(context.now);
  }
  context.clock.drop(context.now);
  if (!active || active->over()) return;
  active->cancel(context, reason);
  ++context.epoch.value;
}

void session::impl::release_due() {
  if (active) active->release(context);
  for (response& one : out_of_band) one.release(context);
}

// ---- the model's output -----------------------------------------------------------------------------------------

template <class Output>
void session::impl::take(Output output) {
  response* const one = find_response(output.response);
  if (!one || one->epoch() != output.epoch) return;  // stale: of an answer that has ended
  one->accept(context, std::move(output));
}

template void session::impl::take(model_text);
template void session::impl::take(model_speech);
template void session::impl::take(model_tool_call);
template void session::impl::take(model_done);
template void session::impl::take(model_failed);

void session::impl::take(const model_speak&) { answer_owed = true; }

void session::impl::take(const model_closed& lost) {
  wire_error error{.kind = error_class::server_error, .code = errc::model_failed, .message = lost.message};
  if (active) active->fail(context, error);
  for (response& one : out_of_band) one.fail(context, error);
  context.refuse(std::move(error));
  end(close_reason::model_lost);
}

}  // namespace parley::runtime
