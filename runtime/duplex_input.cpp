#include "runtime/duplex_input.hpp"

#include "runtime/input_cost.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// A detector's utterance begins before it was found: so much of what went before is kept beyond the padding.
constexpr std::int64_t detection_spare_ms = 1000;
constexpr std::chrono::milliseconds unit_of_turn_based{1000};

std::int64_t to_ms(std::int64_t samples) { return samples_to_ms(samples, duplex_input_hz); }

std::int64_t length_ms(const heard_append& append) { return to_ms(static_cast<std::int64_t>(append.samples.size())); }

}  // namespace

std::size_t heard_append::heap_bytes() const noexcept {
  std::size_t sum = heap_of(samples);
  if (client_event_id) sum += heap_of(*client_event_id);
  // Appends that say the same share it; whether they do is not known here.
  if (details) sum += sizeof(append_details) + block_overhead_bytes + heap_of(*details);
  return sum;
}

duplex_input::duplex_input(session_context& context, answer_desk& desk)
    : context_(context),
      desk_(desk),
      feed_(context.options.capabilities.native ? context.options.capabilities.chunk_period : unit_of_turn_based,
            duplex_input_hz),
      recent_(0, 0),
      pictures_(context) {}

// ---- speech or not ----------------------------------------------------------------------------------------------

const turn_detection* duplex_input::wanted_detection() const {
  static const turn_detection by_default;
  if (settings().detection) return &*settings().detection;
  return detects_for_answers() ? &by_default : nullptr;
}

void duplex_input::make_detector() {
  const turn_detection* const wanted = wanted_detection();
  if (!wanted || detector_ || detector_failed_) return;
  if (auto ears = context_.options.make_detector ? context_.options.make_detector(duplex_input_hz, settings().noise)
                                                 : nullptr) {
    detector_ = std::make_unique<turn_detector>(std::move(ears), duplex_input_hz, *wanted, recent_.end());
    return;
  }
  detector_failed_ = true;
  if (!settings().detection) return;
  context_.refuse({.code = errc::server_vad_unavailable, .message = "No turn detector runs here."});
}

duplex_input::judgement duplex_input::judge(const heard_append& append) {
  judgement heard;
  make_detector();
  if (!detector_) {
    heard.speech = counts_as_speech(append.details.get(), append.samples, settings().duplex.overlap_silence_rms);
    heard.starts = heard.speech && !speech_before_;
    speech_before_ = heard.speech;
    return heard;
  }
  heard.speech = detector_->speaking();
  recent_.append(append.samples);
  heard.changes = detector_->feed(append.samples);
  heard.starts = std::any_of(heard.changes.begin(), heard.changes.end(),
                             [](const auto& one) { return one.what == turn_detector::kind::started; });
  heard.speech = heard.speech || heard.starts;
  return heard;
}

// ---- append -----------------------------------------------------------------------------------------------------

void duplex_input::take(const heard_append& append) {
  failed_ = false;
  context_.client_event_id = append.client_event_id;
  if (auto error = unusable(append)) return context_.refuse(*std::move(error));
  see(append);
  if (append.samples.empty() && append.has_frames()) return;  // frames alone: nothing was said
  const judgement heard = judge(append);
  const bool passes = !desk_.answering() || passes_overlap(append, heard);
  if (detects()) return follow_detector(append, heard);
  if (passes) take_plain(append, heard.speech);
}

void duplex_input::take_plain(const heard_append& append, bool speech) {
  const bool marked_silent = append.details && append.details->is_speech == false;
  if (!speech && !answers_itself() && !desk_.answering()) {
    note(append, false);
    let_time_pass(append.samples.size());
    return tell_silence();
  }
  note(append, speech);
  if (speech && !turn_->announced)
    start_speech(append.details && append.details->audio_start_ms ? *append.details->audio_start_ms : 0);
  if (marked_silent && !answers_itself()) return;
  give(append.samples, &append, append.details && append.details->force_listen);
}

