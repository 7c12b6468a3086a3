#include "protocol/encode_duplex.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/spelling.hpp"

namespace parley::protocol {
namespace {

// A client knows three ends: what stopped at a limit ended completed, with the limit as its reason.
response_status shown(response_status status) noexcept {
  return status == response_status::incomplete ? response_status::completed : status;
}

void write_failure(json_writer& json, const wire_error& failure) {
  json.member("reason", duplex_name(failure.code));
  json.begin_object("error");
  json.member("type", duplex_class(failure.code));
  json.member("code", duplex_name(failure.code));
  json.member("message", failure.message);
  json.end_object();
}

void write_details(json_writer& json, const response_view& response) {
  json.key("status_details");
  const std::string_view reason = name_of(response.reason, dialect::duplex);
  const response_status status = shown(response.status);
  if (status == response_status::in_progress || (status == response_status::completed && reason.empty())) {
    return json.value(nullptr);
  }
  json.begin_object();
  json.member("type", name_of(status));
  if (response.failure) {
    write_failure(json, *response.failure);
  } else if (!reason.empty()) {
    json.member("reason", reason);
  }
  json.end_object();
}

// The client's members stand first: where one has a name of ours, the last counts.
void write_client_members(json_writer& json, const std::optional<raw_json>& metadata) {
  if (metadata && metadata->text.size() > 2) json.value(raw_json{metadata->text.substr(1, metadata->text.size() - 2)});
}

// What the event is about, as its internal form says it.
void write_facts(json_writer& json, std::string_view type, const response_view& response) {
  const duplex_response facts = response.duplex.value_or(duplex_response{});
  json.member("type", type);
  if (response.duplex) json.member("session_id", facts.session);
  json.member("response_id", response.id);
  json.member("epoch", facts.epoch.value);
  json.member("turn_id", facts.turn_id);
}

void write_end(json_writer& json, const response_view& response) {
  const duplex_response facts = response.duplex.value_or(duplex_response{});
  json.member("committed", facts.committed);
  if (facts.cancelled_epoch) {
    json.member("cancelled_epoch", facts.cancelled_epoch->value);
    json.member("committed_ms", facts.playback.committed_ms);
  }
  write_playback(json, facts.playback);
}

void write_metadata(json_writer& json, std::string_view type, const response_view& response) {
  json.begin_object("metadata");
  write_client_members(json, response.metadata);
  if (response.status == response_status::in_progress) {
    json.begin_object("duplex_event");
    write_facts(json, type, response);
    json.end_object();
  } else {
    write_facts(json, type, response);
    write_end(json, response);
  }
  json.end_object();
}

}  // namespace

void write_duplex_response(json_writer& json, std::string_view type, const response_view& response) {
  json.begin_object();
  json.member("id", response.id);
  json.member("object", "realtime.response");
  json.member("status", name_of(shown(response.status)));
  write_details(json, response);
  json.begin_array("output");
  for (const auto& each : response.output) write_item(json, dialect::duplex, each);
  json.end_array();
  for (const std::string_view name : {spelled::modalities.beta, spelled::modalities.ga}) {
    json.key(name);
    write_modalities(json, dialect::duplex, response.modality);
  }
  if (response.usage) write_usage(json, dialect::duplex, response.usage);
  write_metadata(json, type, response);
  json.end_object();
}

}  // namespace parley::protocol
