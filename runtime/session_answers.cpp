// The model's answers: which may begin, when the model is asked, and how they are interrupted.
#include "runtime/prompt_text.hpp"
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

wire_error rate_limited() {
  return {.kind = error_class::rate_limit_error,
          .code = errc::rate_limit_exceeded,
          .message = "The rate limit of this session is reached: try again later."};
}

}  // namespace

bool session::impl::user_speaks() const { return duplex ? duplex->input.speaking() : input.speaking(); }

bool session::impl::may_answer() const { return !active && !user_speaks() && !draining; }

// Nothing is going on that a drain would cut off. An answer that is owed does not count: it may not begin any more.
bool session::impl::idle() const {
  if (active || !out_of_band.empty() || !pending.empty() || user_speaks()) return false;
  return !duplex || (!working() && duplex->input.deferred() == 0);
}

response* session::impl::find_response(const response_id& id) {
  if (active && active->id() == id && !active->over()) return &*active;
  const auto found = std::find_if(out_of_band.begin(), out_of_band.end(),
                                  [&](const response& one) { return one.id() == id && !one.over(); });
  return found == out_of_band.end() ? nullptr : &*found;
}

// Whether the session is in a state to begin it; refuses it otherwise.
bool session::impl::accept_response(const response_options& options) {
  const auto refused = [&](wire_error error) {
    context.refuse(std::move(error));
    return false;
  };
  if (context.settings->kind == session_kind::transcription) {
    return refused(
        {.code = errc::unsupported_in_transcription_session, .message = "A transcription session gives no responses."});
  }
  if (draining) {
    return refused(
        {.kind = error_class::server_error, .code = errc::server_shutdown, .message = "The server is shutting down."});
  }
  if (!options.out_of_band && active) {
    return refused({.code = errc::conversation_already_has_active_response,
                    .message = "Conversation already has an active response: " + active->id().value + "."});
  }
  if (options.out_of_band &&
      out_of_band.size() >= static_cast<std::size_t>(context.options.limits.out_of_band_responses)) {
    return refused({.kind = error_class::rate_limit_error,
                    .code = errc::too_many_responses,
                    .message = "Too many out-of-band responses at once."});
  }
  if (options.choice && !chosen_tool_exists(effective(*context.settings, options))) {
    return refused({.code = errc::invalid_value,
                    .message = "'tool_choice' names a function that is not among the tools.",
                    .param = "response.tool_choice.name"});
  }
  if (options.prompt && *options.prompt) {
    auto error = unknown_prompt(context.options.prompts.get(), **options.prompt, "response");
    if (error) return refused(*std::move(error));
  }
  return true;
}

void session::impl::handle(const response_create& create) {
  response_options options = create.options;
  if (!accept_response(options) || !usable_input(options)) return;
  if (!limiter.admit(context.now)) return context.refuse(rate_limited());
  start_response(options);
}

// For an answer that nobody asked for by name. One that the limits forbid fails where everybody sees it.
bool session::impl::admit_answer() {
  if (limiter.admit(context.now)) return true;
  active.emplace(context.ids.response(), context.epoch, effective(*context.settings, {}));
  active->open(context);
  active->fail(context, rate_limited());
  return false;
}

// The answer to turns that nobody asked for by name.
void session::impl::answer_turns() {
  answer_owed = true;  // start_response takes it for words
  if (admit_answer()) return start_response({});
  answer_owed = false;
}

void session::impl::start_response(const response_options& options) {
  response next{context.ids.response(), context.epoch, effective(*context.settings, options)};
  next.open(context);
  if (auto limits = limiter.state(context.now); !limits.empty()) context.emit(rate_limits_updated{std::move(limits)});
  question asked{next.id(), options, true};
  for (const auto& given : options.input.value_or(std::vector<response_options::input_item>{})) {
    if (given.reference || !context.options.capabilities.takes_audio) continue;
    if (const double seconds = hear_item(given.value); seconds > 0) {
      await_turn({given.value.id, seconds, answer::never, next.id()});
      context.act(call_end_turn{{given.value.id, std::nullopt}});
    }
  }
  if (options.out_of_band) {
    out_of_band.push_back(std::move(next));
  } else {
    const bool asks_for_turn = !pending.empty() && context.items.last() == pending.back().item;
    asked.has_words = std::exchange(answer_owed, false) || !asks_for_turn || options.input;
    quiet_since.reset();
    active.emplace(std::move(next));
  }
  unasked.push_back(std::move(asked));
  ask_when_heard();
}

