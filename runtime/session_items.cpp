// The client's edits of the conversation.
#include "protocol/base64.hpp"
#include "protocol/g711.hpp"
#include "protocol/quote.hpp"
#include "runtime/session_impl.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

// A user's turn whose words are not known.
bool is_unheard(const item& value) {
  return value.role == item_role::user && std::any_of(value.content.begin(), value.content.end(),
                                                      [](const auto& part) { return part.audio && !part.transcript; });
}

wire_error no_such_item(errc code, const item_id& id) {
  return {.code = code, .message = "The item " + quoted(id.value) + " does not exist.", .param = "item_id"};
}

}  // namespace

// ---- create -----------------------------------------------------------------------------------------------------

void session::impl::handle(const item_create& create) {
  if (context.settings->kind == session_kind::transcription) {
    return context.refuse(
        {.code = errc::unsupported_in_transcription_session, .message = "A transcription session takes audio only."});
  }
  item value = create.new_item;
  if (value.id.empty()) value.id = context.ids.item();
  if (context.items.find(value.id)) {
    return context.refuse({.code = errc::item_create_duplicate_item_id,
                           .message = "The item " + quoted(value.id.value) + " exists already.",
                           .param = "item.id"});
  }
  const auto& after = create.previous_item_id;
  if (after && *after != "root" && !context.items.find(item_id{*after})) {
    return context.refuse({.code = errc::item_create_invalid_previous_item_id,
                           .message = "The item " + quoted(*after) + " does not exist.",
                           .param = "previous_item_id"});
  }
  if (accept_item(value) && accept_images(value, "item") && fits_images_with(value) && decode_audio(value, "item") &&
      (!is_unheard(value) || has_room_for_turns(1))) {
    insert_item(create, std::move(value));
  }
}

// Checks that need the conversation; refuses what fails them.
bool session::impl::accept_item(item& value) {
  if (value.type == item_type::function_call && value.call.empty()) value.call = context.ids.call();
  if (value.type != item_type::function_call_output) return true;
  const bool known = context.items.has_call(value.call);
  if (known && !context.items.has_output_of(value.call)) return true;
  context.refuse({.code = errc::invalid_tool_call_id,
                  .message = known ? "The tool call " + quoted(value.call.value) + " has its output already."
                                   : "No tool call with id " + quoted(value.call.value) + " is in the conversation.",
                  .param = "item.call_id"});
  return false;
}

bool session::impl::fits_images(const std::vector<const item*>& prompt) {
  if (!duplex) return true;
  std::size_t count = 0, bytes = 0;
  for (const item* const one : prompt) {
    if (duplex->input.is_framed(one->id)) continue;  // those leave by themselves
    for (const content_part& part : one->content) {
      if (part.type != part_type::input_image) continue;
      ++count;
      bytes += part.text.size();
    }
  }
  const session_limits& limits = context.options.limits;
  if (count <= limits.context_images && bytes <= limits.context_image_bytes) return true;
  context.refuse({.code = errc::input_backpressure, .message = "The context holds as many pictures as it can."});
  return false;
}

// One without pictures always fits: what is in the conversation has been let in.
bool session::impl::fits_images_with(const item& value) {
  const bool has_images = std::any_of(value.content.begin(), value.content.end(),
                                      [](const content_part& part) { return part.type == part_type::input_image; });
  if (!has_images) return true;
  std::vector<const item*> prompt{&value};
  for (const auto& one : context.items.items()) prompt.push_back(one.get());
  return fits_images(prompt);
}

bool session::impl::accept_images(const item& value, const std::string& path) {
  if (context.options.capabilities.takes_images) return true;
  const auto image = std::find_if(value.content.begin(), value.content.end(),
                                  [](const content_part& part) { return part.type == part_type::input_image; });
  if (image == value.content.end()) return true;
  context.refuse({.code = errc::unsupported_content_type,
                  .message = "This model takes no images.",
                  .param = path + ".content[" + std::to_string(image - value.content.begin()) + "].type"});
  return false;
}

