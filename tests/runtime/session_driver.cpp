#include "tests/runtime/session_driver.hpp"

#include "protocol/base64.hpp"
#include "protocol/encode.hpp"
#include "protocol/g711.hpp"
#include "tests/seen_events.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <exception>
#include <ostream>
#include <utility>

namespace parley::tests {

using namespace protocol;
using runtime::time_point;

namespace {

class level_ears final : public runtime::speech_detector {
 public:
  explicit level_ears(int rate_hz) : frame_(static_cast<std::size_t>(rate_hz / 100)) {}
  float probability(std::span<const std::int16_t> frame) override {
    if (frame.size() != frame_) throw std::logic_error("a frame is 10 ms");
    return static_cast<float>(std::min<int>(*std::max_element(frame.begin(), frame.end()), 10000)) / 10000.0F;
  }
  void reset() override {}

 private:
  std::size_t frame_;
};

// As clients of either kind would get it.
void note(const server_event& event) {
  if (!notes_events()) return;
  note_event("ga", render(dialect::openai, event));
  if (is_spoken(dialect::openai_beta, event.body)) note_event("beta", render(dialect::openai_beta, event));
}

}  // namespace

// ---- audio ------------------------------------------------------------------------------------------------------

samples voice(std::chrono::milliseconds length, std::int16_t level, int rate_hz) {
  samples made(static_cast<std::size_t>(ms_to_samples(length.count(), rate_hz)));
  // A ramp of 100 steps below the level: shifted or lost samples show.
  for (std::size_t at = 0; at < made.size(); ++at)
    made[at] = static_cast<std::int16_t>(level - static_cast<int>(at % 100));
  return made;
}

samples silence(std::chrono::milliseconds length, int rate_hz) {
  return samples(static_cast<std::size_t>(ms_to_samples(length.count(), rate_hz)));
}

samples operator+(samples left, const samples& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  std::string text(base64_encoded_size(bytes.size()), '\0');
  base64_encode(bytes, text.data());
  return text;
}

std::string base64(const samples& audio) {
  std::vector<std::uint8_t> bytes(audio.size() * 2);
  encode_samples(audio_encoding::pcm16, audio, bytes.data());
  return base64(bytes);
}

// ---- options ----------------------------------------------------------------------------------------------------

runtime::session_options manual_session() {
  runtime::session_options options;
  options.id = session_id{"sess_test"};
  options.settings.detection.reset();
  options.settings.model = "test";
  options.capabilities.calls_tools = true;
  options.make_detector = [](int rate_hz, auto) { return std::make_unique<level_ears>(rate_hz); };
  options.pace_ahead = 0ms;
  options.limits.unsent_audio_bytes = 0;  // the writer of this driver takes everything at once
  options.id_seed = 7;
  return options;
}

runtime::session_options vad_session() {
  auto options = manual_session();
  options.settings.detection = turn_detection{};
  options.pace_ahead = 400ms;
  return options;
}

runtime::session_options duplex_session() {
  auto options = manual_session();
  options.dialect = dialect::duplex;
  options.settings.input_format.rate_hz = duplex_hz;
  options.settings.playback = playback_policy::ack_only;
  options.capabilities.native = true;
  options.capabilities.takes_video = true;
  options.capabilities.chunk_period = 200ms;
  return options;
}

// ---- life and time ----------------------------------------------------------------------------------------------

session_driver::session_driver(runtime::session_options options)
    : session_(options), check_log_(options.dialect != dialect::duplex), is_duplex_(!check_log_) {
  runtime::actions out;
  session_.start(now_, out);
  take(std::move(out));
}

session_driver::~session_driver() {
  if (!check_log_ || std::uncaught_exceptions() > 0) return;
  CHECK(checker_.faults() == std::vector<std::string>{});
  if (was_closed_) CHECK(checker_.open_responses() == 0);
}

void session_driver::advance(std::chrono::milliseconds by) {
  const time_point until = now_ + by;
  for (int wakes = 0;; ++wakes) {
    if (wakes == 100'000) FAIL("the host would spin");
    const auto due = session_.deadline();
    if (!due || *due > until) break;
    now_ = std::max(now_, *due);
    runtime::actions out;
    session_.wake(now_, out);
    take(std::move(out));
  }
  now_ = until;
}

std::optional<std::chrono::milliseconds> session_driver::due() const {
  const auto at = session_.deadline();
  if (!at) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*at - now_);
}

void session_driver::take(runtime::actions out) {
  for (runtime::action& one : out) {
    if (was_closed_) FAIL_CHECK("an action follows the end of the session");
    if (const auto* sent = std::get_if<runtime::emit>(&one)) {
      checker_.add(sent->event);
      if (!is_duplex_) note(sent->event);
      sequence(*sent);
    } else if (const auto* gone = std::get_if<runtime::invalidate>(&one)) {
      std::erase_if(held_, [&](const auto& each) { return each.response == gone->response; });
    } else if (const auto* asked = std::get_if<runtime::call_respond>(&one)) {
      last_request_ = asked->request;
    } else if (const auto* ended = std::get_if<runtime::call_end_turn>(&one)) {
      turn_ = ended->turn.item;
    } else if (const auto* heard = std::get_if<runtime::call_hear_unit>(&one)) {
      unit_ = heard->unit.number;
    } else if (std::holds_alternative<runtime::close_session>(one)) {
      was_closed_ = true;
    }
    log_.push_back(std::move(one));
  }
  if (was_closed_ != session_.closed()) FAIL_CHECK("closed() is not what close_session said");
}

void session_driver::sequence(const runtime::emit& sent) {
  const auto* audio = std::get_if<audio_delta>(&sent.event.body);
  if (!audio) return;
  held_.push_back({.event = sent.event.id,
                   .response = audio->at.response,
                   .item = audio->at.item,
                   .first_sample = audio->first_sample,
                   .samples = static_cast<std::int64_t>(audio->samples.size())});
  if (!holding_) release_writer();
}

void session_driver::release_writer() {
  holding_ = false;
  for (const auto& one : std::exchange(held_, {})) session_.on(one, now_);
}

// ---- the client -------------------------------------------------------------------------------------------------

void session_driver::send(command_body body, std::optional<std::string> event_id) {
  runtime::actions out;
  session_.on(command{std::move(event_id), std::move(body)}, now_, out);
  take(std::move(out));
}

void session_driver::append_text(std::string_view base64_text, std::optional<std::string> event_id) {
  send(input_audio_append{base64_text}, std::move(event_id));
  advance(0ms);  // a long append is judged in slices, each a wake that is due at once
}

void session_driver::append(const samples& audio) { append_text(base64(audio)); }

void session_driver::say(const samples& audio) {
  constexpr std::size_t piece = wire_hz / 50;
  for (std::size_t at = 0; at < audio.size(); at += piece) {
    const auto from = audio.begin() + static_cast<std::ptrdiff_t>(at);
    append({from, from + static_cast<std::ptrdiff_t>(std::min(piece, audio.size() - at))});
    advance(20ms);
  }
}

void session_driver::cancel(std::optional<std::string> response) {
  send(response_cancel{response ? std::optional{response_id{*response}} : std::nullopt});
}

void session_driver::bad_message() {
  runtime::actions out;
  session_.on(wire_error{.code = errc::invalid_json, .message = "This is not JSON."}, now_, out);
  take(std::move(out));
}

item_id session_driver::write(std::string words, std::string id) {
  const std::size_t before = log_.size();
  item value{.id = item_id{std::move(id)}};
  value.content.push_back({.type = part_type::input_text, .text = std::move(words)});
  send(item_create{std::move(value)});
  for (std::size_t at = before; at < log_.size(); ++at) {
    const auto* sent = std::get_if<runtime::emit>(&log_[at]);
    if (const auto* added = sent ? std::get_if<item_added>(&sent->event.body) : nullptr) return added->value.id;
  }
  return {};
}

item session_driver::retrieve(const item_id& wanted) {
  const std::size_t before = log_.size();
  send(item_retrieve{wanted});
  for (std::size_t at = before; at < log_.size(); ++at) {
    const auto* sent = std::get_if<runtime::emit>(&log_[at]);
    if (const auto* shown = sent ? std::get_if<item_retrieved>(&sent->event.body) : nullptr) return shown->value;
  }
  FAIL("nothing was retrieved");
  return {};
}

// ---- the model --------------------------------------------------------------------------------------------------

runtime::response_request session_driver::pick(const request& one) const { return one ? *one : request_made(); }

runtime::response_request session_driver::request_made() const {
  REQUIRE(last_request_);
  return *last_request_;
}

void session_driver::output(runtime::model_output value) {
  runtime::actions out;
  session_.on(std::move(value), now_, out);
  take(std::move(out));
}

void session_driver::speak(samples audio, std::string words, const request& one) {
  const auto asked = pick(one);
  output(runtime::model_speech{asked.id, asked.epoch, std::move(audio), std::move(words)});
}

void session_driver::speak(std::chrono::milliseconds length, std::string words, const request& one) {
  speak(voice(length), std::move(words), one);
}

void session_driver::text(std::string words, const request& one) {
  const auto asked = pick(one);
  output(runtime::model_text{asked.id, asked.epoch, std::move(words)});
}

void session_driver::call(std::string id, std::string name, std::string arguments, bool last, const request& one) {
  const auto asked = pick(one);
  output(runtime::model_tool_call{asked.id, asked.epoch, call_id{std::move(id)}, std::move(name), std::move(arguments),
                                  last});
}

void session_driver::done(runtime::finish_reason reason, const request& one) {
  const auto asked = pick(one);
  output(runtime::model_done{asked.id, asked.epoch, reason, token_usage{1, 2, 3, 4}});
}

void session_driver::failed(const request& one) {
  const auto asked = pick(one);
  output(runtime::model_failed{asked.id, asked.epoch, "The model is not there."});
}

void session_driver::understood(std::string transcript) {
  REQUIRE(turn_);
  output(runtime::turn_ready{*turn_, std::move(transcript)});
}

void session_driver::listens() { output(runtime::model_listen{unit_}); }
void session_driver::speaks() { output(runtime::model_speak{unit_}); }
void session_driver::unit_fails() { output(runtime::model_unit_failed{unit_, "The engine did not take it."}); }

bool session_driver::attach() {
  runtime::actions out;
  const bool attached = session_.attach(now_, out);
  take(std::move(out));
  return attached;
}

void session_driver::blank() {
  REQUIRE(turn_);
  output(runtime::turn_blank{*turn_});
}

void session_driver::answer(std::chrono::milliseconds length, std::string words) {
  ask();
  speak(length, std::move(words));
  done();
  advance(length);
}

// ---- the server -------------------------------------------------------------------------------------------------

void session_driver::drain() {
  runtime::actions out;
  session_.drain(now_, out);
  take(std::move(out));
}

void session_driver::close(runtime::close_reason reason) {
  runtime::actions out;
  session_.close(reason, now_, out);
  take(std::move(out));
}

void session_driver::overflow(std::optional<response_id> response) {
  runtime::actions out;
  session_.on_overflow({std::move(response), std::nullopt}, now_, out);
  take(std::move(out));
}

// ---- what came out ----------------------------------------------------------------------------------------------

std::vector<std::string> session_driver::types() const {
  std::vector<std::string> found;
  for (const auto& one : actions<runtime::emit>()) found.emplace_back(type_name(one.event.body));
  return found;
}

std::vector<std::string> session_driver::errors() const {
  std::vector<std::string> codes;
  for (const auto& one : events<error_event>()) {
    codes.emplace_back(is_duplex_ ? duplex_name(one.error.code) : wire_name(one.error.code));
  }
  return codes;
}

std::string session_driver::words() const {
  std::string joined;
  for (const auto& one : actions<runtime::emit>()) {
    if (const auto* words = std::get_if<text_delta>(&one.event.body)) joined += words->delta;
    if (const auto* words = std::get_if<transcript_delta>(&one.event.body)) joined += words->delta;
  }
  return joined;
}

samples session_driver::audio() const {
  samples joined;
  for (const auto& one : events<audio_delta>()) joined.insert(joined.end(), one.samples.begin(), one.samples.end());
  return joined;
}

samples session_driver::heard(const item_id& wanted) const {
  samples joined;
  for (const auto& one : log_) {
    const auto* call = std::get_if<runtime::call_hear>(&one);
    if (call && call->audio.item == wanted) joined = std::move(joined) + call->audio.samples;
  }
  return joined;
}

std::string session_driver::prompt() const {
  std::string line;
  for (const auto& one : request_made().prompt) {
    if (!line.empty()) line += " | ";
    if (one->type == item_type::function_call) line += "call: " + one->name + one->arguments;
    if (one->type == item_type::function_call_output) line += "output: " + one->output;
    if (one->type != item_type::message) continue;
    line += one->role == item_role::user ? "user: " : one->role == item_role::assistant ? "assistant: " : "system: ";
    for (const auto& part : one->content) line += part.transcript.value_or(part.text);
  }
  return line;
}

void not_one(std::size_t count) {
  FAIL("there must be one such event, not " << count);
  throw std::logic_error("unreachable");
}

}  // namespace parley::tests
