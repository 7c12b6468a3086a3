#include "bench/duplex_checks.hpp"

#include "protocol/base64.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace parley::bench {
namespace {

namespace json = boost::json;

// What a client that does things at random is told, and rightly.
constexpr std::array<std::string_view, 6> earned_errors{"response_not_active",     "input_audio_buffer_empty",
                                                        "response_already_active", "response_create_without_input",
                                                        "playback_item_not_found", "playback_ack_too_late"};
constexpr std::array<std::string_view, 5> outside_journal{"session.created", "session.resumed", "session.replaced",
                                                          "session.resync_required", "error"};

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view text(const json::object& of, std::string_view key) {
  const auto* value = of.if_contains(key);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

std::int64_t number(const json::object& of, std::string_view key, std::int64_t otherwise) {
  const auto* value = of.if_contains(key);
  return value && value->is_int64() ? value->get_int64() : otherwise;
}

const json::object& part(const json::object& of, std::string_view key) {
  static const json::object none;
  const auto* value = of.if_contains(key);
  return value && value->is_object() ? value->get_object() : none;
}

std::string response_of(const json::object& event) {
  auto id = text(event, "response_id");
  if (id.empty()) id = text(part(event, "response"), "id");
  return std::string(id);
}

// The scripted model's buzz: a saw tooth that depends on the position alone.
std::int16_t tone(std::int64_t sample) { return static_cast<std::int16_t>((sample % 240 - 120) * 32 + 16); }

}  // namespace

void duplex_checks::on(const json::object& event) {
  ++counts_.events;
  const auto type = text(event, "type");
  if (closed_) violated_(std::string(type) + " after the end of the session");
  check_number(event, type);
  if (type == "error") return check_error(event);
  if (type == "response.listen") ++counts_.listens;
  if (type.starts_with("response.")) check_response(event, type);
  if (type == "response.output_audio.delta") check_audio(event);
  if (type == "session.closed" || type == "session.expired") end();
}

void duplex_checks::check_number(const json::object& event, std::string_view type) {
  const auto found = number(event, "server_event_seq", 0);
  if (found == 0) {
    if (!is_one_of(type, outside_journal)) violated_(std::string(type) + " without a number");
    return;
  }
  if (found != last_number_ + 1) {
    violated_(std::string(type) + ": number " + std::to_string(found) + " after " + std::to_string(last_number_));
  }
  last_number_ = found;
}

void duplex_checks::check_error(const json::object& event) {
  if (is_one_of(text(part(event, "error"), "code"), earned_errors)) {
    ++counts_.refusals;
  } else {
    violated_(json::serialize(event));
  }
}

void duplex_checks::check_response(const json::object& event, std::string_view type) {
  const auto id = response_of(event);
  if (type == "response.created") return begin_response(id);
  if (type == "response.listen" && id.empty()) return;
  if (id != active_) {
    violated_(std::string(type) + " of " + id + (ended_.contains(id) ? ", which is done" : ", which is not open"));
  }
  if (type == "response.done") end_response(event, id);
}

void duplex_checks::begin_response(const std::string& id) {
  ++counts_.responses;
  if (!active_.empty()) violated_("response.created while " + active_ + " is open");
  if (ended_.contains(id)) violated_("response.created of " + id + " once more");
  active_ = id;
  next_sample_ = 0;
}

void duplex_checks::end_response(const json::object& event, const std::string& id) {
  if (!ended_.insert(id).second) violated_("response.done of " + id + " once more");
  active_.clear();
  const auto& response = part(event, "response");
  const auto status = text(response, "status");
  if (status == "failed" || status == "incomplete") violated_(json::serialize(event));
  if (status != "cancelled") return;
  ++counts_.cancelled;
  auto epoch = number(part(event, "metadata"), "cancelled_epoch", -1);
  if (epoch < 0) epoch = number(part(response, "metadata"), "cancelled_epoch", -1);
  if (epoch < 0) violated_("a cancelled response.done without cancelled_epoch");
  cancelled_epoch_ = std::max(cancelled_epoch_, epoch);
}

void duplex_checks::check_audio(const json::object& event) {
  if (number(part(event, "metadata"), "epoch", -1) <= cancelled_epoch_)
    violated_("audio of an epoch that was cancelled");
  const auto delta = text(event, "delta");
  pcm_.resize(protocol::base64_decoded_bound(delta.size()));
  const auto bytes = protocol::base64_decode(delta, pcm_.data());
  if (!bytes || *bytes == 0 || *bytes % 2 != 0) return violated_("audio that is no whole samples");
  for (std::size_t at = 0; at < *bytes; at += 2) {
    const auto sample = static_cast<std::int16_t>(pcm_[at] | pcm_[at + 1] << 8);
    if (sample != tone(next_sample_++)) {
      return violated_("wrong audio at sample " + std::to_string(next_sample_ - 1) + " of " + active_);
    }
  }
  counts_.audio_samples += *bytes / 2;
  last_response_ = active_;
}

void duplex_checks::end() {
  if (!active_.empty()) violated_("the session ended and " + active_ + " has no response.done");
  active_.clear();
  closed_ = true;
}

}  // namespace parley::bench
