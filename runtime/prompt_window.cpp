#include "runtime/prompt_window.hpp"

#include "protocol/audio_format.hpp"

#include <algorithm>
#include <numeric>

namespace parley::runtime {

using namespace protocol;

namespace {

using item_ptr = conversation::item_ptr;

constexpr std::size_t bytes_per_token = 4;
constexpr std::size_t tokens_per_image = 800;
constexpr std::size_t tokens_per_item = 4;  // its role and its borders
constexpr std::int64_t ms_per_user_token = 100;
constexpr std::int64_t ms_per_assistant_token = 50;

bool has_call_before(const std::vector<item_ptr>& items, std::size_t at) {
  return std::any_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(at), [&](const item_ptr& one) {
    return one->type == item_type::function_call && one->call == items[at]->call;
  });
}

// The newest turn: from the last message of the user on, or what is behind it the last item.
std::size_t start_of_newest_turn(const std::vector<item_ptr>& items) {
  const auto found =
      std::find_if(items.rbegin(), items.rend(), [](const item_ptr& one) { return is_turn_of_user(*one); });
  if (found == items.rend()) return items.size() - std::min<std::size_t>(1, items.size());
  return static_cast<std::size_t>(found.base() - items.begin()) - 1;
}

void drop_lone_results(std::vector<item_ptr>& items) {
  std::vector<item_ptr> kept;
  for (std::size_t at = 0; at < items.size(); ++at) {
    if (items[at]->type == item_type::function_call_output && !has_call_before(items, at)) continue;
    kept.push_back(items[at]);
  }
  items = std::move(kept);
}

}  // namespace

bool is_turn_of_user(const item& value) noexcept {
  return value.type == item_type::message && value.role == item_role::user;
}

std::size_t text_tokens(std::string_view text) noexcept {
  return (text.size() + bytes_per_token - 1) / bytes_per_token;
}

std::size_t text_tokens(const item& value) noexcept {
  std::size_t tokens = text_tokens(value.name) + text_tokens(value.arguments) + text_tokens(value.output);
  for (const content_part& part : value.content) {
    tokens += part.type == part_type::input_image ? tokens_per_image : text_tokens(part.text);
    if (part.transcript) tokens += text_tokens(*part.transcript);
  }
  return tokens;
}

std::size_t audio_tokens(const item& value) noexcept {
  std::int64_t ms = 0;
  for (const content_part& part : value.content) {
    if (part.audio)
      ms += samples_to_ms(static_cast<std::int64_t>(part.audio->samples.size()), part.audio->format.rate_hz);
  }
  const std::int64_t per_token = value.role == item_role::assistant ? ms_per_assistant_token : ms_per_user_token;
  return static_cast<std::size_t>((ms + per_token - 1) / per_token);
}

std::size_t prompt_tokens(const item& value) noexcept {
  return tokens_per_item + text_tokens(value) + (is_turn_of_user(value) ? audio_tokens(value) : 0);
}

prompt_window fit(std::vector<item_ptr> items, const truncation& truncation, std::size_t limit) {
  drop_lone_results(items);
  std::size_t total = std::accumulate(items.begin(), items.end(), std::size_t{0},
                                      [](std::size_t sum, const auto& one) { return sum + prompt_tokens(*one); });
  if (total <= limit) return {std::move(items)};
  if (truncation.type == truncation_type::disabled) return {std::move(items), true};
  const bool retains = truncation.type == truncation_type::retention_ratio;
  const auto wanted =
      static_cast<std::size_t>(static_cast<double>(limit) * (retains ? truncation.retention_ratio : 1.0));
  const std::size_t newest = start_of_newest_turn(items);
  std::size_t first = 0;
  for (; first < newest && total > wanted; ++first) total -= prompt_tokens(*items[first]);
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first));
  drop_lone_results(items);
  return {std::move(items)};
}

}  // namespace parley::runtime
