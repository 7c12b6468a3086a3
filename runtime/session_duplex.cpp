// The commands of the duplex dialect: which may run now, which wait for the model, and what its own ones do.
#include "runtime/session_duplex.hpp"

#include "protocol/json_writer.hpp"
#include "runtime/duplex_rules.hpp"
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// What is not held up by an append that the model is deciding on: ends of things, reports, and what only looks.
template <class Command>
constexpr bool runs_at_once = std::is_same_v<Command, response_cancel> || std::is_same_v<Command, input_cancel> ||
                              std::is_same_v<Command, protocol::barge_in> ||
                              std::is_same_v<Command, output_audio_clear> || std::is_same_v<Command, session_close> ||
                              std::is_same_v<Command, session_heartbeat> || std::is_same_v<Command, playback_ack> ||
                              std::is_same_v<Command, item_retrieve> || std::is_same_v<Command, turn_signal>;

bool may_run_at_once(const command& one) {
  return std::visit([](const auto& body) { return runs_at_once<std::decay_t<decltype(body)>>; }, one.body);
}

bool is_commit(const command& one) { return std::holds_alternative<input_audio_commit>(one.body); }

wire_error full(std::string message) { return {.code = errc::input_backpressure, .message = std::move(message)}; }

bool has_options(const response_options& one) {
  return one.instructions || one.voice || one.modality || one.output_format || one.tools || one.choice ||
         one.max_output_tokens || one.temperature;
}

// Codes that mean a field of the session is wrong, whoever found it.
wire_error as_session_config(wire_error error) {
  if (error.code == errc::invalid_value || error.code == errc::missing_required_parameter ||
      error.code == errc::unknown_parameter || error.code == errc::invalid_type) {
    error.code = errc::invalid_session_config;
  }
  return error;
}

}  // namespace

// ---- order ------------------------------------------------------------------------------------------------------

void session::impl::take_in(const command& one) {
  duplex->life.touch(context.now);
  duplex->barged_in = false;
  if (const auto* append = std::get_if<input_audio_append>(&one.body)) return take_append(*append);
  // Refused at once: the answer it comes in the way of may be what everything waits for.
  const bool second_answer = std::holds_alternative<response_create>(one.body) && answering();
  if (std::holds_alternative<input_audio_clear>(one.body)) {
    clear_duplex();
  } else if (may_run_at_once(one) || second_answer || !must_wait()) {
    run(one);
  } else {
    put_off(one);
  }
  run_waiting();
}

// Whether this model can use what comes with the audio.
std::optional<wire_error> session::impl::unusable(const append_details& details) const {
  const model_capabilities& can = context.options.capabilities;
  if (details.video_frames.empty()) return std::nullopt;
  if (!can.takes_video) {
    return wire_error{.code = errc::unsupported, .message = "This model takes no video.", .param = "video_frames"};
  }
  if (!details.has_audio) {
    return wire_error{.code = errc::invalid_video_frames,
                      .message = "This model takes frames together with audio only.",
                      .param = "video_frames"};
  }
  return std::nullopt;
}

void session::impl::take_append(const input_audio_append& append) {
  if (append.details) {
    if (auto error = unusable(*append.details)) return context.refuse(*std::move(error));
  }
  auto samples = duplex->audio.read(append, context.settings->input_format);
  if (!samples) return context.refuse(std::move(samples).error());
  heard_append heard{*std::move(samples), append.details, context.client_event_id};
  if (!has_room(waiting_line::cost_of(heard))) return context.refuse(full("Too much input waits for the model."));
  if (must_wait()) {
    duplex->waiting.push(std::move(heard));
  } else {
    duplex->input.take(heard);
  }
  run_waiting();
}

bool session::impl::has_room(std::size_t cost_bytes) const {
  const session_limits& limits = context.options.limits;
  const std::size_t held = duplex->waiting.cost_bytes() + duplex->input.held_bytes();
  return held + cost_bytes <= limits.pending_input_bytes &&
         duplex->waiting.size() + duplex->input.held_pieces() < limits.waiting_inputs;
}

