#include "runtime/user_input.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// Less than this is no turn: a recogniser makes up words from it.
constexpr std::int64_t shortest_turn_ms = 100;
// What is kept while nobody speaks, so that a client's own commit still finds speech that the detector missed.
constexpr std::int64_t quiet_keep_ms = 5000;
// Of input audio, judged at a time.
constexpr std::int64_t slice_ms = 500;

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
  if (detection()) {
    if (!detector_) make_detector(from);
    return judge();
  }
  if (!turn_) turn_ = turn{context_.ids.item(), buffer_.begin(), buffer_.begin()};
  hear(buffer_.end());
}

void user_input::make_detector(std::int64_t from) {
  if (!context_.options.make_detector) return;
  const int rate_hz = format().rate_hz;
  detector_ = std::make_unique<turn_detector>(context_.options.make_detector(rate_hz, context_.settings->noise),
                                              rate_hz, *detection(), from);
  judged_until_ = from;
}

// One slice: a long append must not hold the thread that other sessions share, nor make turns faster than they are
// sent.
void user_input::judge() {
  if (!detector_) return trim_quiet();
  const std::int64_t from = judged_until_;
  judged_until_ = std::min(buffer_.end(), from + ms_to_samples(slice_ms, format().rate_hz));
  for (const turn_detector::change& one : detector_->feed(buffer_.view(from, judged_until_))) {
    if (one.what == turn_detector::kind::started) {
      begin_utterance(one.at);
    } else {
      end_turn(one.at, true);
    }
  }
  if (turn_) {
    hear(judged_until_);
  } else {
    trim_quiet();
  }
}

void user_input::begin_utterance(std::int64_t at) {
  const std::int64_t padding = ms_to_samples(detection()->prefix_padding.count(), format().rate_hz);
  const std::int64_t from = std::max(at - padding, buffer_.begin());
  turn_ = turn{context_.ids.item(), from, from, true};
  buffer_.drop_before(from);
  context_.emit(speech_started{turn_->id, to_ms(from)});
  listener_.speech_began();
}

void user_input::hear(std::int64_t to) {
  if (!context_.options.capabilities.takes_audio || to <= turn_->heard_until) return;
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
  end_turn(buffer_.end(), false);
  restart_detector();
}

// Commits [turn_->from, to) as an item of the conversation.
void user_input::end_turn(std::int64_t to, bool detected) {
  hear(to);
  const turn ended = *std::exchange(turn_, std::nullopt);
  const auto samples = buffer_.view(ended.from, to);
  item spoken{.id = ended.id};
  spoken.content.push_back(
      {.type = part_type::input_audio,
       .audio = std::make_shared<const audio_clip>(audio_clip{format(), {samples.begin(), samples.end()}})});
  const double seconds = static_cast<double>(samples.size()) / format().rate_hz;
  if (ended.announced) context_.emit(speech_stopped{ended.id, to_ms(to)});
  context_.emit(input_committed{ended.id, context_.items.last()});
  context_.add_item(std::move(spoken));
  context_.finish_item(ended.id);
  buffer_.drop_before(to);
  if (context_.options.capabilities.takes_audio) {
    context_.act(call_end_turn{{ended.id, context_.settings->transcription.has_value()}});
  }
  listener_.turn_committed(ended.id, seconds, detected);
}

// What the buffer holds now is settled: it is not judged any more.
void user_input::restart_detector() {
  if (detector_) detector_->reset(buffer_.end());
  judged_until_ = buffer_.end();
}

void user_input::clear() {
  forget_turn(format().rate_hz);
  buffer_.drop_before(buffer_.end());
  restart_detector();
  context_.emit(input_cleared{});
}

void user_input::forget_turn(int rate_hz) {
  if (turn_ && turn_->announced) {
    context_.emit(speech_stopped{turn_->id, samples_to_ms(buffer_.end(), rate_hz)});
  }
  if (turn_ && turn_->heard_until > turn_->from) context_.act(call_drop_turn{turn_->id});
  turn_.reset();
}

void user_input::trim_quiet() {
  const std::int64_t keep_ms = std::max(quiet_keep_ms, std::int64_t{detection()->prefix_padding.count()});
  const std::int64_t quiet_until = detector_ ? judged_until_ : buffer_.end();
  buffer_.drop_before(quiet_until - ms_to_samples(keep_ms, format().rate_hz));
}

void user_input::reconfigure(const session_settings& before) {
  const session_settings& after = *context_.settings;
  if (before.input_format.rate_hz != after.input_format.rate_hz) {
    forget_turn(before.input_format.rate_hz);
    buffer_.change_rate(before.input_format.rate_hz, after.input_format.rate_hz);
    detector_.reset();
  }
  if (!after.detection) detector_.reset();
  if (detector_ && before.noise != after.noise) {
    detector_->listen_with(context_.options.make_detector(after.input_format.rate_hz, after.noise));
  }
  if (!before.detection && after.detection) {
    forget_turn(after.input_format.rate_hz);  // what it held stays in the buffer for a commit of the client's
    make_detector(buffer_.end());
  } else if (detector_) {
    detector_->configure(*after.detection);
  }
}

void user_input::wake() {
  const auto due = deadline();
  if (!due || context_.now < *due) return;
  if (has_backlog()) return judge();
  // The client stopped sending in mid-word: the turn ends where its audio does, on the audio clock (C16).
  end_turn(buffer_.end(), true);
  restart_detector();
}

std::optional<time_point> user_input::deadline() const {
  if (has_backlog()) return last_append_;  // at once, after what else is due on this thread
  if (!speaking() || !turn_) return std::nullopt;
  return last_append_ + context_.options.input_stall;
}

}  // namespace parley::runtime
