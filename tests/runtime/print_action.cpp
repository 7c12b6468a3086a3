// The printable form of actions: what a test compares when it wants to know that nothing at all differs.
#include "tests/runtime/session_driver.hpp"

#include <ostream>
#include <sstream>

namespace parley::runtime {

using namespace protocol;

namespace {

struct printer {
  std::ostream& out;

  void samples(const std::vector<std::int16_t>& audio) const {
    std::uint64_t digest = 14695981039346656037ULL;  // FNV-1a
    for (const std::int16_t one : audio) digest = (digest ^ static_cast<std::uint16_t>(one)) * 1099511628211ULL;
    out << ' ' << audio.size() << " samples " << digest;
  }
  void item(const protocol::item& one) const {
    out << " {" << one.id.value << ' ' << static_cast<int>(one.type) << static_cast<int>(one.role)
        << static_cast<int>(one.status) << ' ' << one.name << one.call.value << one.arguments << one.output;
    for (const auto& part : one.content) {
      out << " [" << static_cast<int>(part.type) << ' ' << part.text << ' ' << part.transcript.value_or("null");
      if (part.audio) samples(part.audio->samples);
      out << ']';
    }
    out << '}';
  }
  void shown(const response_view& one) const {
    out << ' ' << static_cast<int>(one.status) << static_cast<int>(one.reason) << ' ' << one.voice << ' '
        << one.conversation.value_or(conversation_id{"none"}).value << one.metadata.value_or(raw_json{}).text;
    for (const auto& each : one.output) item(each);
  }
  void members(const auto& body) const {
    if constexpr (requires { body.error.message; })
      out << ' ' << wire_name(body.error.code) << ' ' << body.error.message;
    if constexpr (requires { body.at.item.value; }) out << ' ' << body.at.item.value << '#' << body.at.output_index;
    if constexpr (requires { body.item.value; }) out << ' ' << body.item.value;
    if constexpr (requires { body.id.value; }) out << ' ' << body.id.value;
    if constexpr (requires { body.previous; }) out << " after " << body.previous.value_or(item_id{"root"}).value;
    if constexpr (requires { body.value.content; }) item(body.value);
    if constexpr (requires { body.part.type; }) out << ' ' << body.part.text << body.part.transcript.value_or("null");
    if constexpr (requires { body.delta.size(); }) out << " '" << body.delta << '\'';
    if constexpr (requires { body.text.size(); }) out << " '" << body.text << '\'';
    if constexpr (requires { body.transcript.size(); }) out << " '" << body.transcript << '\'';
    if constexpr (requires { body.arguments.size(); }) out << " '" << body.arguments << '\'';
    if constexpr (requires { body.audio_start_ms; }) out << ' ' << body.audio_start_ms;
    if constexpr (requires { body.audio_end_ms; }) out << ' ' << body.audio_end_ms;
    if constexpr (requires { body.played_ms; }) out << ' ' << body.played_ms << body.history_committed;
    if constexpr (requires { body.first_sample; }) out << ' ' << body.first_sample;
    if constexpr (requires { body.samples.size(); }) samples(body.samples);
    if constexpr (requires { body.response.status; }) shown(body.response);
  }

  void operator()(const emit& one) const {
    out << one.event.id.value << ' ' << type_name(one.event.body);
    if (const auto* response = response_of(one.event.body)) out << ' ' << response->value;
    std::visit([this](const auto& body) { members(body); }, one.event.body);
    out << " for " << one.cause.value_or(response_id{"none"}).value;
  }
  void operator()(const invalidate& one) const {
    out << "invalidate " << one.response.value << " through " << one.through.value;
  }
  void operator()(const call_hear& one) const {
    out << "hear " << one.audio.item.value << ' ' << one.audio.rate_hz;
    samples(one.audio.samples);
  }
  void operator()(const call_end_turn& one) const {
    out << "end_turn " << one.turn.item.value << ' ' << one.turn.transcription.has_value();
  }
  void operator()(const call_hear_unit& one) const {
    out << "unit " << one.unit.number << (one.unit.force_listen ? " listen" : "") << (one.unit.buffering ? " part" : "")
        << (one.unit.ends_turn ? " end" : "");
    samples(one.unit.samples);
  }
  void operator()(const call_drop_turn& one) const { out << "drop_turn " << one.item.value; }
  void operator()(const call_respond& one) const {
    out << "respond " << one.request.id.value << " epoch " << one.request.epoch.value << ' '
        << one.request.instructions;
    for (const auto& each : one.request.prompt) item(*each);
  }
  void operator()(const call_cancel& one) const { out << "cancel " << one.response.value; }
  void operator()(const call_throttle& one) const { out << "throttle " << one.response.value << ' ' << one.wait; }
  void operator()(const close_session& one) const { out << "close " << close_text(one.reason); }
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const action& one) {
  std::visit(printer{out}, one);
  return out;
}

}  // namespace parley::runtime

namespace parley::tests {

std::vector<std::string> session_driver::print() const {
  std::vector<std::string> lines;
  for (std::size_t at = seen_; at < log_.size(); ++at) {
    std::ostringstream line;
    line << log_[at];
    lines.push_back(line.str());
  }
  return lines;
}

}  // namespace parley::tests