duplex_input::turn& duplex_input::open_turn() {
  if (!turn_) turn_ = turn{.id = context_.ids.item(), .framed = feed_.framed()};
  return *turn_;
}

void duplex_input::note(const heard_append& append, bool speech) {
  turn& now = open_turn();
  const append_details* const said = append.details.get();
  now.holds_speech |= speech;
  now.only_marked &= said && said->is_speech == false;
  if (speech) now.speech_ms += length_ms(append);
  if (!said) return;
  if (speech && said->audio_end_ms) now.end_ms = *said->audio_end_ms;
  const std::string& hint = said->transcript;
  if (hint.empty() || now.last_hint == hint) return;
  if (!now.words.empty()) now.words += ' ';
  now.words += hint;
  now.last_hint = hint;
}

void duplex_input::start_speech(std::int64_t at_ms) {
  turn& now = open_turn();
  now.announced = true;
  context_.emit(speech_started{now.id, at_ms});
}

void duplex_input::stop_speech(std::int64_t at_ms) {
  if (!turn_ || !turn_->announced) return;
  turn_->announced = false;
  context_.emit(speech_stopped{turn_->id, at_ms});
}

// A silent append where nobody answers by itself is not for the model.
void duplex_input::tell_silence() {
  context_.emit(response_listen{
      .session = context_.options.id, .epoch = context_.epoch, .reason = "silence_or_noise", .model_listen = false});
}

// ---- with a detector --------------------------------------------------------------------------------------------

void duplex_input::follow_detector(const heard_append& append, const judgement& heard) {
  const std::int64_t padding = ms_to_samples(wanted_detection()->prefix_padding.count(), duplex_input_hz);
  const bool all = native() && answers_itself();  // the model hears everything, whoever speaks
  note(append, heard.speech);
  const bool force_listen = append.details && append.details->force_listen;
  if (all) give(append.samples, &append, force_listen);
  for (const turn_detector::change& one : heard.changes) {
    if (one.what == turn_detector::kind::started) {
      const std::int64_t from = std::max({one.at - padding, recent_.begin(), given_until_});
      given_until_ = from;
      start_speech(to_ms(from));
      turn_->holds_speech = true;
      continue;
    }
    if (!all) give(recent_.view(given_until_, one.at), &append, force_listen);
    given_until_ = one.at;
    turn_->end_ms = to_ms(one.at);
    turn_ended_in_unit_ = true;
    if (all) {
      stop_speech(turn_->end_ms);
      turn_->id = context_.ids.item();
    } else {
      const auto& detection = *wanted_detection();
      commit_turn(detects_for_answers() || detection.create_response, false, true);
    }
  }
  if (!all && detector_->speaking() && turn_ && turn_->announced) {
    give(recent_.view(given_until_, recent_.end()), &append, force_listen);
    given_until_ = recent_.end();
  }
  if (!all && !detector_->speaking() && !desk_.answering()) let_time_pass(append.samples.size());
  const std::int64_t keep = padding + ms_to_samples(detection_spare_ms, duplex_input_hz);
  recent_.drop_before(std::max(given_until_, recent_.end() - keep));
  decide_for_listener(append.samples.size());
}

// A turn-based model in a session that answers by itself: what a unit in which no turn ended comes to.
void duplex_input::decide_for_listener(std::size_t samples) {
  if (!detects_for_answers()) return;
  const auto unit = static_cast<std::size_t>(ms_to_samples(unit_of_turn_based.count(), duplex_input_hz));
  listened_samples_ += samples;
  for (; listened_samples_ >= unit; listened_samples_ -= unit) {
    const bool silent = !std::exchange(turn_ended_in_unit_, false) && !desk_.answering();
    if (silent) context_.emit(response_listen{.session = context_.options.id, .epoch = context_.epoch});
  }
}

// ---- over an answer ---------------------------------------------------------------------------------------------

