// The units of a model-native conversation: when the next may go to the model, and what its decision on one does.
#include "runtime/session_impl.hpp"

#include <utility>

namespace parley::runtime {

using namespace protocol;

// In a session that answers only when asked, speech over an answer waits for its end.
bool session::impl::units_held() const { return !duplex->input.answers_itself() && answering() && !duplex->undecided; }

bool session::impl::units_block() const {
  if (!duplex->input.native()) return false;
  const unit_feed& units = duplex->input.units();
  return units.in_flight() || (units.ready() && !units_held());
}

bool session::impl::must_wait() const { return !duplex->waiting.empty() || units_block(); }

void session::impl::pump_units() {
  if (!duplex->input.native() || units_held()) return;
  unit_feed& units = duplex->input.units();
  auto unit = units.next(context.now);
  if (!unit) return;
  const auto forced = static_cast<std::uint64_t>(context.settings->duplex.force_listen_count);
  unit->force_listen = unit->force_listen || unit->number <= forced;
  context.act(call_hear_unit{*std::move(unit)});
}

// One second of the input at a time to the model, in a dialect that has no word for its decisions.
void session::impl::stream(std::span<const std::int16_t> samples, bool ends_turn) {
  if (!native_feed) return;
  if (!samples.empty()) native_feed->push(samples, {}, {.may_answer = true});
  if (ends_turn) native_feed->close({.may_answer = true});
  // Nobody is told how far behind the model is: what is too old to be answered goes.
  const session_limits& limits = context.options.limits;
  if (native_feed->cost_bytes() > limits.pending_input_bytes || native_feed->entries() > limits.waiting_inputs) {
    native_feed->clear();
  }
  if (auto unit = native_feed->next(context.now)) context.act(call_hear_unit{*std::move(unit)});
}

void session::impl::take(const model_listen& listen) { decided(listen.unit, false); }

void session::impl::take(const model_speak& speak) { decided(speak.unit, true); }

void session::impl::take(const model_unit_failed& failed) {
  if (!duplex) {
    if (native_feed) static_cast<void>(native_feed->settle(failed.unit));
    return stream({}, false);
  }
  if (const auto purpose = duplex->input.units().settle(failed.unit)) unit_failed(*purpose, failed.message);
  run_waiting();
}

void session::impl::decided(std::uint64_t unit, bool speaks) {
  if (!duplex) {
    if (native_feed) static_cast<void>(native_feed->settle(unit));
    answer_owed = answer_owed || (speaks && !answering());
    return stream({}, false);
  }
  if (unit == 0) return speaks ? speak_up({}) : yield_floor();
  if (const auto purpose = duplex->input.units().settle(unit)) {
    if (purpose->answer) duplex->undecided.reset();
    // The answer that is going on is none to this commit: its client waits for what the model makes of it.
    duplex->owes_listen = duplex->owes_listen || (purpose->ends_turn && !purpose->answer && answering());
    if (speaks && purpose->may_answer && !purpose->force_listen) {
      speak_up(*purpose);
    } else {
      listened(*purpose);
    }
  }
  run_waiting();
}

void session::impl::listened(const unit_purpose& purpose) {
  if (purpose.answer) {
    if (response* const open = find_response(*purpose.answer)) open->complete_empty(context);
    return;
  }
  if (answering()) return;
  duplex->untold_end = duplex->untold_end && purpose.buffering;
  context.emit(response_listen{.session = context.options.id,
                               .epoch = context.epoch,
                               .reason = purpose.buffering ? "buffering" : "model_listen",
                               .model_listen = !purpose.buffering,
                               .buffering = purpose.buffering});
}

void session::impl::speak_up(const unit_purpose& purpose) {
  if (purpose.answer) {
    if (response* const open = find_response(*purpose.answer)) ask_model(*open, {});
    return;
  }
  if (answering() || draining) return;  // an answer that is going on goes on
  if (!admit_answer()) return;
  duplex->unanswered_audio = duplex->unanswered_text = false;
  active.emplace(context.ids.response(), context.epoch, effective(*context.settings, {}));
  ask_model(*active, {});
}

// ---- behind an answer -------------------------------------------------------------------------------------------

// The model has said its answer and listens again. In a session that answers when asked everybody knows.
void session::impl::yield_floor() {
  if (!duplex->input.answers_itself()) return;
  if (answering()) {
    duplex->owes_listen = true;
  } else if (duplex->untold_end) {
    tell_listening();
  }
}

void session::impl::tell_listening() {
  duplex->owes_listen = duplex->untold_end = false;
  context.emit(response_listen{.session = context.options.id, .epoch = context.epoch});
}

void session::impl::after_answer(const response& ended) {
  duplex->input.answer_ended();
  if (duplex->owes_listen) return tell_listening();
  duplex->untold_end = duplex->untold_end || ended.opened();
}

// What waits behind it is given up: appends go, a commit or an update is told.
void session::impl::unit_failed(const unit_purpose& purpose, const std::string& message) {
  context.client_event_id = purpose.client_event_id;
  if (purpose.answer) {
    duplex->undecided.reset();
    if (response* const open = find_response(*purpose.answer)) {
      open->fail(context, {.kind = error_class::server_error, .code = errc::runtime_append_failed, .message = message});
    }
  } else {
    context.refuse({.kind = error_class::server_error, .code = errc::model_failed, .message = message});
    duplex->input.fail();
  }
  waiting_line waiting = std::exchange(duplex->waiting, {});
  while (!waiting.empty()) {
    const waiting_line::step next = waiting.pop();
    const auto* const held = std::get_if<std::unique_ptr<const command>>(&next);
    if (!held) continue;
    const command* const other = held->get();
    context.client_event_id = other->client_event_id;
    if (std::holds_alternative<input_audio_commit>(other->body)) {
      context.refuse({.code = errc::commit_aborted, .message = "The audio before this commit was not taken."});
    } else if (std::holds_alternative<session_update>(other->body)) {
      context.refuse({.code = errc::session_update_aborted, .message = "The audio before this update was not taken."});
    } else {
      run(*other);
      continue;
    }
    static_cast<void>(duplex->input.take_failure());  // it was told
  }
}

std::optional<time_point> session::impl::unit_deadline() const {
  const auto since = duplex ? duplex->input.units().in_flight_since() : std::nullopt;
  if (!since) return std::nullopt;
  return *since + context.options.limits.unit_timeout;
}

void session::impl::expire_unit() {
  const auto due = unit_deadline();
  if (!due || context.now < *due) return;
  take(model_unit_failed{duplex->input.units().number_in_flight(), "The model did not decide in time."});
}

}  // namespace parley::runtime
