#include "tests/runtime/event_log.hpp"

#include <algorithm>

namespace parley::tests {

using namespace protocol;

void event_log::expect(bool condition, const std::string& fault) {
  if (!condition) faults_.push_back(where_ + ": " + fault);
}

void event_log::add(const server_event& event) {
  where_ = "event " + std::to_string(event_ids_.size() + 1) + ", " + std::string{type_name(event.body)};
  expect(!event.id.empty() && event_ids_.insert(event.id.value).second, "its event_id is missing or used twice");
  expect(created_ || std::holds_alternative<session_created>(event.body), "comes before session.created");
  expect(!committed_ || std::holds_alternative<item_added>(event.body), "stands between a commit and its item");
  std::visit([this](const auto& body) { see(body); }, event.body);
}

std::size_t event_log::open_responses() const {
  return static_cast<std::size_t>(
      std::count_if(responses_.begin(), responses_.end(), [](const auto& one) { return !one.second.done; }));
}

// ---- look-ups ---------------------------------------------------------------------------------------------------

void event_log::known(const item_id& id) { expect(items_.contains(id), "names the unknown item " + id.value); }

void event_log::transcribed(const item_id& id) {
  known(id);
  expect(transcribed_.insert(id).second, "is the second final transcription of " + id.value);
}

void event_log::see(const transcription_delta& event) {
  known(event.item);
  expect(!event.delta.empty(), "is empty");
  expect(!transcribed_.contains(event.item), "comes behind the final transcription");
  heard_words_[event.item] += event.delta;
}

void event_log::see(const transcription_completed& event) {
  transcribed(event.item);
  expect(heard_words_[event.item] == event.transcript, "differs from its deltas");
}

event_log::response* event_log::open_response(const response_id& id) {
  const auto found = responses_.find(id);
  const bool open = found != responses_.end() && !found->second.done;
  expect(open, "belongs to " + id.value + ", which is not open");
  return open ? &found->second : nullptr;
}

event_log::output* event_log::open_output(const response_id& id, int index, const item_id& wanted) {
  response* const one = open_response(id);
  if (!one) return nullptr;
  const auto at = static_cast<std::size_t>(index);
  const bool open = at < one->outputs.size() && one->outputs[at].item == wanted && !one->outputs[at].done;
  expect(open, "names an output item that is not open: " + wanted.value);
  return open ? &one->outputs[at] : nullptr;
}

event_log::output* event_log::open_part(const part_ref& at) {
  output* const one = open_output(at.response, at.output_index, at.item);
  if (!one) return nullptr;
  const bool open = one->part_open && !one->part_done && at.content_index == 0;
  expect(open, "names a content part that is not open");
  return open ? one : nullptr;
}

bool event_log::is_output(const item_id& id) const {
  return std::any_of(responses_.begin(), responses_.end(), [&](const auto& entry) {
    return std::any_of(entry.second.outputs.begin(), entry.second.outputs.end(),
                       [&](const output& one) { return one.item == id; });
  });
}

std::optional<item_id> event_log::predecessor(const item_id& id) const {
  const auto at = std::find(order_.begin(), order_.end(), id);
  if (at == order_.begin() || at == order_.end()) return std::nullopt;
  return *std::prev(at);
}

// ---- session, input, items --------------------------------------------------------------------------------------

void event_log::see(const session_created&) {
  expect(!created_, "comes twice");
  created_ = true;
}

void event_log::see(const error_event& event) {
  expect(!event.error.message.empty() && !wire_name(event.error.code).empty(), "an error needs a code and a message");
}

void event_log::see(const speech_started& event) {
  expect(!items_.contains(event.item), "an utterance needs an id of its own");
  items_[event.item];
}

void event_log::see(const speech_stopped& event) {
  known(event.item);
  expect(!std::exchange(items_[event.item].speech_stopped, true), "comes twice for one utterance");
}

void event_log::see(const input_committed& event) {
  expect(event.previous == (order_.empty() ? std::nullopt : std::optional{order_.back()}),
         "names the wrong predecessor");
  items_[event.item];
  committed_ = event.item;
}

void event_log::see(const item_added& event) {
  item& one = items_[event.value.id];
  expect(!std::exchange(one.added, true), "the item is in the conversation already");
  if (committed_) expect(event.value.id == *committed_, "is not the item that was committed");
  if (committed_ || is_output(event.value.id)) {
    expect(event.previous == (order_.empty() ? std::nullopt : std::optional{order_.back()}), "is not at the end");
  }
  committed_.reset();
  auto where = order_.begin();
  if (event.previous) {
    const auto before = std::find(order_.begin(), order_.end(), *event.previous);
    expect(before != order_.end(), "names an unknown predecessor");
    if (before != order_.end()) where = std::next(before);
  }
  order_.insert(where, event.value.id);
}

void event_log::see(const item_done& event) {
  item& one = items_[event.value.id];
  expect(one.added && !std::exchange(one.done, true), "the item was not added, or is done twice");
  expect(event.value.status != item_status::in_progress, "a done item is not in progress");
  expect(event.previous == predecessor(event.value.id), "names the wrong predecessor");
}

void event_log::see(const item_deleted& event) {
  known(event.id);
  items_[event.id].deleted = true;
  std::erase(order_, event.id);
}

// ---- responses --------------------------------------------------------------------------------------------------

void event_log::see(const response_created& event) {
  const auto& shown = event.response;
  expect(!responses_.contains(shown.id), "the id was used before");
  expect(shown.status == response_status::in_progress && shown.output.empty(), "a new response is in progress, empty");
  const bool running = std::any_of(responses_.begin(), responses_.end(),
                                   [](const auto& one) { return one.second.in_conversation && !one.second.done; });
  expect(!shown.conversation || !running, "the conversation has a response already");
  responses_[shown.id] = response{.in_conversation = shown.conversation.has_value()};
}

void event_log::see(const output_item_added& event) {
  response* const one = open_response(event.response);
  if (!one) return;
  expect(event.output_index == static_cast<int>(one->outputs.size()), "output_index has a hole");
  expect(event.value.status == item_status::in_progress && event.value.content.empty() && event.value.arguments.empty(),
         "a new output item is in progress and empty");
  expect(!items_.contains(event.value.id), "the item id was used before");
  items_[event.value.id];
  one->outputs.push_back({event.value.id, event.value.type});
}

void event_log::see(const content_part_added& event) {
  output* const one = open_output(event.at.response, event.at.output_index, event.at.item);
  if (!one) return;
  expect(!std::exchange(one->part_open, true), "the part is open already");
  expect(items_[one->item].added || !responses_[event.at.response].in_conversation, "the item was not added yet");
  expect(event.part.text.empty() && event.part.transcript.value_or("").empty(), "a new part is empty");
}

void event_log::words(const part_ref& at, const std::string& delta) {
  output* const one = open_part(at);
  if (!one) return;
  expect(!delta.empty() && !one->content_done, "a delta is empty, or comes after its end");
  one->words += delta;
}

void event_log::words_done(const part_ref& at, const std::string& all) {
  output* const one = open_part(at);
  if (!one) return;
  expect(!std::exchange(one->content_done, true), "comes twice");
  expect(all == one->words, "'" + all + "' is not what its deltas said: '" + one->words + "'");
}

void event_log::see(const audio_delta& event) {
  output* const one = open_part(event.at);
  if (!one) return;
  expect(!event.samples.empty() && !one->audio_done, "a delta is empty, or comes after its end");
  expect(event.first_sample == one->samples, "audio has a hole");
  one->samples += static_cast<std::int64_t>(event.samples.size());
}

void event_log::see(const audio_done& event) {
  output* const one = open_part(event.at);
  if (one) expect(!std::exchange(one->audio_done, true), "comes twice");
}

void event_log::see(const arguments_delta& event) {
  output* const one = open_output(event.at.response, event.at.output_index, event.at.item);
  if (!one) return;
  expect(!event.delta.empty() && !one->content_done, "a delta is empty, or comes after its end");
  one->words += event.delta;
}

void event_log::see(const arguments_done& event) {
  output* const one = open_output(event.at.response, event.at.output_index, event.at.item);
  if (!one) return;
  expect(!std::exchange(one->content_done, true), "comes twice");
  expect(event.arguments == one->words, "the arguments are not what their deltas said");
}

void event_log::see(const content_part_done& event) {
  output* const one = open_part(event.at);
  if (!one) return;
  expect(one->content_done, "comes before the end of its words");
  expect(one->audio_done == (event.part.type == part_type::output_audio), "its audio is not done");
  expect(event.part.transcript.value_or(event.part.text) == one->words, "the part is not what its deltas said");
  one->part_done = true;
}

void event_log::see(const output_item_done& event) {
  output* const one = open_output(event.response, event.output_index, event.value.id);
  if (!one) return;
  const bool message = one->type == item_type::message;
  expect(message ? one->part_done : one->content_done, "its content is not done");
  expect(event.value.status != item_status::in_progress, "a done item is not in progress");
  const item& announced = items_[one->item];
  expect(announced.done || announced.deleted || !responses_[event.response].in_conversation,
         "comes before conversation.item.done");
  one->done = true;
}

void event_log::see(const response_done& event) {
  response* const one = open_response(event.response.id);
  if (!one) return;
  for (const output& each : one->outputs) expect(each.done, "the item " + each.item.value + " is not done");
  expect(event.response.status != response_status::in_progress, "a done response is not in progress");
  expect(event.response.output.size() == one->outputs.size(), "does not list all items");
  expect(event.response.usage.has_value(), "has no usage");
  expect(event.response.conversation.has_value() == one->in_conversation, "changed its conversation");
  one->done = true;
}

}  // namespace parley::tests