// False: the append goes no further.
bool duplex_input::passes_overlap(const heard_append& append, const judgement& heard) {
  const append_details* const said = append.details.get();
  const duplex_settings& rules = settings().duplex;
  if (heard.speech) overlap_ms_ += length_ms(append);
  const overlap_question asked{.policy = rules.overlap,
                               .wish = said ? said->overlap : overlap_wish::none,
                               .force_barge_in = said && said->force_barge_in,
                               .force_listen = said && said->force_listen,
                               .speech = heard.speech,
                               .starts_utterance = heard.starts,
                               .detected = detects(),
                               .answering = answers_itself(),
                               .can_barge_in = context_.options.capabilities.barge_in,
                               .transcript = said ? std::string_view{said->transcript} : std::string_view{},
                               .speech_ms = overlap_ms_,
                               .short_ack_ms = rules.overlap_short_ack_ms,
                               .barge_in_ms = rules.overlap_barge_in_ms};
  if (!needs_verdict(asked)) return true;
  const overlap_verdict verdict = runtime::judge(asked);
  announce_verdict(asked, verdict, length_ms(append));
  if (verdict.action == overlap_action::barge_in) {
    desk_.cut_in(heard.starts && detects() && verdict.reason == "server_vad_speech_started"
                     ? status_reason::turn_detected
                     : status_reason::barge_in);
    return true;
  }
  if (!verdict.buffers_audio && turn_) stop_speech(turn_->end_ms);
  return verdict.buffers_audio;
}

void duplex_input::announce_verdict(const overlap_question& asked, const overlap_verdict& verdict, std::int64_t ms) {
  if (verdict.refused_wish) {
    context_.refuse({.code = errc::barge_in_unsupported, .message = "This model can not be interrupted."});
  }
  const bool listens = verdict.action == overlap_action::listen;
  context_.emit(overlap_decision{.session = context_.options.id,
                                 .epoch = context_.epoch,
                                 .policy = asked.policy,
                                 .action = verdict.action,
                                 .reason = verdict.reason,
                                 .duration_ms = ms,
                                 .overlap_speech_ms = asked.speech_ms,
                                 .buffer_audio = listens && verdict.buffers_audio,
                                 .defer_runtime_append = listens && verdict.buffers_audio && !answers_itself(),
                                 .force_listen = asked.force_listen});
}

// ---- to the model -----------------------------------------------------------------------------------------------

unit_purpose duplex_input::purpose_of(const heard_append* from, bool force_listen) {
  return {.buffering = !answers_itself(),
          .force_listen = force_listen,
          .may_answer = answers_itself(),
          .client_event_id = from ? from->client_event_id : std::nullopt,
          .item = open_turn().id};
}

void duplex_input::give(std::span<const std::int16_t> samples, const heard_append* from, bool force_listen) {
  turn& now = open_turn();
  now.samples += static_cast<std::int64_t>(samples.size());
  if (!native()) {
    if (samples.empty() || !context_.options.capabilities.takes_audio) return;
    return context_.act(call_hear{{now.id, duplex_input_hz, {samples.begin(), samples.end()}}});
  }
  feed_.push(samples, {}, purpose_of(from, force_listen));
}

// ---- what is seen -----------------------------------------------------------------------------------------------

// Before anybody asks who speaks, and once.
void duplex_input::see(const heard_append& append) {
  if (!append.has_frames()) return;
  open_turn().framed = true;
  if (!native()) return pictures_.see(append.details->video_frames.back());
  feed_.push({}, append.details->video_frames, purpose_of(&append, false));
}

// Audio that is not for the model: where frames wait in the unit that is filling it fills all the same, with silence.
// Else they would wait until somebody speaks.
void duplex_input::let_time_pass(std::size_t samples) {
  if (!native() || !feed_.framed()) return;
  feed_.push(std::vector<std::int16_t>(samples), {}, purpose_of(nullptr, false));
}

bool duplex_input::completes_blind_unit(const heard_append& append) const {
  const model_capabilities& can = context_.options.capabilities;
  if (!can.video_required || !native() || append.has_frames()) return false;
  if (!feed_.would_be_blind(append.samples.size())) return false;
  if (answers_itself()) return true;
  return detector_ ? detector_->speaking()
                   : counts_as_speech(append.details.get(), append.samples, settings().duplex.overlap_silence_rms);
}

