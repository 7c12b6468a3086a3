// The conversation as the model gets it: what was heard of each answer, and as much as fits.
#include "protocol/quote.hpp"
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

bool is_spoken_answer(const item& value) {
  return value.role == item_role::assistant && !value.content.empty() &&
         value.content.front().type == part_type::output_audio;
}

// Cut off in its arguments: no model is to see it, nor a tool to run.
bool is_half_call(const item& value) {
  return value.type == item_type::function_call && value.status != item_status::completed;
}

// Beyond this the newest turn is not looked for any further: no user message is among so many items.
constexpr std::size_t most_items_of_a_turn = 256;

std::shared_ptr<const audio_clip> beginning(const std::shared_ptr<const audio_clip>& clip, std::int64_t samples) {
  const auto kept = static_cast<std::size_t>(samples);
  if (!clip || clip->samples.size() <= kept) return clip;
  return std::make_shared<const audio_clip>(
      audio_clip{clip->format, {clip->samples.begin(), clip->samples.begin() + samples}});
}

}  // namespace

// A spoken answer with the words and the sound that were heard; empty where the item is what it is.
std::optional<item> session::impl::as_heard(const item& value) const {
  const auto one = context.spoken.find(value.id);
  if (one == context.spoken.end() || !is_spoken_answer(value)) return std::nullopt;
  const playback_track& track = one->second.track;
  const playback_policy policy = context.settings->playback;
  item cut = value;
  content_part& said = cut.content.front();
  said.transcript = track.heard_text(value.content.front().transcript.value_or(""), policy, context.now);
  if (!track.was_heard_whole(policy, context.now)) said.audio = beginning(said.audio, track.heard(policy, context.now));
  return cut;
}

void session::impl::add_to_prompt(std::vector<conversation::item_ptr>& made, const conversation::item_ptr& one) const {
  if (one->status == item_status::in_progress) return;  // what is being said right now
  if (is_half_call(*one)) return;
  auto heard = as_heard(*one);
  if (!heard) return made.push_back(one);
  if (!heard->content.front().transcript->empty()) made.push_back(std::make_shared<const item>(*std::move(heard)));
}

// From the newest back, and no further than what can fit: the cost of a turn must not grow with the conversation.
std::vector<conversation::item_ptr> session::impl::recent_items(std::size_t limit) const {
  const auto& all = context.items.items();
  std::vector<conversation::item_ptr> made;
  std::size_t tokens = 0;
  bool holds_turn = false;
  for (auto one = all.rbegin(); one != all.rend() && !(tokens > limit && holds_turn); ++one) {
    const std::size_t before = made.size();
    add_to_prompt(made, *one);
    if (made.size() > before) tokens += prompt_tokens(*made.back());
    holds_turn |= is_turn_of_user(**one) || made.size() > most_items_of_a_turn;
    if (prompt_begin && (*one)->id == *prompt_begin) break;
  }
  std::reverse(made.begin(), made.end());
  return made;
}

prompt_window session::impl::prompt(const response_options& options) {
  const truncation& rule = context.settings->truncation;
  const auto limit =
      rule.post_instructions ? static_cast<std::size_t>(*rule.post_instructions) : context.options.limits.prompt_tokens;
  if (!options.input) {
    auto made = recent_items(limit);
    const std::size_t before = made.size();
    prompt_window window = fit(std::move(made), rule, limit);
    const bool settles = rule.type == truncation_type::retention_ratio && window.items.size() < before;
    if (settles && !window.items.empty()) prompt_begin = window.items.front()->id;
    return window;
  }
  std::vector<conversation::item_ptr> made;
  for (const auto& given : *options.input) {
    if (!given.reference) {
      if (is_half_call(given.value)) continue;
      made.push_back(std::make_shared<const item>(given.value));
    } else if (const auto known = context.items.find(given.value.id)) {
      add_to_prompt(made, known);
    }
  }
  return fit(std::move(made), rule, limit);
}

bool session::impl::usable_input_item(response_options::input_item& given, const std::string& path) {
  item& value = given.value;
  if (given.reference) {
    if (context.items.find(value.id)) return true;
    context.refuse({.code = errc::invalid_value,
                    .message = "The item " + quoted(value.id.value) + " does not exist.",
                    .param = path + ".id"});
    return false;
  }
  value.id = context.ids.item();  // only for the model: nothing of it enters the conversation
  if (!accept_images(value, path) || !decode_audio(value, path)) return false;
  const bool silent = std::none_of(value.content.begin(), value.content.end(),
                                   [](const content_part& part) { return part.audio && !part.transcript; });
  if (silent || context.options.capabilities.takes_audio) return true;
  context.refuse(
      {.code = errc::unsupported_content_type, .message = "This model takes no audio.", .param = path + ".content"});
  return false;
}

bool session::impl::usable_input(response_options& options) {
  if (!options.input) return true;
  if (options.input->size() > context.options.limits.items) {
    context.refuse({.code = errc::invalid_value,
                    .message = "The input of a response may hold at most " +
                               std::to_string(context.options.limits.items) + " items.",
                    .param = "response.input"});
    return false;
  }
  std::size_t turns = 0;
  for (std::size_t index = 0; index < options.input->size(); ++index) {
    auto& given = (*options.input)[index];
    if (!usable_input_item(given, "response.input[" + std::to_string(index) + "]")) return false;
    const auto& parts = given.value.content;
    turns += std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.audio && !part.transcript; });
  }
  std::vector<const item*> prompt;
  for (const response_options::input_item& given : *options.input) {
    prompt.push_back(given.reference ? context.items.find(given.value.id).get() : &given.value);
  }
  return fits_images(prompt) && (turns == 0 || has_room_for_turns(turns));
}

}  // namespace parley::runtime
