#include "protocol/encode_duplex.hpp"

#include "protocol/encode_objects.hpp"

#include <optional>
#include <string>
#include <variant>

namespace parley::protocol {
namespace {

std::string_view name_of(overlap_action action) noexcept {
  switch (action) {
    case overlap_action::drop:
      return "drop";
    case overlap_action::listen:
      return "listen";
    case overlap_action::barge_in:
      return "barge_in";
  }
  return "listen";
}

void write_if(json_writer& json, std::string_view name, bool flag) {
  if (flag) json.member(name, true);
}

void write_text_or_null(json_writer& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty()) return json.value(nullptr);
  json.value(text);
}

void write_commit(json_writer& json, const item_id& item, const commit_facts& facts) {
  json.begin_object("event");
  json.member("type", "input.committed");
  json.member("session_id", facts.session);
  json.member("turn_id", facts.turn_id);
  json.member("epoch", facts.epoch.value);
  json.member("history_len", facts.history_len);
  json.begin_object("message");
  json.member("role", "user");
  json.member("content", facts.message);
  json.end_object();
  if (!item.empty()) json.member("realtime_item_id", item);
  json.member("final", facts.final);
  write_if(json, "empty", facts.empty);
  write_if(json, "overlap_ack", facts.overlap_ack);
  if (!facts.is_speech) json.member("is_speech", false);
  write_if(json, "no_response", facts.no_response);
  write_if(json, "overlap_deferred", facts.overlap_deferred);
  if (facts.overlap_deferred || facts.response_create_deferred) {
    json.member("response_create_deferred", facts.response_create_deferred);
  }
  json.end_object();
}

// Writes the events that have a form of their own here; everything else is left to the caller.
struct duplex_writer {
  json_writer& json;

  template <class Event>
  bool operator()(const Event&) {
    return false;
  }

  void session(const session_view& view) {
    json.key("session");
    write_duplex_session(json, view);
  }
  void resume(const attachment& how) {
    json.member("attachment_generation", how.generation);
    json.member("resume_token", how.resume_token);
  }
  void response(std::string_view type, const response_view& view) {
    json.member("response_id", view.id);
    json.key("response");
    write_duplex_response(json, type, view);
  }
  // Opens `event`, which tells the same as the event around it and whose it is.
  void begin_event(std::string_view type, const std::optional<session_id>& session) {
    json.begin_object("event");
    json.member("type", type);
    if (session) json.member("session_id", *session);
  }
  void cut(const item_truncated& event) {
    json.member("item_id", event.id);
    json.member("content_index", event.content_index);
    json.member("audio_end_ms", event.audio_end_ms);
  }

  bool operator()(const session_created& event) {
    if (event.resume) resume(*event.resume);
    session(event.session);
    return true;
  }
  bool operator()(const session_updated& event) {
    session(event.session);
    return true;
  }
  bool operator()(const session_resumed& event) {
    json.member("session_id", event.session.id);
    resume(event.resume);
    session(event.session);
    return true;
  }
  bool operator()(const session_replaced& event) {
    json.member("session_id", event.session);
    json.member("attachment_generation", event.generation);
    return true;
  }
  bool operator()(const resync_required& event) {
    json.member("session_id", event.session);
    json.member("reason", event.reason);
    return true;
  }
  bool operator()(const heartbeat_ack& event) {
    json.member("session_id", event.session);
    return true;
  }
  // What does not apply is absent here, not null.
  bool operator()(const error_event& event) {
    json.begin_object("error");
    json.member("type", duplex_class(event.error.code));
    json.member("code", duplex_name(event.error.code));
    json.member("message", event.error.message);
    if (event.error.param) json.member("param", *event.error.param);
    if (event.error.client_event_id) json.member("event_id", *event.error.client_event_id);
    if (event.error.retryable) json.member("retryable", *event.error.retryable);
    json.end_object();
    return true;
  }

  bool operator()(const input_committed& event) {
    json.member("previous_item_id", event.previous);
    if (!event.item.empty()) json.member("item_id", event.item);
    if (event.facts) write_commit(json, event.item, *event.facts);
    return true;
  }
  // Audio and pictures that a client sent are not sent back: they would fill the session's output budget.
  bool operator()(const item_retrieved& event) {
    json.key("item");
    write_item(json, dialect::duplex, event.value);
    return true;
  }
  bool operator()(const item_deleted& event) {
    json.member("item_id", event.id);
    begin_event("conversation.item.deleted", event.session);
    json.member("item_id", event.id);
    json.end_object();
    return true;
  }
  bool operator()(const item_truncated& event) {
    cut(event);
    begin_event("conversation.item.truncated", event.session);
    cut(event);
    json.end_object();
    return true;
  }