std::optional<wire_error> duplex_input::unusable(const heard_append& append) const {
  if (completes_blind_unit(append)) {
    return wire_error{.code = errc::invalid_video_frames,
                      .message = "This model needs a frame with every unit of audio.",
                      .param = "video_frames"};
  }
  const std::size_t words =
      (turn_ ? turn_->words.size() : 0) + (append.details ? append.details->transcript.size() : 0);
  if (words > context_.options.limits.hint_bytes) {
    return wire_error{.code = errc::input_backpressure,
                      .message = "The transcript hints of one turn are too long.",
                      .param = "transcript"};
  }
  return std::nullopt;
}

std::size_t duplex_input::held_bytes() const noexcept {
  std::size_t sum = feed_.cost_bytes();
  if (turn_) sum += heap_of(turn_->words) + heap_of(turn_->last_hint);
  return sum + pictures_.held_bytes();
}

// ---- commit -----------------------------------------------------------------------------------------------------

commit_facts duplex_input::facts() const {
  return {.session = context_.options.id,
          .turn_id = context_.turn_id,
          .epoch = context_.epoch,
          .history_len = context_.history_length()};
}

void duplex_input::commit(const input_audio_commit& wish) {
  if (take_failure()) {
    turn_.reset();
    return context_.refuse(
        {.code = errc::commit_aborted, .message = "The audio before this commit was not taken: append it again."});
  }
  if (!turn_) {
    return context_.refuse({.code = errc::input_audio_buffer_commit_empty,
                            .message = "Nothing was appended since the last commit or clear."});
  }
  const bool sees = native() ? turn_->framed : pictures_.holds_frame();
  const bool silent = answers_itself() ? turn_->only_marked : !turn_->holds_speech;
  if (wish.is_speech == false || silent) return commit_silence();
  if (context_.options.capabilities.video_required && !sees) {
    return context_.refuse({.code = errc::invalid_video_frames,
                            .message = "This model needs frames with the audio: append one, then commit again.",
                            .param = "video_frames"});
  }
  const bool over_answer = !answers_itself() && desk_.answering();
  const std::int64_t spoken_ms = std::max(overlap_ms_, turn_->speech_ms);
  if (over_answer && spoken_ms <= settings().duplex.overlap_short_ack_ms) return commit_acknowledgement();
  // What the detector has not found the end of is still to be given.
  if (detects() && !(native() && answers_itself()) && turn_->announced) {
    give(recent_.view(given_until_, recent_.end()), nullptr, false);
    given_until_ = recent_.end();
  }
  commit_turn(wish.create_response.value_or(false) || detects_for_answers(), true, wish.final);
  if (detector_) detector_->reset(recent_.end());
}

// No turn was made of what was appended: no item is told, so none is named. What was seen stays seen.
void duplex_input::commit_nothing(commit_facts said) {
  stop_speech(turn_->end_ms);
  said.empty = said.no_response = true;
  said.is_speech = false;
  context_.emit(input_committed{{}, context_.items.last(), std::move(said)});
  feed_.clear_open_audio();
  if (!native() && turn_->samples > 0) context_.act(call_drop_turn{turn_->id});
  turn_.reset();
}

void duplex_input::commit_silence() {
  commit_nothing(facts());
  if (detector_) detector_->reset(recent_.end());
  tell_silence();
}

void duplex_input::commit_acknowledgement() {
  commit_facts said = facts();
  said.overlap_ack = true;
  commit_nothing(std::move(said));
  overlap_ms_ = 0;
  desk_.acknowledged();
}

void duplex_input::commit_turn(bool answer, bool by_client, bool final) {
  const bool deferred = !answers_itself() && desk_.answering();
  commit_facts said = facts();
  said.final = final;
  said.overlap_deferred = deferred;
  said.response_create_deferred = deferred && answer;
  fan_out(std::move(said));
  const turn ended = *std::exchange(turn_, std::nullopt);
  overlap_ms_ = 0;
  speech_before_ = false;
  end_turn(ended, answer, deferred, by_client);
}

