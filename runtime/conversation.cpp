#include "runtime/conversation.hpp"

#include <algorithm>

namespace parley::runtime {

namespace {

constexpr const char* image_that_left = "(a picture that is not kept any more)";

std::size_t media_bytes_of(const protocol::content_part& part) {
  std::size_t bytes = part.type == protocol::part_type::input_image ? part.text.size() : 0;
  if (part.audio) bytes += part.audio->samples.size() * sizeof(std::int16_t);
  return bytes;
}

protocol::item without_media(const protocol::item& value) {
  protocol::item copy = value;
  for (auto& part : copy.content) {
    part.audio.reset();
    if (part.type == protocol::part_type::input_image) part = {.text = image_that_left};
  }
  return copy;
}

}  // namespace

conversation::sizes conversation::sizes_of(const protocol::item& value) {
  sizes bytes{.text = sizeof(protocol::item) + value.id.value.size() + value.name.size() + value.call.value.size() +
                      value.arguments.size() + value.output.size()};
  for (const auto& part : value.content) {
    bytes.media += media_bytes_of(part);
    bytes.text += sizeof(part) + part.detail.size();
    if (part.type != protocol::part_type::input_image) bytes.text += part.text.size();
    if (part.transcript) bytes.text += part.transcript->size();
  }
  return bytes;
}

void conversation::count(const protocol::item& value) {
  const sizes bytes = sizes_of(value);
  held_.media += bytes.media;
  held_.text += bytes.text;
}

void conversation::discount(const protocol::item& value) {
  const sizes bytes = sizes_of(value);
  held_.media -= bytes.media;
  held_.text -= bytes.text;
}

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
  count(value);
  items_.insert(where, std::make_shared<const protocol::item>(std::move(value)));
  keep_bounds();
}

void conversation::replace(protocol::item value) {
  const auto at = position(value.id);
  if (at == items_.end()) return;
  discount(**at);
  count(value);
  items_[static_cast<std::size_t>(at - items_.begin())] = std::make_shared<const protocol::item>(std::move(value));
  keep_bounds();
}

bool conversation::erase(const protocol::item_id& id) {
  const auto at = position(id);
  if (at == items_.end()) return false;
  discount(**at);
  items_.erase(at);
  return true;
}

// The newest item stays, however long it is: it is what the next answer is about.
void conversation::keep_bounds() {
  while (items_.size() > max_items_ || (held_.text > max_.text && items_.size() > 1)) {
    discount(*items_.front());
    items_.erase(items_.begin());
  }
  for (auto one = items_.begin(); held_.media > max_.media && one != items_.end(); ++one) {
    if (sizes_of(**one).media == 0) continue;
    auto smaller = std::make_shared<const protocol::item>(without_media(**one));
    discount(**one);
    count(*smaller);
    *one = std::move(smaller);
  }
}

}  // namespace parley::runtime