// The prompt needs the words of every committed turn, or of every sound in an input of its own.
bool session::impl::is_heard(const question& one) const {
  return std::none_of(pending.begin(), pending.end(), [&](const pending_turn& turn) {
    return one.options.input ? turn.input_of == one.id : !turn.input_of;
  });
}

void session::impl::ask_when_heard() {
  std::vector<question> heard;
  for (question& one : unasked)
    if (is_heard(one)) heard.push_back(one);
  std::erase_if(unasked, [&](const question& one) { return is_heard(one); });
  for (const question& one : heard) {
    response* const open = find_response(one.id);
    if (!open) continue;
    if (!one.has_words) {
      open->complete_empty(context);  // blank turns alone are no question
    } else {
      ask_model(*open, one.options);
    }
  }
}

void session::impl::ask_model(response& one, const response_options& options) {
  const response_settings& settings = one.settings();
  std::string instructions = whole_instructions(context.options.prompts.get(), settings.prompt, settings.instructions);
  prompt_window window = prompt(options);
  if (window.too_long) {
    return one.fail(context, {.code = errc::context_length_exceeded,
                              .message = "The conversation is longer than the model takes, and truncation is off."});
  }
  one.expect_input(instructions, window.items);
  context.act(call_respond{{.id = one.id(),
                            .epoch = one.epoch(),
                            .instructions = std::move(instructions),
                            .prompt = std::move(window.items),
                            .tools = settings.tools,
                            .choice = settings.choice,
                            .modality = settings.modality,
                            .voice = settings.voice,
                            .speed = settings.speed,
                            .temperature = settings.temperature,
                            .output_rate_hz = settings.output_format.rate_hz,
                            .max_output_tokens = settings.max_output_tokens,
                            .reasoning_effort = settings.reasoning_effort,
                            .parallel_tool_calls = settings.parallel_tool_calls}});
}

void session::impl::handle(const response_cancel& cancel) {
  response* const one = cancel.id ? find_response(*cancel.id) : active && !active->over() ? &*active : nullptr;
  if (!one) {
    return context.refuse(
        {.code = errc::response_cancel_not_active, .message = "Cancellation failed: no active response found"});
  }
  if (active && one == &*active) return void(interrupt(status_reason::client_cancelled));
  one->cancel(context, status_reason::client_cancelled);
}

// The fence of the conversation: its answer ends now, and what was not heard by now never will be.
bool session::impl::interrupt(status_reason reason) {
  if (duplex) {
    const bool cuts = answering();
    if (cuts) cut_in(reason);
    return cuts;
  }
  const bool still_playing = context.clock.end() > context.now;
  if (!active && !still_playing) return false;
  for (auto& [id, one] : context.spoken) {
    if (one.track.playing(context.now) || (active && one.response == active->id())) one.track.freeze(context.now);
  }
  context.clock.drop(context.now);
  if (!active || active->over()) return still_playing;
  active->cancel(context, reason);
  ++context.epoch.value;
  return true;
}

void session::impl::let_go_finished() {
  out_of_band.remove_if([&](const response& one) {
    if (one.over()) limiter.spend_tokens(one.tokens(), context.now);
    return one.over();
  });
  forget_unasked();
  if (!active || !active->over()) return;
  limiter.spend_tokens(active->tokens(), context.now);
  if (duplex) after_answer(*active);
  active.reset();
  quiet_since = context.clock.next_start(context.now);
}

// The model is not asked for an answer that has ended, nor are the turns of its own input heard any longer.
void session::impl::forget_unasked() {
  std::erase_if(unasked, [&](const question& one) { return !find_response(one.id); });
  std::erase_if(pending, [&](const pending_turn& turn) {
    const bool gone = turn.input_of && !find_response(*turn.input_of);
    if (gone) context.act(call_drop_turn{turn.item});
    return gone;
  });
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
template void session::impl::take(model_message_begun);
template void session::impl::take(model_speech);
template void session::impl::take(model_tool_call);
template void session::impl::take(model_done);
template void session::impl::take(model_failed);

void session::impl::take(const model_closed& lost) {
  wire_error error{.kind = error_class::server_error, .code = errc::model_failed, .message = lost.message};
  if (duplex) {
    error.code = errc::runtime_data_plane_stream_failed;
    context.refuse(error);
    if (has_open_answer()) active->fail(context, std::move(error));
    return end(close_reason::model_lost);
  }
  if (active) active->fail(context, error);
  for (response& one : out_of_band) one.fail(context, error);
  context.refuse(std::move(error));
  end(close_reason::model_lost);
}

}  // namespace parley::runtime