// The user's in the session's input format, the assistant's in its output format.
bool session::impl::decode_audio(item& value, const std::string& path) {
  const audio_format format =
      value.role == item_role::assistant ? context.settings->output_format : context.settings->input_format;
  for (std::size_t index = 0; index < value.content.size(); ++index) {
    content_part& part = value.content[index];
    const bool sound = part.type == part_type::input_audio || part.type == part_type::output_audio;
    if (!sound || part.text.empty()) continue;
    std::vector<std::uint8_t> bytes(base64_decoded_bound(part.text.size()));
    const auto size = base64_decode(part.text, bytes.data());
    if (!size || *size % bytes_per_sample(format.encoding) != 0 || *size > context.options.limits.append_bytes) {
      context.refuse({.code = errc::invalid_value,
                      .message = "The audio is not valid base64 of whole samples.",
                      .param = path + ".content[" + std::to_string(index) + "].audio"});
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
  context.announce_item(*added, context.items.previous_of(id));
  context.finish_item(id);
  hear_inserted(*added);
}

// A whole turn at once, but no answer follows by itself.
void session::impl::hear_inserted(const item& value) {
  if (duplex) {
    const bool asks = value.type == item_type::function_call_output ||
                      (value.type == item_type::message && value.role == item_role::user);
    duplex->unanswered_text = duplex->unanswered_text || asks;
    return duplex->input.give_item(value, duplex->audio);
  }
  if (native_feed || !context.options.capabilities.takes_audio) return;
  const double seconds = hear_item(value);
  if (seconds <= 0) return;
  const auto spoken = std::find_if(value.content.begin(), value.content.end(), [](const content_part& part) {
    return part.type == part_type::input_audio && !part.transcript;
  });
  await_turn({.item = value.id, .seconds = seconds, .content_index = static_cast<int>(spoken - value.content.begin())});
  context.act(call_end_turn{{value.id, context.settings->transcription}});
}

double session::impl::hear_item(const item& value) {
  double seconds = 0;
  if (value.role != item_role::user) return seconds;
  for (const content_part& part : value.content) {
    if (!part.audio || part.transcript) continue;
    seconds += static_cast<double>(part.audio->samples.size()) / part.audio->format.rate_hz;
    context.act(call_hear{{value.id, part.audio->format.rate_hz, part.audio->samples}});
  }
  return seconds;
}

// ---- retrieve, delete, truncate ---------------------------------------------------------------------------------

void session::impl::handle(const item_retrieve& retrieve) {
  const auto known = context.items.find(retrieve.id);
  if (!known) return context.refuse(no_such_item(errc::item_retrieve_invalid_item_id, retrieve.id));
  const auto being_made = active ? active->shown(retrieve.id) : std::nullopt;
  item shown = being_made.value_or(*known);
  if (duplex) {
    shown = as_shown(shown);
  } else if (auto heard = as_heard(shown)) {
    shown = *std::move(heard);
  }
  context.emit(item_retrieved{std::move(shown)});
}

void session::impl::handle(const item_delete& erase) {
  if (!context.items.erase(erase.id)) {
    return context.refuse(no_such_item(errc::item_delete_invalid_item_id, erase.id));
  }
  context.spoken.erase(erase.id);
  context.emit(item_deleted{erase.id, context.is_duplex() ? std::optional{context.options.id} : std::nullopt});
}

void session::impl::handle(const item_truncate& truncate) {
  const auto known = context.items.find(truncate.id);
  if (!known) return context.refuse(no_such_item(errc::item_truncate_invalid_item_id, truncate.id));
  if (duplex && !context.options.capabilities.truncates_audio) {
    return context.refuse({.code = errc::unsupported, .message = "Audio of this model can not be truncated."});
  }
  const auto one = context.spoken.find(truncate.id);
  if (one == context.spoken.end()) {
    return context.refuse({.code = duplex ? errc::bad_event : errc::unsupported_content_type,
                           .message = "Only model output audio messages can be truncated.",
                           .param = "item_id"});
  }
  if (truncate.content_index != 0) {
    return context.refuse({.code = duplex ? errc::bad_event : errc::invalid_value,
                           .message = "The audio of an answer is its part 0.",
                           .param = "content_index"});
  }
  playback_track& track = one->second.track;
  const std::int64_t have_ms = samples_to_ms(track.cut_limit(), track.rate_hz());
  if (truncate.audio_end_ms > have_ms) {
    return context.refuse({.code = duplex ? errc::bad_event : errc::invalid_value,
                           .message = "Audio content of " + std::to_string(have_ms) + " ms is already shorter than " +
                                      std::to_string(truncate.audio_end_ms) + " ms.",
                           .param = "audio_end_ms"});
  }
  track.cut(ms_to_samples(truncate.audio_end_ms, track.rate_hz()));
  item_truncated told{truncate.id, truncate.content_index, truncate.audio_end_ms};
  if (!duplex) return context.emit(std::move(told));
  told.session = context.options.id;
  context.emit(std::move(told));
  one->second.reserved = true;
  context.emit(playback_acknowledged{.response = one->second.response,
                                     .item = truncate.id,
                                     .played_ms = truncate.audio_end_ms,
                                     .history_committed = one->second.over,
                                     .session = context.options.id,
                                     .epoch = context.epoch,
                                     .committed_ms = truncate.audio_end_ms,
                                     .truncate = true,
                                     .playback = counters_of(one->second)});
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

}  // namespace parley::runtime
