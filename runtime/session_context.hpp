// What the parts of one session share: its settings, items, clocks and counters, and the list that actions go to. A
// part (response, input, items) gets it as a reference for the length of one call; `now` and `out` are set by the
// session before each. Internal to runtime. Thread safety: none; owned by the session.
#pragma once

#include "runtime/action.hpp"
#include "runtime/conversation.hpp"
#include "runtime/id_source.hpp"
#include "runtime/playback_track.hpp"
#include "runtime/playing_clock.hpp"
#include "runtime/session.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace parley::runtime {

struct spoken_item {
  protocol::response_id response;
  playback_track track;
  // duplex: what an acknowledgement still does
  bool over = false;  // its response has ended
  bool cancelled = false;
  bool reserved = false;  // acknowledged at all: it has its place in history
  bool too_late = false;  // the user's next turn came first
};

struct session_context {
  explicit session_context(session_options given)
      : options(std::move(given)),
        ids(options.id_seed),
        conversation_name(ids.conversation()),
        settings(std::make_shared<const protocol::session_settings>(options.settings)),
        items(options.limits.items, options.limits.history_audio_bytes, options.limits.history_text_bytes) {}

  // Constant after construction
  const session_options options;
  id_source ids;
  const protocol::conversation_id conversation_name;

  // The conversation's state
  std::shared_ptr<const protocol::session_settings> settings;
  conversation items;
  playing_clock clock;
  std::unordered_map<protocol::item_id, spoken_item> spoken;  // of the conversation's answers in speech
  protocol::epoch epoch;
  bool has_spoken = false;   // some audio was generated: the voice is settled
  std::int64_t turn_id = 0;  // duplex: finished turns of the model

  // Set for the length of one call
  time_point now{};
  actions* out = nullptr;
  std::optional<std::string> client_event_id;  // of the command being handled: errors echo it

  void act(action one) { out->push_back(std::move(one)); }
  void emit(protocol::event_body body, std::optional<protocol::response_id> cause = std::nullopt) {
    act(runtime::emit{protocol::server_event{ids.event(), std::move(body)}, std::move(cause)});
  }
  // The client event at fault is the one being handled, unless the error names another.
  void refuse(protocol::wire_error error) {
    if (!error.client_event_id) error.client_event_id = client_event_id;
    emit(protocol::error_event{std::move(error)});
  }

  // The conversation lets its oldest items go without a word: so must what is known of their playback.
  void forget_spoken_of_gone_items() {
    if (spoken.size() < options.limits.items) return;
    std::erase_if(spoken, [&](const auto& one) { return !items.find(one.first); });
  }

  [[nodiscard]] bool is_duplex() const noexcept { return options.dialect == protocol::dialect::duplex; }
  // The duplex dialect says it twice.
  void announce_item(const protocol::item& value, const std::optional<protocol::item_id>& previous,
                     const std::optional<protocol::response_id>& cause = std::nullopt) {
    emit(protocol::item_added{value, previous}, cause);
    if (is_duplex()) emit(protocol::item_created{value, previous}, cause);
  }

  // Items that history holds: an answer of which nothing is kept is none.
  [[nodiscard]] std::size_t history_length() const {
    const auto unheard = std::count_if(items.items().begin(), items.items().end(), [&](const auto& one) {
      const auto known = spoken.find(one->id);
      return known != spoken.end() && known->second.track.heard(settings->playback, now) <= 0;
    });
    return items.items().size() - static_cast<std::size_t>(unheard);
  }

  // Appends to the conversation and announces it.
  void add_item(protocol::item value, std::optional<protocol::response_id> cause = std::nullopt) {
    items.append(value);
    announce_item(value, items.previous_of(value.id), cause);
  }
  // Announces that the item is complete, as it stands in the conversation.
  void finish_item(const protocol::item_id& id, std::optional<protocol::response_id> cause = std::nullopt) {
    if (const auto value = items.find(id)) emit(protocol::item_done{*value, items.previous_of(id)}, std::move(cause));
  }
};

}  // namespace parley::runtime
