#include "runtime/response.hpp"

#include "protocol/base64.hpp"
#include "runtime/prompt_window.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// A delta is at most this long: a WebSocket message cannot be cut once begun, so this bounds what an interruption
// leaves.
constexpr std::int64_t longest_delta_ms = 200;
// ... and not shorter than this unless speech ends: clients pay per event.
constexpr std::int64_t shortest_delta_ms = 20;

// History is for all of a conversation: one answer gets no more than this part of the audio it may hold.
constexpr std::size_t answers_in_history = 4;

std::int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

content_part empty_part(output_modality modality) {
  content_part part;
  part.type = modality == output_modality::audio ? part_type::output_audio : part_type::output_text;
  if (modality == output_modality::audio) part.transcript = "";
  return part;
}

wire_error backpressure() {
  return {.kind = error_class::rate_limit_error,
          .code = errc::output_backpressure,
          .message = "The output was not taken fast enough."};
}

}  // namespace

response_settings effective(const session_settings& session, const response_options& overrides) {
  response_settings made{.instructions = overrides.instructions.value_or(session.instructions),
                         .modality = overrides.modality.value_or(session.modality),
                         .output_format = overrides.output_format.value_or(session.output_format),
                         .voice = overrides.voice.value_or(session.voice),
                         .speed = session.speed,
                         .temperature = overrides.temperature.value_or(session.temperature),
                         .max_output_tokens = overrides.max_output_tokens.value_or(session.max_output_tokens),
                         .tools = overrides.tools.value_or(session.tools),
                         .choice = overrides.choice.value_or(session.choice),
                         .reasoning_effort = overrides.reasoning_effort.value_or(session.reasoning_effort),
                         .parallel_tool_calls = overrides.parallel_tool_calls ? overrides.parallel_tool_calls
                                                                              : session.parallel_tool_calls,
                         .prompt = overrides.prompt.value_or(session.prompt),
                         .metadata = overrides.metadata,
                         .out_of_band = overrides.out_of_band};
  // The session's choice has no meaning among other tools.
  if (!overrides.choice && !chosen_tool_exists(made)) made.choice = {};
  return made;
}

bool chosen_tool_exists(const response_settings& settings) {
  if (settings.choice.mode != tool_choice_mode::function) return true;
  return std::any_of(settings.tools.begin(), settings.tools.end(),
                     [&](const tool& each) { return each.name == settings.choice.function; });
}

// ---- opening ----------------------------------------------------------------------------------------------------

void response::open(session_context& context) {
  if (std::exchange(opened_, true)) return;
  response_view shown = view(context);
  if (!settings_.out_of_band) shown.conversation = context.conversation_name;
  context.emit(response_created{std::move(shown)}, id_);
}

std::size_t response::open_output(session_context& context, item value) {
  open(context);
  const std::size_t index = outputs_.size();
  value.id = context.ids.item();
  if (context.is_duplex()) value.id.value = "item_" + id_.value + (index > 0 ? "_" + std::to_string(index) : "");
  value.status = item_status::in_progress;
  outputs_.push_back({std::move(value)});
  announce_output(context, index);
  return index;
}

void response::announce_output(session_context& context, std::size_t index) {
  const item& value = outputs_[index].value;
  if (context.is_duplex()) context.add_item(value, id_);
  context.emit(output_item_added{id_, static_cast<int>(index), value}, id_);
  if (!context.is_duplex() && !settings_.out_of_band) context.add_item(value, id_);
}

void response::open_message(session_context& context) {
  if (message_) return;
  message_ = open_output(context, item{.role = item_role::assistant});
  outputs_[*message_].value.content.push_back(empty_part(settings_.modality));
  if (settings_.modality == output_modality::audio && !settings_.out_of_band) {
    context.forget_spoken_of_gone_items();
    context.spoken.emplace(outputs_[*message_].value.id,
                           runtime::spoken_item{id_, playback_track{settings_.output_format.rate_hz}});
  }
  context.emit(content_part_added{part(*message_), empty_part(settings_.modality)}, id_);
  if (context.is_duplex() && settings_.modality == output_modality::audio) {
    context.emit(response_speak{part(*message_), context.options.id, epoch_}, id_);
  }
}

// A model that never stops is stopped here: the response ends as if it had asked for no more tokens than this.
bool response::within_bounds(session_context& context, std::size_t samples, std::size_t text_bytes) {
  made_samples_ += static_cast<std::int64_t>(samples);
  made_text_bytes_ += text_bytes;
  const session_limits& limits = context.options.limits;
  if (samples_to_ms(made_samples_, settings_.output_format.rate_hz) <= limits.response_audio_ms &&
      made_text_bytes_ <= limits.response_text_bytes) {
    return true;
  }
  outcome_ = outcome{.status = response_status::incomplete, .reason = status_reason::max_output_tokens};
  context.act(call_cancel{id_});
  release(context);
  return false;
}

