#include "runtime/user_input.hpp"

#include "runtime/semantic_pause.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// Less than this is no turn: a recogniser makes up words from it.
constexpr std::int64_t shortest_turn_ms = 100;
// What is kept while nobody speaks, so that a client's own commit still finds speech that the detector missed.
constexpr std::int64_t quiet_keep_ms = 5000;
// Of input audio, processed at a time.
constexpr std::int64_t slice_ms = 500;
// Noise reduction works on frames of this length.
constexpr std::int64_t frame_ms = 10;
// Of what waits when a client commits, so much is still cleaned of noise at once: a live microphone never has more, and
// a file thrown in whole must not hold the thread that other sessions share.
constexpr std::int64_t longest_rest_ms = 2000;
// Beyond the idle timeout, so that the silence it commits is still there.
constexpr std::int64_t idle_spare_ms = 1000;

}  // namespace

user_input::user_input(session_context& context, turn_listener& listener)
    : context_(context),
      listener_(listener),
      buffer_(context.options.limits.append_bytes, context.options.limits.input_buffer_bytes) {}

void user_input::append(std::string_view base64) {
  const std::int64_t from = buffer_.end();
  const auto added = buffer_.append(base64, format().encoding);
  if (!added) return context_.refuse(added.error());
  if (*added == 0) return;
  last_append_ = context_.now;
  if (!reducer_ && !detector_) processed_until_ = from;
  if (context_.settings->noise && !reducer_) make_reducer(from);
  if (detection() && !detector_) make_detector(from);
  if (!detection() && !turn_) turn_ = turn{context_.ids.item(), buffer_.begin(), buffer_.begin()};
  process();
}

void user_input::make_detector(std::int64_t from) {
  if (!context_.options.make_detector) return;
  const int rate_hz = format().rate_hz;
  detector_ = std::make_unique<turn_detector>(context_.options.make_detector(rate_hz, context_.settings->noise),
                                              rate_hz, *detection(), from);
  processed_until_ = from;
}

void user_input::make_reducer(std::int64_t from) {
  if (!context_.options.make_reducer) return;
  reduced_until_ = from;
  reducer_ = context_.options.make_reducer(format().rate_hz, *context_.settings->noise);
}

bool user_input::has_backlog() const noexcept {
  const std::int64_t waits = buffer_.end() - processed_until_;
  return reducer_ ? waits >= ms_to_samples(frame_ms, format().rate_hz) : detector_ && waits > 0;
}

// One slice: a long append must not hold the thread that other sessions share, nor make turns faster than they are
// sent.
void user_input::process() {
  const std::int64_t from = processed_until_;
  const std::int64_t slice = ms_to_samples(slice_ms, format().rate_hz);
  const std::int64_t to = reducer_ || detector_ ? std::min(buffer_.end(), from + slice) : buffer_.end();
  if (reducer_) reduce(to);
  processed_until_ = reducer_ ? std::clamp(reduced_until_, from, to) : to;
  listener_.audio_came(buffer_.view(from, processed_until_));
  if (detector_) judge(from);
  if (turn_) {
    hear(processed_until_);
  } else {
    trim_quiet();
  }
}

// Whole frames up to there; what is left of the last one waits for its rest.
void user_input::reduce(std::int64_t to) {
  const std::int64_t frame = ms_to_samples(frame_ms, format().rate_hz);
  reduced_until_ = std::max(reduced_until_, buffer_.begin());
  for (; reduced_until_ + frame <= to; reduced_until_ += frame) {
    reducer_->reduce(buffer_.edit(reduced_until_, reduced_until_ + frame));
  }
}

void user_input::judge(std::int64_t from) {
  for (const turn_detector::change& one : detector_->feed(buffer_.view(from, processed_until_))) {
    if (one.what == turn_detector::kind::started) {
      begin_utterance(one.at);
    } else {
      end_turn(one.at, turn_end::detector);
    }
  }
}

bool user_input::recognised(const item_id& item, const std::string& words) {
  if (!turn_ || turn_->id != item) return false;
  turn_->words += words;
  turn_->guess.clear();
  weigh_words();
  return true;
}

void user_input::guessed(const item_id& item, std::string words) {
  if (!turn_ || turn_->id != item) return;
  turn_->guess = std::move(words);
  weigh_words();
}

// What the turn seems to hold decides how long a pause ends it.
void user_input::weigh_words() {
  const bool semantic = detection() && detection()->type == turn_detection_type::semantic_vad;
  if (semantic && detector_) detector_->end_after(semantic_pause(detection()->eager, turn_->words + turn_->guess));
}

void user_input::begin_utterance(std::int64_t at) {
  const std::int64_t padding = ms_to_samples(detection()->prefix_padding.count(), format().rate_hz);
  const std::int64_t from = std::max(at - padding, buffer_.begin());
  turn_ = turn{context_.ids.item(), from, from, true};
  detector_->end_after(ending_silence(*detection()));
  buffer_.drop_before(from);
  context_.emit(speech_started{turn_->id, to_ms(from)});
  listener_.speech_began();
}

void user_input::hear(std::int64_t to) {
  if (!model_hears_turns() || to <= turn_->heard_until) return;
  const auto samples = buffer_.view(turn_->heard_until, to);
  context_.act(call_hear{{turn_->id, format().rate_hz, {samples.begin(), samples.end()}}});
  turn_->heard_until = to;
}