void session::impl::put_off(const command& one) {
  const session_limits& limits = context.options.limits;
  const waiting_line& waiting = duplex->waiting;
  if (is_commit(one) &&
      waiting.commits() + duplex->input.deferred() >= static_cast<std::size_t>(limits.pending_commits)) {
    return context.refuse(full("Too many commits wait for the model."));
  }
  if (waiting.commands() >= limits.waiting_commands || !has_room(waiting_line::cost_of(one))) {
    return context.refuse(full("Too much waits for the model."));
  }
  duplex->waiting.push(one);
}

void session::impl::run_waiting() {
  if (closed) return;
  pump_units();
  while (!closed && !duplex->waiting.empty() && !units_block()) {
    const waiting_line::step next = duplex->waiting.pop();
    if (const auto* append = std::get_if<heard_append>(&next)) {
      duplex->input.take(*append);
    } else {
      const command& one = *std::get<std::unique_ptr<const command>>(next);
      context.client_event_id = one.client_event_id;
      run(one);
    }
    let_go_finished();
    pump_units();
  }
}

void session::impl::run(const command& one) {
  if (const auto* update = std::get_if<session_update>(&one.body)) return update_duplex(*update);
  if (const auto* commit = std::get_if<input_audio_commit>(&one.body)) {
    const auto most = static_cast<std::size_t>(context.options.limits.pending_commits);
    if (pending.size() >= most || duplex->input.deferred() >= most) {
      return context.refuse(full("Too many commits wait for the model."));
    }
    return duplex->input.commit(*commit);
  }
  if (const auto* cancel = std::get_if<response_cancel>(&one.body)) return cancel_duplex(*cancel);
  if (const auto* create = std::get_if<response_create>(&one.body)) return ask_duplex(*create);
  if (const auto* ack = std::get_if<playback_ack>(&one.body)) return acknowledge_duplex(*ack);
  std::visit([this](const auto& body) { handle(body); }, one.body);
}

// What waits of the turn that is not committed goes at once; what was committed before it stays in its order.
void session::impl::clear_duplex() {
  duplex->waiting.drop_open_appends();
  if (duplex->waiting.empty()) return duplex->input.clear();
  put_off({context.client_event_id, input_audio_clear{}});
}

void session::impl::drop_waiting_input() {
  duplex->waiting.drop_input();
  duplex->input.forget();
}

// ---- settings ---------------------------------------------------------------------------------------------------

void session::impl::update_duplex(const session_update& update) {
  if (duplex->input.take_failure()) {
    return context.refuse({.code = errc::session_update_aborted,
                           .message = "The audio before this update was not taken: nothing was changed."});
  }
  const session_life life{.has_spoken = context.has_spoken, .model_has_heard = duplex->input.units().given() > 0};
  if (auto error = refused_update(*context.settings, update.patch, context.options.capabilities, life)) {
    return context.refuse(*std::move(error));
  }
  auto next = merged(*context.settings, update.patch);
  if (!next) return context.refuse(as_session_config(next.error()));
  const auto before = std::exchange(context.settings, std::make_shared<const session_settings>(std::move(*next)));
  duplex->input.reconfigure(*before);
  context.emit(session_updated{view()});
}

// ---- cancels ----------------------------------------------------------------------------------------------------

// The fence: nothing of the answer follows its endings, and none of it is heard that was not by now.
void session::impl::cut_in(status_reason reason) {
  ++context.epoch.value;
  for (auto& [id, one] : context.spoken) {
    if (one.track.playing(context.now) || (active && one.response == active->id())) one.track.freeze(context.now);
  }
  context.clock.drop(context.now);
  duplex->undecided.reset();
  duplex->input.answer_ended();
  if (!active || active->over()) return;
  if (active->opened()) {
    active->cancel(context, reason);
  } else {
    active->drop(context);
  }
}

