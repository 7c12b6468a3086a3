// The user's turns: what interrupts, what is committed, understood or not, and when silence is too long.
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

void session::impl::speech_began() {
  quiet_since.reset();
  interrupting = context.settings->detection->interrupt_response && interrupt(status_reason::turn_detected);
}

// Silence after an interruption leaves both sides waiting: that turn is answered even when nothing was understood.
// Otherwise nothing is made up from a blank turn (C17).
void session::impl::turn_committed(const item_id& item, double seconds, turn_end by, const std::string& words) {
  const auto& detection = context.settings->detection;
  const bool answers = context.settings->kind == session_kind::realtime && detection && detection->create_response;
  const bool insists = by == turn_end::idle_timeout || std::exchange(interrupting, false);
  answer wanted = answer::never;
  if (by != turn_end::client && answers) wanted = insists ? answer::always : answer::when_understood;
  quiet_since.reset();
  // A native model decides for itself whether to answer.
  if (native_feed && by != turn_end::idle_timeout) wanted = answer::never;
  await_turn({item, seconds, wanted});
  if (pending_turn* const turn = find_pending(item)) tell_words(*turn, words);
  if (native_feed || !context.options.capabilities.takes_audio) take(turn_ready{item, std::nullopt});
  stream({}, true);
}

// Words of a turn that is not an item yet are kept by the input and told when it is.
void session::impl::take(const turn_partial& partial) {
  if (input.recognised(partial.item, partial.delta)) return;
  if (pending_turn* const turn = find_pending(partial.item)) tell_words(*turn, partial.delta);
}

void session::impl::tell_words(pending_turn& turn, std::string delta) {
  if (delta.empty() || turn.input_of || !context.settings->transcription || !context.items.find(turn.item)) return;
  turn.told.told(delta);
  context.emit(transcription_delta{.item = turn.item, .content_index = turn.content_index, .delta = std::move(delta)});
}

bool session::impl::has_room_for_turns(std::size_t count) {
  if (pending.size() + count <= context.options.limits.pending_turns) return true;
  context.refuse({.kind = error_class::rate_limit_error,
                  .code = errc::input_backpressure,
                  .message = "Too many turns wait to be understood."});
  return false;
}

void session::impl::await_turn(pending_turn turn) {
  pending.push_back(std::move(turn));
  if (pending.size() <= context.options.limits.pending_turns) return;
  const item_id oldest = pending.front().item;
  context.act(call_drop_turn{oldest});
  take(turn_failed{oldest, "Too many turns wait to be understood."});
}

session::impl::pending_turn* session::impl::find_pending(const item_id& id) {
  const auto turn = std::find_if(pending.begin(), pending.end(), [&](const auto& one) { return one.item == id; });
  return turn == pending.end() ? nullptr : &*turn;
}

// One final answer a turn: what a model says of a turn that is settled, or that nobody took, is dropped.
void session::impl::take(turn_ready ready) {
  pending_turn* const turn = find_pending(ready.item);
  if (!turn) return;
  const item_id id = ready.item;
  if (ready.transcript) set_transcript(*turn, std::move(ready));
  turn_resolved(id, meaning::words);
}

void session::impl::take(const turn_blank& blank) {
  pending_turn* const turn = find_pending(blank.item);
  if (!turn) return;
  set_transcript(*turn, {blank.item, ""});
  turn_resolved(blank.item, meaning::blank);
}

void session::impl::take(turn_failed failed) {
  const pending_turn* const turn = find_pending(failed.item);
  if (!turn) return;
  if (context.settings->transcription && context.items.find(failed.item)) {
    context.emit(transcription_failed{
        .item = failed.item,
        .content_index = turn->content_index,
        .error = {
            .kind = error_class::server_error, .code = errc::model_failed, .message = std::move(failed.message)}});
  }
  turn_resolved(failed.item, meaning::failed);  // nothing was understood: no answer is made up from it (C17)
}

namespace {

// The audio of one turn is recognised as one: its first part that has no words yet gets them all. False: every part
// has.
bool give_words(std::vector<content_part>& content, const std::string& transcript, bool untold) {
  bool given = false;
  for (content_part& part : content) {
    if (part.type != part_type::input_audio || part.transcript) continue;
    part.transcript = std::exchange(given, true) ? std::string{} : transcript;
    part.untold = untold;
  }
  return given;
}

}  // namespace

void session::impl::set_transcript(pending_turn& turn, turn_ready ready) {
  if (turn.input_of) return set_input_transcript(turn, *ready.transcript);
  const auto known = context.items.find(turn.item);
  if (!known) return;
  std::string transcript = turn.told.settle(*ready.transcript);
  item changed = *known;
  // The client said what it is, and was told so.
  if (!give_words(changed.content, transcript, !context.settings->transcription)) return;
  context.items.replace(std::move(changed));
  if (!context.settings->transcription) return;
  if (!context.settings->include_logprobs || transcript != *ready.transcript) ready.logprobs.reset();
  tell_words(turn, turn.told.rest(transcript));
  context.emit(transcription_completed{.item = turn.item,
                                       .content_index = turn.content_index,
                                       .transcript = std::move(transcript),
                                       .audio_seconds = turn.seconds,
                                       .logprobs = std::move(ready.logprobs)});
}

void session::impl::set_input_transcript(const pending_turn& turn, const std::string& transcript) {
  const auto asked =
      std::find_if(unasked.begin(), unasked.end(), [&](const question& one) { return one.id == *turn.input_of; });
  if (asked == unasked.end()) return;
  for (auto& given : *asked->options.input) {
    if (given.value.id == turn.item) give_words(given.value.content, transcript, true);
  }
}

void session::impl::turn_resolved(const item_id& id, meaning what) {
  const pending_turn turn = *find_pending(id);
  std::erase_if(pending, [&](const auto& one) { return one.item == id; });
  const bool counts = what == meaning::words || (what == meaning::blank && turn.wanted == answer::always);
  // An answer that waits for its prompt answers this turn as well.
  bool covered = false;
  for (question& one : unasked) {
    if (turn.input_of || one.options.input) continue;
    one.has_words |= counts;
    covered |= active && active->id() == one.id && !active->over();
  }
  if (turn.wanted != answer::never && counts && !covered) answer_owed = true;
  // duplex: a turn that comes to nothing is a decision to listen.
  const bool silent = duplex && turn.wanted != answer::never && !counts && !covered;
  if (silent) context.emit(response_listen{.session = context.options.id, .epoch = context.epoch});
  ask_when_heard();
}

// ---- silence ----------------------------------------------------------------------------------------------------

std::optional<time_point> session::impl::idle_deadline() const {
  const auto& detection = context.settings->detection;
  if (duplex || !quiet_since || !detection || detection->type != turn_detection_type::server_vad) return std::nullopt;
  if (!detection->idle_timeout || !detection->create_response || draining) return std::nullopt;
  if (active || input.speaking() || !pending.empty()) return std::nullopt;
  return *quiet_since + *detection->idle_timeout;
}

void session::impl::break_silence() {
  const auto due = idle_deadline();
  if (due && context.now >= *due) input.commit_silence(*std::exchange(quiet_since, std::nullopt));
}

}  // namespace parley::runtime