void user_input::commit() {
  const std::int64_t from = turn_ ? turn_->from : buffer_.begin();
  const std::int64_t have_ms = to_ms(buffer_.end() - from);
  if (have_ms < shortest_turn_ms) {
    return context_.refuse({.code = errc::input_audio_buffer_commit_empty,
                            .message = "The input audio buffer holds " + std::to_string(have_ms) + " ms of audio; " +
                                       std::to_string(shortest_turn_ms) + " ms are needed to commit."});
  }
  if (!turn_) turn_ = turn{context_.ids.item(), from, from};
  settle_rest();
  end_turn(buffer_.end(), turn_end::client);
  restart_detector();
}

// Before a commit: what has not been processed yet is cleaned of noise and not judged any more.
void user_input::settle_rest() {
  if (!reducer_) return;
  const std::int64_t longest = ms_to_samples(longest_rest_ms, format().rate_hz);
  reduce(std::min(buffer_.end(), processed_until_ + longest));
}

// Commits [turn_->from, to) as an item of the conversation. That speech stopped is what a detector found: a client that
// commits or clears in the middle of it knows what it did.
void user_input::end_turn(std::int64_t to, turn_end by) {
  hear(to);
  const turn ended = *std::exchange(turn_, std::nullopt);
  if (ended.announced && by == turn_end::detector) context_.emit(speech_stopped{ended.id, to_ms(to)});
  commit_item(ended, to, by);
}

void user_input::commit_item(const turn& ended, std::int64_t to, turn_end by) {
  const auto samples = buffer_.view(ended.from, to);
  item spoken{.id = ended.id};
  spoken.content.push_back(
      {.type = part_type::input_audio,
       .audio = std::make_shared<const audio_clip>(audio_clip{format(), {samples.begin(), samples.end()}})});
  const double seconds = static_cast<double>(samples.size()) / format().rate_hz;
  context_.emit(input_committed{ended.id, context_.items.last()});
  context_.add_item(std::move(spoken));
  context_.finish_item(ended.id);
  buffer_.drop_before(to);
  if (model_hears_turns()) context_.act(call_end_turn{{ended.id, context_.settings->transcription}});
  listener_.turn_committed(ended.id, seconds, by, ended.words);
}

void user_input::commit_silence(time_point since) {
  const auto quiet = std::chrono::duration_cast<std::chrono::microseconds>(context_.now - since);
  const std::int64_t to = buffer_.end();
  const std::int64_t from = std::max(buffer_.begin(), to - time_to_samples(quiet, format().rate_hz));
  turn_ = turn{context_.ids.item(), from, from};
  context_.emit(timeout_triggered{turn_->id, to_ms(from), to_ms(to)});
  end_turn(to, turn_end::idle_timeout);
  restart_detector();
}

// What the buffer holds now is settled: it is not judged any more.
void user_input::restart_detector() {
  if (detector_) detector_->reset(buffer_.end());
  processed_until_ = reduced_until_ = buffer_.end();
}

void user_input::clear() {
  forget_turn();
  buffer_.drop_before(buffer_.end());
  restart_detector();
  context_.emit(input_cleared{});
}

void user_input::forget_turn() {
  if (turn_ && turn_->heard_until > turn_->from) context_.act(call_drop_turn{turn_->id});
  turn_.reset();
}

void user_input::trim_quiet() {
  std::int64_t keep_ms = std::max(quiet_keep_ms, std::int64_t{detection()->prefix_padding.count()});
  if (const auto& idle = detection()->idle_timeout) keep_ms = std::max(keep_ms, idle->count() + idle_spare_ms);
  const std::int64_t quiet_until = detector_ ? processed_until_ : buffer_.end();
  buffer_.drop_before(quiet_until - ms_to_samples(keep_ms, format().rate_hz));
}

void user_input::reconfigure(const session_settings& before) {
  const session_settings& after = *context_.settings;
  if (before.input_format.rate_hz != after.input_format.rate_hz) {
    forget_turn();
    buffer_.change_rate(before.input_format.rate_hz, after.input_format.rate_hz);
    processed_until_ = reduced_until_ = buffer_.end();
    detector_.reset();
    reducer_.reset();
  }
  if (before.noise != after.noise) change_noise_reduction();
  if (!after.detection) detector_.reset();
  if (!before.detection && after.detection) {
    forget_turn();  // what it held stays in the buffer for a commit of the client's
    make_detector(buffer_.end());
  } else if (detector_) {
    detector_->configure(*after.detection);
  }
}

// From here on; what came before stays as it was.
void user_input::change_noise_reduction() {
  reducer_.reset();
  if (context_.settings->noise) make_reducer(buffer_.end());
  if (!detector_) return;
  detector_->listen_with(context_.options.make_detector(format().rate_hz, context_.settings->noise));
}

void user_input::wake() {
  const auto due = deadline();
  if (!due || context_.now < *due) return;
  if (has_backlog()) return process();
  // The client stopped sending in mid-word: the turn ends where its audio does, on the audio clock (C16).
  end_turn(buffer_.end(), turn_end::detector);
  restart_detector();
}

std::optional<time_point> user_input::deadline() const {
  if (has_backlog()) return last_append_;  // at once, after what else is due on this thread
  if (!speaking() || !turn_) return std::nullopt;
  return last_append_ + context_.options.input_stall;
}

}  // namespace parley::runtime