void session::impl::cancel_duplex(const response_cancel& cancel) {
  if (!has_open_answer() || (cancel.id && *cancel.id != active->id())) {
    return context.refuse({.code = errc::response_cancel_not_active, .message = "There is no such active response."});
  }
  cut_in(status_reason::client_cancelled);
}

void session::impl::drop_input(status_reason reason) {
  drop_waiting_input();
  answer_owed = false;
  for (const pending_turn& turn : pending) context.act(call_drop_turn{turn.item});
  pending.clear();
  duplex->unanswered_audio = duplex->owes_listen = false;
  const bool answered = has_open_answer();
  cut_in(reason);
  if (!answered) context.emit(input_cleared{});
}

void session::impl::handle(const input_cancel&) { drop_input(status_reason::input_cancel); }

void session::impl::handle(const protocol::barge_in&) {
  if (!context.options.capabilities.barge_in) {
    return context.refuse({.code = errc::barge_in_unsupported, .message = "This model can not be interrupted."});
  }
  drop_input(status_reason::barge_in);
  duplex->barged_in = true;
}

// The client threw away what it had not played yet of answers that have ended.
void session::impl::silence_finished(const std::optional<response_id>& only) {
  for (auto& [id, one] : context.spoken) {
    if (!one.over || (only && one.response != *only) || !one.track.playing(context.now)) continue;
    one.track.freeze(context.now);
    if (!answering()) context.clock.drop(context.now);
  }
}

void session::impl::handle(const output_audio_clear& clear) {
  const bool meant = has_open_answer() && (!clear.response || *clear.response == active->id());
  context.emit(output_cleared{meant ? std::optional{active->id()} : clear.response});
  if (meant) return cut_in(status_reason::output_audio_buffer_clear);
  silence_finished(clear.response);
}

// ---- responses --------------------------------------------------------------------------------------------------

std::optional<wire_error> session::impl::unaskable(const response_options& options) const {
  const model_capabilities& can = context.options.capabilities;
  if (answering()) {
    return wire_error{.code = errc::conversation_already_has_active_response,
                      .message = "A response is active already."};
  }
  if (!can.takes_overrides && has_options(options)) {
    return wire_error{.code = errc::unsupported_native_response_options,
                      .message = "This model takes no options for one response."};
  }
  if (!duplex->unanswered_audio && !duplex->unanswered_text) {
    return wire_error{.code = errc::response_create_without_input, .message = "There is nothing to answer."};
  }
  if (!duplex->unanswered_audio && !can.takes_text) {
    return wire_error{.code = errc::text_only_turn_unsupported, .message = "This model answers audio only."};
  }
  return std::nullopt;
}

void session::impl::ask_duplex(const response_create& create) {
  if (auto error = unaskable(create.options)) return context.refuse(*std::move(error));
  handle(create);
  if (answering()) duplex->unanswered_audio = duplex->unanswered_text = false;
}

std::optional<response_id> session::impl::open_answer() {
  if (draining || !admit_answer()) return std::nullopt;
  active.emplace(context.ids.response(), context.epoch, effective(*context.settings, {}));
  active->open(context);
  duplex->undecided = active->id();
  return active->id();
}

// ---- turns ------------------------------------------------------------------------------------------------------

void session::impl::turn_given(const item_id& item, double seconds, bool answers, bool by_client) {
  close_history();
  duplex->unanswered_audio = true;
  if (duplex->input.native()) return;
  const bool at_once = answers && by_client && !answering() && !draining;
  answer wanted = answer::never;
  if (answers && !at_once) wanted = by_client ? answer::always : answer::when_understood;
  await_turn({item, seconds, wanted});
  if (at_once && admit_answer()) {
    duplex->unanswered_audio = duplex->unanswered_text = false;
    start_response({});
  }
  if (!context.options.capabilities.takes_audio) take(turn_ready{item, std::nullopt});
}

