// The client's edits of the conversation, and the conversation as the model gets it.
#include "protocol/base64.hpp"
#include "protocol/g711.hpp"
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

wire_error no_such_item(errc code, const item_id& id) {
  return {.code = code, .message = "The item '" + id.value + "' does not exist.", .param = "item_id"};
}

bool is_spoken_answer(const item& value) {
  return value.role == item_role::assistant && !value.content.empty() &&
         value.content.front().type == part_type::output_audio;
}

}  // namespace

// ---- create -----------------------------------------------------------------------------------------------------

void session::impl::handle(const item_create& create) {
  item value = create.new_item;
  if (value.id.empty()) value.id = context.ids.item();
  if (context.items.find(value.id)) {
    return context.refuse({.code = errc::item_create_duplicate_item_id,
                           .message = "The item '" + value.id.value + "' exists already.",
                           .param = "item.id"});
  }
  const auto& after = create.previous_item_id;
  if (after && *after != "root" && !context.items.find(item_id{*after})) {
    return context.refuse({.code = errc::item_create_invalid_previous_item_id,
                           .message = "The item '" + *after + "' does not exist.",
                           .param = "previous_item_id"});
  }
  if (accept_item(value) && decode_audio(value)) insert_item(create, std::move(value));
}

// Checks that need the conversation; refuses what fails them.
bool session::impl::accept_item(item& value) {
  if (value.type == item_type::function_call && value.call.empty()) value.call = context.ids.call();
  if (value.type != item_type::function_call_output) return true;
  const bool known = context.items.has_call(value.call);
  if (known && !context.items.has_output_of(value.call)) return true;
  context.refuse({.code = errc::invalid_tool_call_id,
                  .message = known ? "The tool call '" + value.call.value + "' has its output already."
                                   : "No tool call with id '" + value.call.value + "' is in the conversation.",
                  .param = "item.call_id"});
  return false;
}

// The audio of input_audio parts comes as base64 text, in the session's input format.
bool session::impl::decode_audio(item& value) {
  const audio_format format = context.settings->input_format;
  for (std::size_t index = 0; index < value.content.size(); ++index) {
    content_part& part = value.content[index];
    if (part.type != part_type::input_audio || part.text.empty()) continue;
    std::vector<std::uint8_t> bytes(base64_decoded_bound(part.text.size()));
    const auto size = base64_decode(part.text, bytes.data());
    if (!size || *size % bytes_per_sample(format.encoding) != 0 || *size > context.options.limits.append_bytes) {
      context.refuse({.code = errc::invalid_value,
                      .message = "The audio is not valid base64 of whole samples.",
                      .param = "item.content[" + std::to_string(index) + "].audio"});
      return false;
    }
    audio_clip clip{format, std::vector<std::int16_t>(*size / bytes_per_sample(format.encoding))};
    decode_samples(format.encoding, std::span{bytes.data(), *size}, clip.samples.data());
    part.audio = std::make_shared<const audio_clip>(std::move(clip));
    part.text.clear();
  }
  return true;
}

void session::impl::insert_item(const item_create& create, item value) {
  const item_id id = value.id;
  if (!create.previous_item_id) {
    context.items.append(std::move(value));
  } else if (*create.previous_item_id == "root") {
    context.items.insert_first(std::move(value));
  } else {
    context.items.insert_after(item_id{*create.previous_item_id}, std::move(value));
  }
  const auto added = context.items.find(id);
  if (!added) return;  // at the head of a conversation that is full: it is the oldest, and has left
  context.emit(item_added{*added, context.items.previous_of(id)});
  context.finish_item(id);
  hear_item(*added);
}

// A whole turn at once: the model hears it as if it had been spoken, but no answer follows by itself.
void session::impl::hear_item(const item& value) {
  if (!context.options.capabilities.takes_audio || value.role != item_role::user) return;
  bool has_audio = false;
  double seconds = 0;
  for (const content_part& part : value.content) {
    if (!part.audio || part.transcript) continue;
    has_audio = true;
    seconds += static_cast<double>(part.audio->samples.size()) / part.audio->format.rate_hz;
    context.act(call_hear{{value.id, part.audio->format.rate_hz, part.audio->samples}});
  }
  if (!has_audio) return;
  pending.push_back({value.id, seconds, false});
  context.act(call_end_turn{{value.id, context.settings->transcription.has_value()}});
}

// ---- retrieve, delete, truncate ---------------------------------------------------------------------------------

void session::impl::handle(const item_retrieve& retrieve) {
  const auto known = context.items.find(retrieve.id);
  if (!known) return context.refuse(no_such_item(errc::item_retrieve_invalid_item_id, retrieve.id));
  const item* const being_made = active ? active->find(retrieve.id) : nullptr;
  item shown = being_made ? *being_made : *known;
  if (auto heard = as_heard(shown)) shown = *std::move(heard);
  context.emit(item_retrieved{std::move(shown)});
}