// ---- output of the model ----------------------------------------------------------------------------------------

void response::accept(session_context& context, model_text text) {
  if (!takes_output() || text.text.empty()) return;
  if (settings_.modality == output_modality::audio) {
    accept(context, model_speech{.transcript = std::move(text.text)});
    return;
  }
  if (!within_bounds(context, 0, text.text.size())) return;
  open_message(context);
  outputs_[*message_].value.content.front().text += text.text;
  context.emit(text_delta{part(*message_), std::move(text.text)}, id_);
}

void response::accept(session_context& context, const model_message_begun&) {
  if (takes_output()) open_message(context);
}

void response::accept(session_context& context, model_speech speech) {
  if (!takes_output()) return;
  if (settings_.modality == output_modality::text) {
    accept(context, model_text{.text = std::move(speech.transcript)});
    return;
  }
  if (!within_bounds(context, speech.samples.size(), speech.transcript.size())) return;
  if (speech.samples.empty() && speech.transcript.empty()) return;
  open_message(context);  // also when its sound has to wait: what comes next stands behind it
  outbox_.push(std::move(speech.samples), std::move(speech.transcript));
  release(context);
}

void response::accept(session_context& context, model_tool_call call) {
  if (!takes_output() || !within_bounds(context, 0, call.arguments_delta.size())) return;
  if (context.is_duplex() && (call.name.empty() || call.call.empty())) {
    const bool known = std::any_of(outputs_.begin(), outputs_.end(), [&](const output& one) {
      return !call.call.empty() && one.value.call == call.call;
    });
    if (!known) return context.emit(nameless_call_done{call.call, call.name, call.arguments_delta}, id_);
  }
  holds_call_ = true;
  auto known = std::find_if(outputs_.begin(), outputs_.end(), [&](const output& one) {
    return !one.done && one.value.type == item_type::function_call && one.value.call == call.call;
  });
  if (known == outputs_.end()) {
    const std::size_t opened =
        open_output(context, item{.type = item_type::function_call, .name = call.name, .call = call.call});
    known = outputs_.begin() + static_cast<std::ptrdiff_t>(opened);
  }
  const auto index = static_cast<std::size_t>(known - outputs_.begin());
  std::string& arguments = known->value.arguments;
  if (!call.arguments_delta.empty()) {
    arguments += call.arguments_delta;
    context.emit(arguments_delta{part(index), call.call, std::move(call.arguments_delta)}, id_);
  }
  if (!call.last) return;
  known->value.status = item_status::completed;
  end_call(context, index);
  finish(context, index);
}

void response::accept(session_context& context, const model_done& done) {
  if (!takes_output()) return;
  usage_ = done.usage;
  outcome_ = outcome{};
  if (done.reason != finish_reason::stop) {
    const bool length = done.reason == finish_reason::max_output_tokens;
    outcome_ = outcome{.status = response_status::incomplete,
                       .reason = length ? status_reason::max_output_tokens : status_reason::content_filter};
  }
  release(context);
}

void response::accept(session_context& context, const model_failed& failed) {
  if (!takes_output()) return;
  outcome_ = outcome{
      .status = response_status::failed,
      .failure = wire_error{.kind = error_class::server_error, .code = errc::model_failed, .message = failed.message}};
  release(context);
}

// ---- pacing -----------------------------------------------------------------------------------------------------

// A tool must not wait for speech: clients run it on response.done.
bool response::unpaced(const session_context& context) const noexcept {
  return context.options.pace_ahead == duration::zero() || (outcome_ && holds_call_);
}

bool response::counts_unsent(const session_context& context) const noexcept {
  return context.options.capabilities.can_wait && context.options.limits.unsent_audio_bytes > 0;
}

bool response::is_held_up(const session_context& context) const noexcept {
  if (!counts_unsent(context)) return false;
  const session_limits& limits = context.options.limits;
  const auto bytes = static_cast<std::size_t>(unsent_samples_) * bytes_per_sample(settings_.output_format.encoding);
  return base64_encoded_size(bytes) >= limits.unsent_audio_bytes || unsent_events_ >= limits.unsent_audio_events;
}

