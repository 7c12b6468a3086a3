#include "runtime/turn_pictures.hpp"

#include "runtime/input_cost.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// Base64 of the first bytes of a JPEG; a frame is that or PNG.
constexpr std::string_view jpeg_begins = "/9j/";

bool is_picture(const content_part& part) { return part.type == part_type::input_image; }

}  // namespace

void turn_pictures::add_to(item& spoken) {
  if (!newest_) return;
  const bool jpeg = newest_->starts_with(jpeg_begins);
  content_part picture{.type = part_type::input_image,
                       .text = (jpeg ? "data:image/jpeg;base64," : "data:image/png;base64,") + *newest_};
  newest_.reset();
  framed_.push_back({spoken.id, picture.text.size()});
  framed_bytes_ += picture.text.size();
  spoken.content.push_back(std::move(picture));
  keep_bounds();
}

// The newest stays, however large it is: the next answer is about it.
void turn_pictures::keep_bounds() {
  const session_limits& limits = context_.options.limits;
  while (framed_.size() > 1 && (framed_.size() > limits.context_images || framed_bytes_ > limits.context_image_bytes)) {
    take_out(framed_.front().item);
    framed_bytes_ -= framed_.front().bytes;
    framed_.pop_front();
  }
}

void turn_pictures::take_out(const item_id& id) {
  const auto known = context_.items.find(id);
  if (!known) return;
  item without = *known;
  std::erase_if(without.content, is_picture);
  context_.items.replace(std::move(without));
}

bool turn_pictures::is_framed(const item_id& id) const {
  return std::any_of(framed_.begin(), framed_.end(), [&](const framed_item& one) { return one.item == id; });
}

std::size_t turn_pictures::held_bytes() const noexcept { return newest_ ? heap_of(*newest_) : 0; }

}  // namespace parley::runtime