void session::impl::handle(const item_delete& erase) {
  if (!context.items.erase(erase.id)) {
    return context.refuse(no_such_item(errc::item_delete_invalid_item_id, erase.id));
  }
  context.spoken.erase(erase.id);
  context.emit(item_deleted{erase.id});
}

void session::impl::handle(const item_truncate& truncate) {
  const auto known = context.items.find(truncate.id);
  if (!known) return context.refuse(no_such_item(errc::item_truncate_invalid_item_id, truncate.id));
  const auto one = context.spoken.find(truncate.id);
  if (one == context.spoken.end() || truncate.content_index != 0) {
    return context.refuse({.code = errc::invalid_value,
                           .message = "Only the audio of an assistant message can be truncated.",
                           .param = truncate.content_index != 0 ? "content_index" : "item_id"});
  }
  playback_track& track = one->second.track;
  const std::int64_t have_ms = samples_to_ms(track.cut_limit(), track.rate_hz());
  if (truncate.audio_end_ms > have_ms) {
    return context.refuse({.code = errc::invalid_value,
                           .message = "Audio content of " + std::to_string(have_ms) + " ms is already shorter than " +
                                      std::to_string(truncate.audio_end_ms) + " ms.",
                           .param = "audio_end_ms"});
  }
  track.cut(ms_to_samples(truncate.audio_end_ms, track.rate_hz()));
  context.emit(item_truncated{truncate.id, truncate.content_index, truncate.audio_end_ms});
}

void session::impl::handle(const playback_ack& ack) {
  for (auto& [id, one] : context.spoken) {
    const bool meant = ack.item ? id == *ack.item : ack.response && one.response == *ack.response;
    if (!meant) continue;
    const bool moved = one.track.acknowledged(ms_to_samples(ack.played_ms, one.track.rate_hz()));
    if (ack.truncate) {
      one.track.cut(std::min(one.track.cut_limit(), ms_to_samples(ack.played_ms, one.track.rate_hz())));
    }
    const std::int64_t played_ms = samples_to_ms(one.track.played(), one.track.rate_hz());
    return context.emit(playback_acknowledged{one.response, id, played_ms, moved && !find_response(one.response)});
  }
  context.refuse({.code = errc::invalid_value,
                  .message = "No spoken answer has this id.",
                  .param = ack.item ? "item_id" : "response_id"});
}

// ---- the prompt -------------------------------------------------------------------------------------------------

// A spoken answer with the words that were heard; empty where the item is what it is.
std::optional<item> session::impl::as_heard(const item& value) const {
  const auto one = context.spoken.find(value.id);
  if (one == context.spoken.end() || !is_spoken_answer(value)) return std::nullopt;
  item cut = value;
  std::string& words = cut.content.front().transcript.emplace(value.content.front().transcript.value_or(""));
  words = one->second.track.heard_text(words, context.settings->playback, context.now);
  return cut;
}

std::vector<conversation::item_ptr> session::impl::prompt(const response_options& options) const {
  std::vector<conversation::item_ptr> made;
  const auto add = [&](const conversation::item_ptr& one) {
    if (one->status == item_status::in_progress) return;  // what is being said right now
    // Half a call has no valid arguments.
    if (one->type == item_type::function_call && one->status == item_status::incomplete) return;
    auto heard = as_heard(*one);
    if (!heard) return made.push_back(one);
    if (!heard->content.front().transcript->empty()) {
      made.push_back(std::make_shared<const item>(*std::move(heard)));
    }
  };
  if (!options.input) {
    for (const auto& one : context.items.items()) add(one);
    return made;
  }
  for (const auto& given : *options.input) {
    if (!given.reference) {
      made.push_back(std::make_shared<const item>(given.value));
    } else if (const auto known = context.items.find(given.value.id)) {
      add(known);
    }
  }
  return made;
}

// References must name items; sound is only taken as a turn of the conversation, where it is heard.
bool session::impl::usable_input(const response_options& options) {
  if (!options.input) return true;
  const auto has_sound = [](const item& value) {
    return std::any_of(value.content.begin(), value.content.end(), [](const content_part& part) {
      return part.type == part_type::input_audio && !part.text.empty();
    });
  };
  for (std::size_t index = 0; index < options.input->size(); ++index) {
    const auto& [reference, value] = (*options.input)[index];
    const std::string path = "response.input[" + std::to_string(index) + "]";
    if (reference && !context.items.find(value.id)) {
      context.refuse({.code = errc::invalid_value,
                      .message = "The item '" + value.id.value + "' does not exist.",
                      .param = path + ".id"});
      return false;
    }
    if (!reference && has_sound(value)) {
      context.refuse({.code = errc::unsupported_content_type,
                      .message = "Audio in response.input is not supported: add it with conversation.item.create.",
                      .param = path + ".content"});
      return false;
    }
  }
  return true;
}

}  // namespace parley::runtime