void response::release(session_context& context) {
  if (over_) return;
  const int rate_hz = settings_.output_format.rate_hz;
  const auto longest = static_cast<std::size_t>(ms_to_samples(longest_delta_ms, rate_hz));
  const auto shortest = static_cast<std::size_t>(ms_to_samples(shortest_delta_ms, rate_hz));
  const duration ahead = context.options.pace_ahead;
  starved_ = held_up_ = false;
  while (!outbox_.empty()) {
    if (!unpaced(context) && clock(context).next_start(context.now) - context.now > ahead) break;
    held_up_ = is_held_up(context);
    unsent_low_ = unsent_events_ / 2;
    if (held_up_) break;
    auto chunk = outbox_.take(longest, shortest, outcome_.has_value());
    starved_ = !chunk;
    if (!chunk) break;
    say(context, std::move(*chunk));
  }
  regulate(context);
  if (over_ || !outcome_ || !outbox_.empty()) return;
  held_up_ = counts_unsent(context) && unsent_events_ > 0;
  unsent_low_ = 0;
  if (!held_up_) end(context);
}

// Half of it at a time: not every receipt wakes the session.
void response::sent(std::int64_t samples) noexcept {
  unsent_samples_ -= std::min(unsent_samples_, samples);
  unsent_events_ -= std::min<std::size_t>(unsent_events_, 1);
  held_up_ = held_up_ && unsent_events_ > unsent_low_;
}

void response::say(session_context& context, outbox::chunk chunk) {
  open_message(context);
  characters_ += count_characters(chunk.transcript);
  if (!chunk.transcript.empty()) {
    *outputs_[*message_].value.content.front().transcript += chunk.transcript;
  }
  const auto samples = static_cast<std::int64_t>(chunk.samples.size());
  const time_point start =
      clock(context).schedule(context.now, samples_to_time(samples, settings_.output_format.rate_hz));
  if (const auto one = context.spoken.find(outputs_[*message_].value.id); one != context.spoken.end()) {
    one->second.track.released(start, samples, characters_, chunk.words_last);
  }
  if (samples > 0) send_audio(context, chunk);
  if (!chunk.transcript.empty() || context.is_duplex()) {
    context.emit(transcript_delta{part(*message_), std::move(chunk.transcript)}, id_);
  }
}

void response::send_audio(session_context& context, outbox::chunk& chunk) {
  const std::int64_t first = audio_samples_;
  const int rate_hz = settings_.output_format.rate_hz;
  audio_samples_ += static_cast<std::int64_t>(chunk.samples.size());
  unsent_samples_ += static_cast<std::int64_t>(chunk.samples.size());
  ++unsent_events_;
  context.has_spoken = true;
  if (!settings_.out_of_band && !context.is_duplex()) keep_audio(context, chunk.samples);
  audio_delta delta{.at = part(*message_),
                    .epoch = epoch_,
                    .format = settings_.output_format,
                    .samples = std::move(chunk.samples),
                    .first_sample = first};
  if (context.is_duplex()) {
    delta.facts = delta_facts{.session = context.options.id,
                              .end_of_turn = outcome_ && outbox_.empty(),
                              .audio_duration_ms = samples_to_ms(audio_samples_, rate_hz),
                              .playback = counters(context, audio_samples_)};
    if (const spoken_item* const one = spoken(context)) {
      const auto mark = one->track.last_mark();
      delta.facts->marks.push_back({mark.characters, samples_to_ms(std::min(mark.samples, audio_samples_), rate_hz)});
    }
  }
  context.emit(std::move(delta), id_);
}

void response::keep_audio(const session_context& context, const std::vector<std::int16_t>& samples) {
  const std::size_t bytes = (kept_audio_.size() + samples.size()) * sizeof(std::int16_t);
  keeps_audio_ = keeps_audio_ && bytes <= context.options.limits.history_audio_bytes / answers_in_history;
  if (keeps_audio_) {
    kept_audio_.insert(kept_audio_.end(), samples.begin(), samples.end());
  } else {
    kept_audio_ = {};
  }
}

// Flow control towards the model: between the marks it waits; one that goes on has a hard bound.
void response::regulate(session_context& context) {
  const session_limits& limits = context.options.limits;
  const std::int64_t waiting_ms = samples_to_ms(outbox_.waiting_samples(), settings_.output_format.rate_hz);
  if (waiting_ms > limits.outbox_max_audio_ms) return fail(context, backpressure());
  if (!context.options.capabilities.can_wait || outcome_) return;
  const bool above_high =
      waiting_ms > limits.outbox_high_audio_ms || outbox_.waiting_bytes() > limits.outbox_high_bytes;
  const bool below_low =
      waiting_ms <= limits.outbox_high_audio_ms / 2 && outbox_.waiting_bytes() <= limits.outbox_high_bytes / 2;
  const bool wait = above_high || (model_waits_ && !below_low);
  if (wait == model_waits_) return;
  model_waits_ = wait;
  context.act(call_throttle{id_, wait});
}

