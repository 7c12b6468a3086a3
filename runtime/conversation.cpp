#include "runtime/conversation.hpp"

#include <algorithm>

namespace parley::runtime {

namespace {

std::size_t audio_bytes_of(const protocol::item& value) {
  std::size_t bytes = 0;
  for (const auto& part : value.content)
    if (part.audio) bytes += part.audio->samples.size() * sizeof(std::int16_t);
  return bytes;
}

protocol::item without_audio(const protocol::item& value) {
  protocol::item copy = value;
  for (auto& part : copy.content) part.audio.reset();
  return copy;
}

}  // namespace

std::vector<conversation::item_ptr>::const_iterator conversation::position(const protocol::item_id& id) const {
  // From the back: nearly every lookup is for a recent item.
  const auto found = std::find_if(items_.rbegin(), items_.rend(), [&](const item_ptr& one) { return one->id == id; });
  return found == items_.rend() ? items_.end() : std::prev(found.base());
}

conversation::item_ptr conversation::find(const protocol::item_id& id) const {
  const auto at = position(id);
  return at == items_.end() ? nullptr : *at;
}

bool conversation::has_call(const protocol::call_id& call) const {
  return std::any_of(items_.rbegin(), items_.rend(), [&](const item_ptr& one) {
    return one->type == protocol::item_type::function_call && one->call == call &&
           one->status == protocol::item_status::completed;
  });
}

bool conversation::has_output_of(const protocol::call_id& call) const {
  return std::any_of(items_.rbegin(), items_.rend(), [&](const item_ptr& one) {
    return one->type == protocol::item_type::function_call_output && one->call == call;
  });
}

std::optional<protocol::item_id> conversation::previous_of(const protocol::item_id& id) const {
  const auto at = position(id);
  if (at == items_.end() || at == items_.begin()) return std::nullopt;
  return (*std::prev(at))->id;
}

std::optional<protocol::item_id> conversation::last() const {
  return items_.empty() ? std::nullopt : std::optional{items_.back()->id};
}

void conversation::append(protocol::item value) { insert(items_.end(), std::move(value)); }

void conversation::insert_first(protocol::item value) { insert(items_.begin(), std::move(value)); }

void conversation::insert_after(const protocol::item_id& after, protocol::item value) {
  const auto at = position(after);
  insert(at == items_.end() ? at : std::next(at), std::move(value));
}

void conversation::insert(std::vector<item_ptr>::const_iterator where, protocol::item value) {
  audio_bytes_ += audio_bytes_of(value);
  items_.insert(where, std::make_shared<const protocol::item>(std::move(value)));
  keep_bounds();
}

void conversation::replace(protocol::item value) {
  const auto at = position(value.id);
  if (at == items_.end()) return;
  audio_bytes_ += audio_bytes_of(value);
  audio_bytes_ -= audio_bytes_of(**at);
  items_[static_cast<std::size_t>(at - items_.begin())] = std::make_shared<const protocol::item>(std::move(value));
}

bool conversation::erase(const protocol::item_id& id) {
  const auto at = position(id);
  if (at == items_.end()) return false;
  audio_bytes_ -= audio_bytes_of(**at);
  items_.erase(at);
  return true;
}

void conversation::keep_bounds() {
  while (items_.size() > max_items_) {
    audio_bytes_ -= audio_bytes_of(*items_.front());
    items_.erase(items_.begin());
  }
  for (auto one = items_.begin(); audio_bytes_ > max_audio_bytes_ && one != items_.end(); ++one) {
    const std::size_t bytes = audio_bytes_of(**one);
    if (bytes == 0) continue;
    audio_bytes_ -= bytes;
    *one = std::make_shared<const protocol::item>(without_audio(**one));
  }
}

}  // namespace parley::runtime