  bool operator()(const response_created& event) {
    response("response.created", event.response);
    return true;
  }
  bool operator()(const response_done& event) {
    response("response.done", event.response);
    return true;
  }
  bool operator()(const response_speak& event) {
    json.member("response_id", event.at.response);
    json.member("item_id", event.at.item);
    json.member("output_index", event.at.output_index);
    json.member("content_index", event.at.content_index);
    json.begin_object("metadata");
    json.member("session_id", event.session);
    json.member("epoch", event.epoch.value);
    json.member("model_speak", true);
    json.end_object();
    return true;
  }
  bool operator()(const response_listen& event) {
    json.member("session_id", event.session);
    json.member("epoch", event.epoch.value);
    if (event.listened) json.member("response_id", *event.listened);
    json.begin_object("response");
    json.member("object", "realtime.response");
    json.member("status", "listening");
    if (event.listened) json.member("id", *event.listened);
    json.begin_object("metadata");
    json.member("type", "response.listen");
    json.member("session_id", event.session);
    json.member("epoch", event.epoch.value);
    json.member("reason", event.reason);
    json.member("model_listen", event.model_listen);
    write_if(json, "buffering", event.buffering);
    json.end_object();
    json.end_object();
    return true;
  }

  bool operator()(const overlap_decision& event) {
    json.member("session_id", event.session);
    json.member("epoch", event.epoch.value);
    json.member("policy", protocol::name_of(event.policy));
    json.member("action", name_of(event.action));
    json.member("reason", event.reason);
    json.begin_object("metadata");
    json.member("duration_ms", event.duration_ms);
    json.member("overlap_speech_ms", event.overlap_speech_ms);
    json.member("buffer_audio", event.buffer_audio);
    json.member("defer_runtime_append", event.defer_runtime_append);
    json.member("force_listen", event.force_listen);
    json.end_object();
    return true;
  }
  bool operator()(const playback_acknowledged& event) {
    begin_event("playback.acknowledged", event.session);
    json.member("epoch", event.epoch.value);
    json.member("response_id", event.response);
    json.member("item_id", event.item);
    json.member("played_ms", event.played_ms);
    json.member("committed_ms", event.committed_ms);
    json.member("truncate", event.truncate);
    write_playback(json, event.playback);
    json.member("history_committed", event.history_committed);
    json.end_object();
    return true;
  }
  bool operator()(const turn_event& event) {
    json.member("session_id", event.session);
    json.member("event", event.event);
    json.member("turn_state", protocol::name_of(event.state));
    json.member("epoch", event.epoch.value);
    return true;
  }
  bool operator()(const output_cleared& event) {
    if (event.cleared) json.member("response_id", *event.cleared);
    return true;
  }
  bool operator()(const nameless_call_done& event) {
    begin_event("function_call.done", {});
    write_text_or_null(json, "call_id", event.call.value);
    write_text_or_null(json, "name", event.name);
    json.member("arguments", event.arguments);
    json.end_object();
    return true;
  }
  // Nobody is limited by rate here: the event is there because clients wait for it.
  bool operator()(const rate_limits_updated&) {
    json.begin_array("rate_limits");
    json.end_array();
    return true;
  }
};

}  // namespace

std::string_view name_of(turn_state state) noexcept {
  switch (state) {
    case turn_state::idle:
      return "idle";
    case turn_state::user_speaking:
      return "user_speaking";
    case turn_state::user_committed:
      return "user_committed";
    case turn_state::assistant_generating:
      return "assistant_generating";
    case turn_state::assistant_playing:
      return "assistant_playing";
    case turn_state::barge_in:
      return "barge_in";
  }
  return "idle";
}

std::string_view name_of(overlap_policy policy) noexcept {
  switch (policy) {
    case overlap_policy::listen_only:
      return "listen_only";
    case overlap_policy::barge_in_on_speech:
      return "barge_in_on_speech";
    case overlap_policy::by_length:
      return "by_length";
  }
  return "listen_only";
}

void write_playback(json_writer& json, const playback_counters& counters) {
  json.begin_object("playback");
  json.member("generated_ms", counters.generated_ms);
  json.member("sent_ms", counters.sent_ms);
  json.member("played_ms", counters.played_ms);
  json.member("committed_ms", counters.committed_ms);
  json.end_object();
}

bool write_duplex_body(json_writer& json, const event_body& body) { return std::visit(duplex_writer{json}, body); }

}  // namespace parley::protocol