void duplex_input::fan_out(commit_facts said) {
  stop_speech(turn_->end_ms);
  item spoken = item_of_turn();
  const auto transcript = spoken.content.front().transcript;
  said.message = transcript.value_or("");
  const auto previous = context_.items.last();
  context_.add_item(std::move(spoken));
  said.history_len = context_.history_length();
  context_.emit(input_committed{turn_->id, previous, std::move(said)});
  if (transcript) {
    context_.emit(transcription_completed{.item = turn_->id,
                                          .transcript = *transcript,
                                          .audio_seconds = static_cast<double>(turn_->samples) / duplex_input_hz});
  }
  context_.finish_item(turn_->id);
}

item duplex_input::item_of_turn() {
  item spoken{.id = turn_->id};
  spoken.content.push_back({.type = part_type::input_audio});
  if (!turn_->words.empty()) spoken.content.front().transcript = turn_->words;
  pictures_.add_to(spoken);
  return spoken;
}

void duplex_input::end_turn(const turn& ended, bool answer, bool deferred, bool by_client) {
  const double seconds = static_cast<double>(ended.samples) / duplex_input_hz;
  if (!native()) {
    if (context_.options.capabilities.takes_audio) context_.act(call_end_turn{{ended.id, settings().transcription}});
    return desk_.turn_given(ended.id, seconds, answer, by_client);
  }
  desk_.turn_given(ended.id, seconds, answer, by_client);
  unit_purpose purpose{
      .may_answer = answer || answers_itself(), .client_event_id = context_.client_event_id, .item = ended.id};
  const bool short_word = by_client && answer && ended.speech_ms <= settings().duplex.overlap_short_ack_ms;
  purpose.force_listen = !answers_itself() && (!answer || short_word);
  if (answer && !deferred && !answers_itself()) {
    purpose.answer = desk_.open_answer();
    purpose.may_answer = purpose.answer.has_value();
  }
  feed_.close(std::move(purpose));
}

void duplex_input::give_item(const item& value, duplex_audio& reader) {
  if (value.role != item_role::user) return;
  const std::optional<turn> before = std::exchange(turn_, turn{.id = value.id});
  for (const content_part& part : value.content)
    if (part.audio && !part.transcript) hear_part(part, reader);
  const turn given = *std::exchange(turn_, before);
  if (given.samples == 0) return;
  context_.emit(input_committed{given.id, context_.items.previous_of(given.id), facts()});
  end_turn(given, false, desk_.answering() && !answers_itself(), false);
}

void duplex_input::hear_part(const content_part& part, duplex_audio& reader) {
  const auto samples = reader.convert(part.audio->samples, part.audio->format.rate_hz);
  if (!samples) return context_.refuse(samples.error());
  if (counts_as_speech(nullptr, *samples, settings().duplex.overlap_silence_rms)) give(*samples, nullptr, true);
}

// ---- clear ------------------------------------------------------------------------------------------------------

void duplex_input::forget_open() {
  if (turn_ && turn_->samples > 0) context_.act(call_drop_turn{turn_->id});
  turn_.reset();
  pictures_.forget();
  failed_ = speech_before_ = false;
  if (detector_) detector_->reset(recent_.end());
  given_until_ = recent_.end();
}

void duplex_input::clear() {
  feed_.clear_open();
  forget_open();
  context_.emit(input_cleared{});
}

void duplex_input::forget() {
  stop_speech(turn_ ? turn_->end_ms : 0);
  feed_.abandon();
  forget_open();
  overlap_ms_ = 0;
}

void duplex_input::fail() {
  feed_.clear();
  failed_ = true;
}

void duplex_input::reconfigure(const session_settings& before) {
  if (before.detection == settings().detection && before.duplex.auto_response == settings().duplex.auto_response)
    return;
  detector_failed_ = false;
  if (!wanted_detection()) {
    detector_.reset();
  } else if (detector_) {
    detector_->configure(*wanted_detection());
  }
}

}  // namespace parley::runtime