// ---- endings ----------------------------------------------------------------------------------------------------

void response::stop(session_context& context) {
  outbox_.clear();
  if (spoken_item* const one = spoken(context)) one->track.drop_rest();
  context.act(invalidate{id_, epoch_});
  context.act(call_cancel{id_});
  clock(context).drop(context.now);
}

void response::cancel(session_context& context, status_reason reason) {
  if (over_) return;
  stop(context);
  outcome_ = outcome{.status = response_status::cancelled, .reason = reason};
  end(context);
}

void response::fail(session_context& context, wire_error error) {
  if (over_) return;
  stop(context);
  outcome_ = outcome{.status = response_status::failed, .failure = std::move(error)};
  end(context);
}

void response::complete_empty(session_context& context) {
  if (!takes_output()) return;
  outcome_ = outcome{};
  end(context);
}

void response::drop(session_context& context) {
  if (over_) return;
  stop(context);
  over_ = true;
}

// duplex: a turn of the model without sound and words is a decision to listen.
void response::end_quietly(session_context& context) {
  response_listen decided{.session = context.options.id, .epoch = context.epoch};
  if (opened_) decided.listened = id_;
  outcome_->reason = status_reason::model_listen;
  context.emit(std::move(decided), id_);
}

void response::note_spoken_end(session_context& context) {
  const bool completed = outcome_->status == response_status::completed;
  for (auto& [id, one] : context.spoken) {
    if (one.response != id_) continue;
    one.over = true;
    one.cancelled = outcome_->status == response_status::cancelled;
    if (!completed) one.track.seal();
  }
  if (completed && begun()) ++context.turn_id;
}

void response::end(session_context& context) {
  if (context.is_duplex()) {
    const bool quiet = outcome_->status == response_status::completed && !begun();
    if (quiet) end_quietly(context);
    if (quiet && !opened_) {
      over_ = true;
      return;
    }
    open(context);  // it failed before it began: that must be seen
    note_spoken_end(context);
  }
  for (std::size_t index = 0; index < outputs_.size(); ++index)
    if (!outputs_[index].done) end_output(context, index);
  over_ = true;
  response_view shown = view(context);
  if (!settings_.out_of_band) shown.conversation = context.conversation_name;
  context.emit(response_done{std::move(shown)}, id_);
  if (context.is_duplex() && spoken(context)) context.emit(rate_limits_updated{});
}

void response::end_output(session_context& context, std::size_t index) {
  const bool completed = outcome_->status == response_status::completed;
  outputs_[index].value.status = completed ? item_status::completed : item_status::incomplete;
  if (message_ == index) {
    end_part(context, index);
  } else {
    end_call(context, index);
  }
  finish(context, index);
}

void response::end_part(session_context& context, std::size_t index) {
  const content_part& content = outputs_[index].value.content.front();
  if (content.type == part_type::output_audio) {
    context.emit(audio_done{part(index)}, id_);
    const std::string said = content.transcript.value_or("");
    if (!said.empty() || !context.is_duplex()) context.emit(transcript_done{part(index), said}, id_);
  } else {
    context.emit(text_done{part(index), content.text}, id_);
  }
  context.emit(content_part_done{part(index), content}, id_);
}

// Also when the call was cut off: what was opened is closed, the status tells that it is no call to make.
void response::end_call(session_context& context, std::size_t index) {
  item& call = outputs_[index].value;
  if (call.arguments.empty() && call.status == item_status::completed) {
    call.arguments = "{}";  // clients parse what a complete call holds
    context.emit(arguments_delta{part(index), call.call, call.arguments}, id_);
  }
  context.emit(arguments_done{part(index), call.call, call.name, call.arguments}, id_);
}

void response::finish(session_context& context, std::size_t index) {
  output& one = outputs_[index];
  one.done = true;
  if (message_ == index) one.value.content.front().audio = audio_so_far();
  spoken_item* const heard = message_ == index ? spoken(context) : nullptr;
  if (heard) heard->track.complete();
  if (heard && context.is_duplex() && heard->track.lost_its_rest()) {
    std::optional<std::string>& said = one.value.content.front().transcript;
    said = heard->track.heard_text(said.value_or(""), context.settings->playback, context.now);
  }
  if (context.is_duplex()) context.emit(output_item_done{id_, static_cast<int>(index), one.value}, id_);
  if (!settings_.out_of_band) {
    context.items.replace(one.value);
    context.finish_item(one.value.id, id_);
  }
  if (!context.is_duplex()) context.emit(output_item_done{id_, static_cast<int>(index), one.value}, id_);
}

}  // namespace parley::runtime
