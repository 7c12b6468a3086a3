// Acknowledgements of the duplex dialect: which answer one is for, what it still changes, what history gets of it.
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

wire_error not_found() {
  return {.code = errc::playback_item_not_found, .message = "No spoken answer of this session is meant."};
}

}  // namespace

playback_counters session::impl::counters_of(const spoken_item& one) const {
  const playback_track& track = one.track;
  const auto ms = [&](std::int64_t samples) { return samples_to_ms(samples, track.rate_hz()); };
  return {.generated_ms = ms(track.generated()),
          .sent_ms = ms(track.sequenced()),
          .played_ms = ms(track.played()),
          .committed_ms = ms(track.committed())};
}

session::impl::spoken_entry* session::impl::spoken_of(const response_id& id) {
  const auto found = std::find_if(context.spoken.begin(), context.spoken.end(),
                                  [&](const auto& one) { return one.second.response == id; });
  return found == context.spoken.end() ? nullptr : &*found;
}

// By its response, else its item, else the only one that waits for history, else the one that is going on.
session::impl::spoken_entry* session::impl::acknowledged_item(const playback_ack& ack) {
  if (ack.response || ack.item) {
    spoken_entry* const by_response = ack.response ? spoken_of(*ack.response) : nullptr;
    const auto found = ack.item ? context.spoken.find(*ack.item) : context.spoken.end();
    spoken_entry* const by_item = found == context.spoken.end() ? nullptr : &*found;
    if (ack.response && ack.item && by_response && by_response != by_item) {
      context.refuse({.code = errc::playback_item_mismatch, .message = "The item is none of that response."});
      return nullptr;
    }
    spoken_entry* const meant = ack.response ? by_response : by_item;
    if (!meant) context.refuse(not_found());
    return meant;
  }
  spoken_entry* waiting = nullptr;
  int count = 0;
  for (auto& one : context.spoken) {
    const spoken_item& each = one.second;
    const bool waits =
        each.over && !each.cancelled && !each.too_late && each.track.committed() < each.track.sequenced();
    if (!waits) continue;
    waiting = &one;
    ++count;
  }
  if (count == 1) return waiting;
  spoken_entry* const current = active ? spoken_of(active->id()) : nullptr;
  if (!current) context.refuse(not_found());
  return current;
}

void session::impl::acknowledge_duplex(const playback_ack& ack) {
  spoken_entry* const meant = acknowledged_item(ack);
  if (!meant) return;
  spoken_item& one = meant->second;
  if (one.too_late) {
    return context.refuse({.code = errc::playback_ack_too_late,
                           .message = "The user's next turn came before the first acknowledgement of this answer."});
  }
  const std::int64_t committed_ms = ack.committed_ms.value_or(ack.played_ms);
  playback_track& track = one.track;
  const auto samples = [&](std::int64_t ms) { return ms_to_samples(ms, track.rate_hz()); };
  one.reserved = true;
  bool changed = track.acknowledged(samples(ack.played_ms), samples(committed_ms));
  if (ack.truncate) {
    const std::int64_t most = one.cancelled ? std::min(track.cut_limit(), track.committed()) : track.cut_limit();
    track.cut(std::min(most, samples(committed_ms)));
    changed = true;
  }
  const bool whole = track.committed() >= track.generated();
  context.emit(playback_acknowledged{.response = one.response,
                                     .item = meant->first,
                                     .played_ms = ack.played_ms,
                                     .history_committed = one.over && !one.cancelled && (changed || whole),
                                     .session = context.options.id,
                                     .epoch = context.epoch,
                                     .committed_ms = committed_ms,
                                     .truncate = ack.truncate,
                                     .playback = counters_of(one)});
}

// The user's next turn has its place in history: an answer before it that nobody acknowledged has none any more.
void session::impl::close_history() {
  for (auto& [id, one] : context.spoken) one.too_late = one.too_late || (one.over && !one.reserved);
}

// duplex: an item as a client sees it. As far as history has it, once that is settled: it was acknowledged, cut, or the
// user's next turn came, or (estimate) it was interrupted; until then whole.
item session::impl::as_shown(const item& value) const {
  const auto one = context.spoken.find(value.id);
  if (one == context.spoken.end() || value.content.empty()) return value;
  const spoken_item& heard = one->second;
  const playback_policy policy = context.settings->playback;
  const bool estimated = policy == playback_policy::estimate && heard.track.was_interrupted();
  const bool settled = heard.over && (heard.reserved || heard.too_late || estimated);
  if (!settled && !heard.track.was_cut()) return value;
  item cut = value;
  std::optional<std::string>& said = cut.content.front().transcript;
  said = heard.track.heard_text(said.value_or(""), policy, context.now);
  return cut;
}

}  // namespace parley::runtime
