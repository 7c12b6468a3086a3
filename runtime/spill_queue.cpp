#include "runtime/spill_queue.hpp"

#include "protocol/audio_format.hpp"
#include "protocol/base64.hpp"

#include <utility>
#include <variant>

namespace parley::runtime {

using namespace protocol;

namespace {

bool same_part(const part_ref& one, const part_ref& other) {
  return one.response == other.response && one.item == other.item && one.content_index == other.content_index;
}

// Text that follows text of the same part becomes one event with it: a client that is behind gets it in larger pieces.
template <class Delta>
bool joined(event_body& last, const event_body& next) {
  auto* const before = std::get_if<Delta>(&last);
  const auto* const after = std::get_if<Delta>(&next);
  if (!before || !after || !same_part(before->at, after->at)) return false;
  before->delta += after->delta;
  return true;
}

bool joined_text(event_body& last, const event_body& next) {
  return joined<text_delta>(last, next) || joined<transcript_delta>(last, next) || joined<arguments_delta>(last, next);
}

// Of the members of an audio delta that are not sound.
constexpr std::size_t delta_overhead_bytes = 512;

std::size_t wire_bytes(const audio_delta& audio) {
  return base64_encoded_size(audio.samples.size() * bytes_per_sample(audio.format.encoding)) + delta_overhead_bytes;
}

}  // namespace

bool spill_queue::may_wait(const server_event& event) const {
  const auto* const audio = std::get_if<audio_delta>(&event.body);
  if (!audio || audio_may_wait_) return true;
  const std::size_t pending_bytes = buffer_.pending_bytes();
  const bool one_large = pending_bytes > limits_.max_bytes;  // it waits alone
  const std::size_t bytes = (one_large ? 0 : pending_bytes) + audio_bytes_ + wire_bytes(*audio);
  const std::size_t events = (one_large ? 0 : buffer_.pending_events()) + audio_events_;
  return bytes <= limits_.max_bytes && events < limits_.max_events;
}

void spill_queue::push(server_event event) {
  if (const auto* const audio = std::get_if<audio_delta>(&event.body)) {
    audio_bytes_ += wire_bytes(*audio);
    ++audio_events_;
  }
  waiting_.push_back(std::move(event));
}

void spill_queue::uncount(const server_event& gone) noexcept {
  const auto* const audio = std::get_if<audio_delta>(&gone.body);
  if (!audio) return;
  audio_bytes_ -= wire_bytes(*audio);
  --audio_events_;
}

put_result spill_queue::put(server_event event) {
  if (closed_) return put_result::closed;
  if (!waiting_.empty()) {
    if (!may_wait(event)) return put_result::overflow;
    // Not into the one that is rendered already.
    const bool joins = (!next_ || waiting_.size() > 1) && joined_text(waiting_.back().body, event.body);
    if (!joins) push(std::move(event));
    return put_result::accepted;
  }
  auto rendered = buffer_.render(event);
  const put_result outcome = buffer_.put(rendered);
  if (outcome != put_result::overflow || !may_wait(event)) return outcome;
  next_ = std::move(rendered);
  push(std::move(event));
  return put_result::accepted;
}

bool spill_queue::put_next() {
  if (!next_) next_ = buffer_.render(waiting_.front());
  if (buffer_.put(*next_) == put_result::overflow) return false;
  next_.reset();
  uncount(waiting_.front());
  waiting_.pop_front();
  return true;
}

bool spill_queue::flush() {
  if (waiting_.empty()) return false;
  while (!waiting_.empty() && put_next()) {
  }
  if (!waiting_.empty()) return false;
  if (ending_) close_buffer();
  return true;
}

void spill_queue::invalidate(const response_id& response, epoch through) {
  const auto is_stale = [&](const server_event& one) {
    const auto* const audio = std::get_if<audio_delta>(&one.body);
    return audio && audio->epoch <= through && audio->at.response == response;
  };
  if (!waiting_.empty() && is_stale(waiting_.front())) next_.reset();
  std::erase_if(waiting_, [&](const server_event& one) {
    const bool stale = is_stale(one);
    if (stale) uncount(one);
    return stale;
  });
  buffer_.invalidate(response, through);
  if (waiting_.empty() && ending_) close_buffer();
}

void spill_queue::close(std::optional<terminal_event> terminal, event_id id) {
  if (std::exchange(closed_, true)) return;
  ending_ = ending{std::move(terminal), std::move(id)};
  if (waiting_.empty()) close_buffer();
}

void spill_queue::close_buffer() {
  ending last = *std::exchange(ending_, std::nullopt);
  buffer_.close(std::move(last.terminal), std::move(last.id));
}

}  // namespace parley::runtime