void session::impl::handle(const input_text_append& text) {
  if (!context.options.capabilities.takes_text_appends) {
    return context.refuse(
        {.code = errc::native_text_append_unsupported, .message = "Text is taken as conversation items only."});
  }
  item written{.id = context.ids.item()};
  written.content.push_back({.type = part_type::input_text, .text = text.text});
  const item_id id = written.id;
  context.add_item(std::move(written));
  context.finish_item(id);
  duplex->unanswered_text = true;
}

void session::impl::handle(const turn_signal& signal) {
  context.emit(turn_event{context.options.id, signal.event, turn_state(), context.epoch});
}

// ---- life -------------------------------------------------------------------------------------------------------

void session::impl::handle(const session_heartbeat&) { context.emit(heartbeat_ack{context.options.id}); }

void session::impl::handle(const session_close& close) {
  end_responses();
  context.act(close_session{close_reason::client_close, terminal(close_reason::client_close, close.reason),
                            context.ids.event()});
  closed = true;
}

// Work that goes on: the lease can not run out under it.
bool session::impl::working() const {
  return active || !pending.empty() || duplex->input.units().in_flight() || !duplex->waiting.empty();
}

std::optional<duration> session::impl::idle_limit() const {
  const auto& limit = context.settings->duplex.idle_timeout_s;
  if (!limit || working()) return std::nullopt;
  return std::chrono::seconds{*limit};
}

void session::impl::mind_the_lease() {
  const bool works = working();
  // What is still being played counts as work, too.
  if (works || duplex->was_working) duplex->life.touch(context.clock.next_start(context.now));
  duplex->was_working = works;
}

terminal_event session::impl::terminal(close_reason reason, const std::string& said) const {
  const bool expired = reason == close_reason::idle_expired || reason == close_reason::grace_expired;
  terminal_event last{
      .type = expired ? "session.expired" : "session.closed", .session = context.options.id, .reason = said};
  last.details.text.clear();
  json_writer json(last.details.text);
  json.begin_object();
  json.member("type", last.type);
  json.member("session_id", last.session);
  json.member("reason", last.reason);
  json.member("epoch", static_cast<std::int64_t>(context.epoch.value));
  json.member("turn_id", context.turn_id);
  json.end_object();
  return last;
}

// ---- what it shows ----------------------------------------------------------------------------------------------

turn_state session::impl::turn_state() const {
  if (duplex->barged_in) return turn_state::barge_in;
  const bool playing = context.clock.end() > context.now;
  if (active && !active->over()) {
    return playing || active->begun() ? turn_state::assistant_playing : turn_state::assistant_generating;
  }
  if (duplex->input.speaking()) return turn_state::user_speaking;
  if (playing) return turn_state::assistant_playing;
  if (duplex->unanswered_audio || !pending.empty()) return turn_state::user_committed;
  return turn_state::idle;
}

duplex_view session::impl::duplex_view() const {
  const model_capabilities& can = context.options.capabilities;
  protocol::duplex_view shown{.turn_state = turn_state(), .epoch = context.epoch, .turn_id = context.turn_id};
  if (has_open_answer()) {
    shown.active_response = active->id();
    for (const auto& [id, one] : context.spoken)
      if (one.response == active->id()) shown.playback = counters_of(one);
  }
  const auto period = can.native ? can.chunk_period : std::chrono::milliseconds{1000};
  shown.capabilities = {.implementation_level = can.implementation_level,
                        .barge_in = can.barge_in,
                        .resume = can.resumes,
                        .chunk_period_ms = static_cast<int>(period.count()),
                        .takes_audio = can.takes_audio,
                        .takes_video = can.takes_video,
                        .takes_images = can.takes_images,
                        .takes_text = can.takes_text,
                        .takes_text_appends = can.takes_text_appends,
                        .video_required = can.video_required,
                        .truncates_audio = can.truncates_audio};
  return shown;
}

}  // namespace parley::runtime
