#include "adapters/local/local_answer.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace parley::adapters::local {
namespace {

int words_in(const std::string& text) {
  std::istringstream stream(text);
  int count = 0;
  for (std::string word; stream >> word;) ++count;
  return count;
}

int words_in(const protocol::item& item) {
  int count = words_in(item.arguments) + words_in(item.output);
  for (const auto& part : item.content) {
    if (part.type != protocol::part_type::input_image) count += words_in(part.text);
    count += words_in(part.transcript.value_or(""));
  }
  return count;
}

// Words stand for tokens here. An empty prompt counts as one: usage of a real request is never nothing.
int words_in(const runtime::response_request& request) {
  int count = words_in(request.instructions);
  for (const auto& item : request.prompt) count += words_in(*item);
  return std::max(count, 1);
}

}  // namespace

local_answer::local_answer(const runtime::response_request& request, replier& words, speaker& voices,
                           std::shared_ptr<runtime::model_sink> sink)
    : response_(request.id), epoch_(request.epoch), prompt_words_(words_in(request)), sink_(std::move(sink)) {
  if (request.modality == protocol::output_modality::audio) {
    speech_ = voices.start({.voice = request.voice, .speed = request.speed, .output_rate_hz = request.output_rate_hz},
                           from_speaker());
  }
  reply_ = words.start(request, from_replier());
}

void local_answer::throttle(bool wait) {
  if (speech_) speech_->throttle(wait);
}

reply_sink local_answer::from_replier() {
  return {.text = [this](std::string text) { on_text(text); },
          .tool_call = [this](runtime::model_tool_call call) { on_tool_call(std::move(call)); },
          .done =
              [this](runtime::finish_reason reason, std::optional<protocol::token_usage> usage) {
                on_replied({reason, usage});
              },
          .failed = [this](std::string message) { fail(std::move(message)); }};
}

speech_sink local_answer::from_speaker() {
  return {.piece =
              [this](std::vector<std::int16_t> samples, std::string transcript) {
                post(runtime::model_speech{response_, epoch_, std::move(samples), std::move(transcript)});
              },
          .done = [this] { finish(); },
          .failed = [this](std::string message) { fail(std::move(message)); }};
}

void local_answer::on_text(const std::string& text) {
  words_ += words_in(text);
  if (speech_) {
    // A tool call that follows is posted while the first of these words are still being made into sound.
    if (!std::exchange(begun_, true)) post(runtime::model_message_begun{response_, epoch_});
    speech_->say(text);
  } else {
    post(runtime::model_text{response_, epoch_, text});
  }
}

void local_answer::on_tool_call(runtime::model_tool_call call) {
  words_ += words_in(call.arguments_delta);
  call.response = response_;
  call.epoch = epoch_;
  post(std::move(call));
}

void local_answer::on_replied(const ending& how) {
  ending_ = how;
  if (speech_) {
    speech_->finish();
  } else {
    finish();
  }
}

void local_answer::post(runtime::model_output output) {
  const std::lock_guard lock(m_);
  if (!finished_) sink_->post(std::move(output));
}

void local_answer::finish() {
  const protocol::token_usage counted{
      .input_text_tokens = prompt_words_, .output_text_tokens = words_, .output_audio_tokens = speech_ ? words_ : 0};
  const std::lock_guard lock(m_);
  if (finished_.exchange(true)) return;
  sink_->post(runtime::model_done{response_, epoch_, ending_.reason, ending_.usage.value_or(counted)});
}

void local_answer::fail(std::string message) {
  const std::lock_guard lock(m_);
  if (finished_.exchange(true)) return;
  sink_->post(runtime::model_failed{response_, epoch_, std::move(message)});
}

}  // namespace parley::adapters::local
