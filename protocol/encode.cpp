#include "protocol/encode.hpp"

#include "protocol/encode_duplex.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/spelling.hpp"

#include <array>
#include <charconv>
#include <variant>

namespace parley::protocol {
namespace {

// Most events fit, so that one allocation is the rule; audio deltas compute theirs.
constexpr std::size_t typical_event_bytes = 384;

// A transcription session of the beta API is announced under a name of its own.
std::string_view session_event(const session_view& session, std::string_view plain, std::string_view transcribing) {
  return session.settings->kind == session_kind::transcription ? transcribing : plain;
}

std::string_view wire_type(dialect spoken, const event_body& body) {
  const spelling& both = spelling_of(body);
  if (spoken == dialect::duplex) return both.duplex;
  if (!is_beta(spoken)) return both.ga;
  if (const auto* made = std::get_if<session_created>(&body)) {
    return session_event(made->session, both.beta, "transcription_session.created");
  }
  if (const auto* made = std::get_if<session_updated>(&body)) {
    return session_event(made->session, both.beta, "transcription_session.updated");
  }
  return both.beta;
}

// Writes the members of an event behind type and event_id.
struct body_writer {
  json_writer& json;
  dialect spoken;

  void place(const part_ref& at) {
    json.member("response_id", at.response);
    json.member("item_id", at.item);
    json.member("output_index", at.output_index);
    json.member("content_index", at.content_index);
  }
  // A function call has no content parts.
  void call_place(const part_ref& at, const call_id& call) {
    json.member("response_id", at.response);
    json.member("item_id", at.item);
    json.member("output_index", at.output_index);
    json.member("call_id", call);
  }
  void item_of_response(const response_id& response, int output_index, const item& value) {
    json.member("response_id", response);
    json.member("output_index", output_index);
    json.key("item");
    write_item(json, spoken, value);
  }
  void item_of_conversation(const std::optional<item_id>& previous, const item& value) {
    json.member("previous_item_id", previous);
    json.key("item");
    write_item(json, spoken, value);
  }
  void content_place(const item_id& of, int content_index) {
    json.member("item_id", of);
    json.member("content_index", content_index);
  }
  void logprobs(const std::vector<token_logprob>& tokens) {
    json.begin_array("logprobs");
    for (const token_logprob& each : tokens) {
      json.begin_object();
      json.member("token", each.token);
      json.member("logprob", each.logprob);
      json.begin_array("bytes");
      for (const char byte : each.token) json.value(static_cast<int>(static_cast<unsigned char>(byte)));
      json.end_array();
      json.end_object();
    }
    json.end_array();
  }
  void session(const session_view& view) {
    json.key("session");
    write_session(json, spoken, view);
  }
  void response(const response_view& view) {
    json.key("response");
    write_response(json, spoken, view);
  }
  void part(const part_ref& at, const content_part& value) {
    place(at);
    json.key("part");
    write_part(json, value);
  }

  void operator()(const session_created& event) { session(event.session); }
  void operator()(const session_updated& event) { session(event.session); }
  void operator()(const error_event& event) {
    json.begin_object("error");
    json.member("type", wire_name(event.error.kind));
    json.key("code");
    if (event.error.code == errc::none) {
      json.value(nullptr);
    } else {
      json.value(wire_name(event.error.code));
    }
    json.member("message", event.error.message);
    json.member("param", event.error.param);
    json.member("event_id", event.error.client_event_id);
    json.end_object();
  }

  void operator()(const speech_started& event) {
    json.member("audio_start_ms", event.audio_start_ms);
    json.member("item_id", event.item);
  }
  void operator()(const speech_stopped& event) {
    json.member("audio_end_ms", event.audio_end_ms);
    json.member("item_id", event.item);
  }
  void operator()(const input_committed& event) {
    json.member("previous_item_id", event.previous);
    json.member("item_id", event.item);
  }
  void operator()(const input_cleared&) {}
  void operator()(const timeout_triggered& event) {
    json.member("audio_start_ms", event.audio_start_ms);
    json.member("audio_end_ms", event.audio_end_ms);
    json.member("item_id", event.item);
  }

  void operator()(const item_added& event) { item_of_conversation(event.previous, event.value); }
  void operator()(const item_done& event) { item_of_conversation(event.previous, event.value); }
  void operator()(const item_retrieved& event) {
    json.key("item");
    write_item(json, spoken, event.value, audio_data::included);
  }
  void operator()(const item_deleted& event) { json.member("item_id", event.id); }
  void operator()(const item_truncated& event) {
    content_place(event.id, event.content_index);
    json.member("audio_end_ms", event.audio_end_ms);
  }

