// What a response shows of itself: its object on the wire, its item while it is spoken, its counters and usage.
#include "runtime/prompt_window.hpp"
#include "runtime/response.hpp"

#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

constexpr std::int64_t ms_per_output_token = 50;

}  // namespace

playing_clock& response::clock(session_context& context) noexcept {
  return settings_.out_of_band ? own_clock_ : context.clock;
}

const playing_clock& response::clock(const session_context& context) const noexcept {
  return settings_.out_of_band ? own_clock_ : context.clock;
}

spoken_item* response::spoken(session_context& context) const {
  if (!message_) return nullptr;
  const auto one = context.spoken.find(outputs_[*message_].value.id);
  return one == context.spoken.end() ? nullptr : &one->second;
}

const spoken_item* response::spoken(const session_context& context) const {
  if (!message_) return nullptr;
  const auto one = context.spoken.find(outputs_[*message_].value.id);
  return one == context.spoken.end() ? nullptr : &one->second;
}

playback_counters response::counters(const session_context& context, std::int64_t sent_samples) const {
  const int rate_hz = settings_.output_format.rate_hz;
  playback_counters shown{.generated_ms = samples_to_ms(made_samples_, rate_hz),
                          .sent_ms = samples_to_ms(sent_samples, rate_hz)};
  if (const spoken_item* const one = spoken(context)) {
    shown.played_ms = samples_to_ms(one->track.played(), rate_hz);
    shown.committed_ms = samples_to_ms(one->track.committed(), rate_hz);
  }
  return shown;
}

response_view response::view(const session_context& context) const {
  response_view shown{.id = id_,
                      .modality = settings_.modality,
                      .output_format = settings_.output_format,
                      .voice = settings_.voice,
                      .max_output_tokens = settings_.max_output_tokens,
                      .temperature = settings_.temperature,
                      .metadata = settings_.metadata};
  if (outcome_) {
    shown.status = outcome_->status;
    shown.reason = outcome_->reason;
    shown.failure = outcome_->failure;
    shown.usage = usage();
  }
  for (const output& one : outputs_) shown.output.push_back(one.value);
  if (!context.is_duplex()) return shown;
  const bool cut_off = outcome_ && outcome_->status == response_status::cancelled;
  const spoken_item* const one = spoken(context);
  const bool lost = one && one->track.lost_its_rest();
  shown.duplex =
      duplex_response{.session = context.options.id,
                      .epoch = context.epoch,
                      .turn_id = context.turn_id,
                      .cancelled_epoch = cut_off ? std::optional{epoch_} : std::nullopt,
                      // What was released will have been sent when this is read; of one that was cut off only what was.
                      .playback = counters(context, lost ? one->track.sequenced() : audio_samples_)};
  shown.duplex->committed = shown.duplex->playback.committed_ms > 0;
  return shown;
}

part_ref response::part(std::size_t index) const {
  return {.response = id_, .item = outputs_[index].value.id, .output_index = static_cast<int>(index)};
}

std::optional<item> response::shown(const item_id& wanted) const {
  for (const output& one : outputs_) {
    if (one.value.id != wanted) continue;
    item copy = one.value;
    if (message_ && &outputs_[*message_] == &one && !one.done) copy.content.front().audio = audio_so_far();
    return copy;
  }
  return std::nullopt;
}

std::shared_ptr<const audio_clip> response::audio_so_far() const {
  if (kept_audio_.empty()) return nullptr;
  return std::make_shared<const audio_clip>(audio_clip{settings_.output_format, kept_audio_});
}

void response::expect_input(std::string_view instructions, const std::vector<conversation::item_ptr>& prompt) {
  std::size_t text = text_tokens(instructions);
  std::size_t audio = 0;
  for (const tool& each : settings_.tools) text += text_tokens(each.definition.text);
  for (const auto& each : prompt) {
    text += text_tokens(*each);
    if (each->role == item_role::user) audio += audio_tokens(*each);
  }
  expected_.input_text_tokens = static_cast<int>(text);
  expected_.input_audio_tokens = static_cast<int>(audio);
}

// What the model counted, else an estimate.
token_usage response::usage() const {
  if (usage_) return *usage_;
  token_usage estimate = expected_;
  for (const output& one : outputs_) estimate.output_text_tokens += static_cast<int>(text_tokens(one.value));
  const std::int64_t ms = samples_to_ms(audio_samples_, settings_.output_format.rate_hz);
  estimate.output_audio_tokens = static_cast<int>(ms / ms_per_output_token);
  return estimate;
}

int response::tokens() const {
  const token_usage all = usage();
  return all.input_text_tokens + all.input_audio_tokens + all.output_text_tokens + all.output_audio_tokens;
}

std::optional<time_point> response::deadline(const session_context& context) const {
  if (over_ || starved_ || held_up_) return std::nullopt;
  if (outcome_ && outbox_.empty()) return time_point{};  // all of it is sent: its end is due
  if (outbox_.empty()) return std::nullopt;
  return unpaced(context) ? time_point{} : clock(context).end() - context.options.pace_ahead;
}

}  // namespace parley::runtime