  void operator()(const transcription_delta& event) {
    content_place(event.item, event.content_index);
    json.member("delta", event.delta);
  }
  void operator()(const transcription_completed& event) {
    content_place(event.item, event.content_index);
    json.member("transcript", event.transcript);
    if (event.logprobs) logprobs(*event.logprobs);
    json.begin_object("usage");
    json.member("type", "duration");
    json.member("seconds", event.audio_seconds);
    json.end_object();
  }
  // Strings or absent: a null member here makes a client drop the event.
  void operator()(const transcription_failed& event) {
    content_place(event.item, event.content_index);
    json.begin_object("error");
    json.member("type", wire_name(event.error.kind));
    if (event.error.code != errc::none) json.member("code", wire_name(event.error.code));
    json.member("message", event.error.message);
    if (event.error.param) json.member("param", *event.error.param);
    json.end_object();
  }

  void operator()(const response_created& event) { response(event.response); }
  void operator()(const response_done& event) { response(event.response); }
  void operator()(const output_item_added& event) { item_of_response(event.response, event.output_index, event.value); }
  void operator()(const output_item_done& event) { item_of_response(event.response, event.output_index, event.value); }
  void operator()(const content_part_added& event) { part(event.at, event.part); }
  void operator()(const content_part_done& event) { part(event.at, event.part); }
  void operator()(const text_delta& event) {
    place(event.at);
    json.member("delta", event.delta);
  }
  void operator()(const text_done& event) {
    place(event.at);
    json.member("text", event.text);
  }
  void operator()(const transcript_delta& event) {
    place(event.at);
    json.member("delta", event.delta);
  }
  void operator()(const transcript_done& event) {
    place(event.at);
    json.member("transcript", event.transcript);
  }
  void operator()(const audio_delta&) {}  // render_audio_delta
  void operator()(const audio_done& event) { place(event.at); }
  void operator()(const arguments_delta& event) {
    call_place(event.at, event.call);
    json.member("delta", event.delta);
  }
  void operator()(const arguments_done& event) {
    call_place(event.at, event.call);
    if (!is_beta(spoken)) json.member("name", event.name);
    json.member("arguments", event.arguments);
  }

  void operator()(const playback_acknowledged& event) {
    json.member("response_id", event.response);
    json.member("item_id", event.item);
    json.member("played_ms", event.played_ms);
    json.member("history_committed", event.history_committed);
  }
  void operator()(const item_created& event) { item_of_conversation(event.previous, event.value); }
  // Of the duplex dialect alone: encode_duplex.cpp.
  void operator()(const session_resumed&) {}
  void operator()(const session_replaced&) {}
  void operator()(const resync_required&) {}
  void operator()(const heartbeat_ack&) {}
  void operator()(const response_speak&) {}
  void operator()(const response_listen&) {}
  void operator()(const overlap_decision&) {}
  void operator()(const turn_event&) {}
  void operator()(const output_cleared&) {}
  void operator()(const nameless_call_done&) {}
  void operator()(const rate_limits_updated& event) {
    json.begin_array("rate_limits");
    for (const rate_limit& each : event.limits) {
      json.begin_object();
      json.member("name", each.name == rate_limit_name::requests ? "requests" : "tokens");
      json.member("limit", each.limit);
      json.member("remaining", each.remaining);
      json.member("reset_seconds", each.reset_seconds);
      json.end_object();
    }
    json.end_array();
  }
};

}  // namespace

// Beta clients close the socket at a name that they do not know.
bool is_spoken(dialect spoken, const event_body& body) noexcept { return !wire_type(spoken, body).empty(); }

std::string render(dialect spoken, const server_event& event) {
  if (const auto* delta = std::get_if<audio_delta>(&event.body)) {
    return render_audio_delta(spoken, wire_type(spoken, event.body), event.id, *delta);
  }
  std::string out;
  out.reserve(typical_event_bytes);
  json_writer json(out);
  json.begin_object();
  json.member("type", wire_type(spoken, event.body));
  json.member("event_id", event.id);
  if (spoken != dialect::duplex || !write_duplex_body(json, event.body)) {
    std::visit(body_writer{json, spoken}, event.body);
  }
  json.end_object();
  out.reserve(out.size() + sequence_room_bytes);
  return out;
}

std::string render(const event_id& id, const terminal_event& event) {
  std::string out;
  out.reserve(typical_event_bytes + event.details.text.size());
  json_writer json(out);
  json.begin_object();
  json.member("type", event.type);
  json.member("event_id", id);
  json.member("session_id", event.session);
  json.member("reason", event.reason);
  json.member("event", event.details);
  json.end_object();
  out.reserve(out.size() + sequence_room_bytes);
  return out;
}

void append_sequence(std::string& rendered, std::uint64_t sequence) {
  std::array<char, 20> digits;  // the longest 64-bit number
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), sequence).ptr;
  rendered.pop_back();
  rendered += R"(,"server_event_seq":)";
  rendered.append(digits.data(), end);
  rendered += '}';
}

}  // namespace parley::protocol
