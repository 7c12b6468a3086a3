// What one client can make a session hold: every queue of input has a bound in memory, measured here as what is on the
// heap, not as what was counted. The session is driven bare: nothing of what it answers is kept.
#include "runtime/input_cost.hpp"
#include "runtime/session.hpp"
#include "tests/live_bytes.hpp"
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <set>

using namespace parley::tests;
using namespace parley::protocol;
namespace runtime = parley::runtime;
using strings = std::vector<std::string>;

namespace {

constexpr std::size_t mebibyte = 1024 * 1024;
// Of what is counted: what the count may be off by, and what the session is itself.
constexpr std::size_t slack_bytes = mebibyte / 2;

class bare_session {
 public:
  explicit bare_session(runtime::session_options options) : duplex_(options.dialect == dialect::duplex), one_(options) {
    run([&](auto& out) { one_.start(now_, out); });
    before_ = live_bytes();
  }

  void send(session_driver::command_body body, std::optional<std::string> event_id = std::nullopt) {
    run([&](auto& out) { one_.on(command{std::move(event_id), std::move(body)}, now_, out); });
  }
  void append(std::string_view base64_text, append_details details = {},
              std::optional<std::string> event_id = std::nullopt) {
    auto shared = details == append_details{} ? nullptr : std::make_shared<const append_details>(std::move(details));
    send(input_audio_append{base64_text, std::move(shared)}, std::move(event_id));
  }
  void output(runtime::model_output value) {
    run([&](auto& out) { one_.on(std::move(value), now_, out); });
  }
  void listens() { output(runtime::model_listen{unit_}); }
  void speaks() { output(runtime::model_speak{unit_}); }

  // Beyond what it held when it was opened.
  [[nodiscard]] std::size_t grown() const {
    const std::int64_t now = live_bytes();
    return now > before_ ? static_cast<std::size_t>(now - before_) : 0;
  }
  [[nodiscard]] const std::set<std::string>& errors() const { return errors_; }
  [[nodiscard]] const std::optional<runtime::response_request>& asked() const { return asked_; }
  [[nodiscard]] std::size_t units() const { return unit_; }

 private:
  template <class Call>
  void run(Call call) {
    runtime::actions out;
    call(out);
    for (auto& action : out) look_at(action);
  }
  void look_at(runtime::action& action) {
    if (const auto* heard = std::get_if<runtime::call_hear_unit>(&action)) unit_ = heard->unit.number;
    if (auto* request = std::get_if<runtime::call_respond>(&action)) asked_ = std::move(request->request);
    const auto* sent = std::get_if<runtime::emit>(&action);
    const auto* error = sent ? std::get_if<error_event>(&sent->event.body) : nullptr;
    if (error) errors_.emplace(duplex_ ? duplex_name(error->error.code) : wire_name(error->error.code));
  }

  runtime::time_point now_{std::chrono::hours{1}};
  bool duplex_;
  runtime::session one_;
  std::uint64_t unit_ = 0;
  std::optional<runtime::response_request> asked_;
  std::set<std::string> errors_;
  std::int64_t before_ = 0;
};

const std::set<std::string> backpressure{"input_backpressure"};

auto small_duplex(std::size_t pending_input_bytes = mebibyte) {
  auto options = duplex_session();
  options.limits.pending_input_bytes = pending_input_bytes;
  return options;
}

std::string words_of(std::chrono::milliseconds length) { return base64(voice(length, 8000, duplex_hz)); }

// A unit is in flight: what comes waits.
void stall(bare_session& one) {
  one.append(words_of(200ms));
  REQUIRE(one.units() == 1);
}

item_create message_of(std::size_t bytes) {
  item value;
  value.content.push_back({.type = part_type::input_text, .text = std::string(bytes, 'x')});
  return item_create{std::move(value)};
}

}  // namespace

TEST_CASE("F3: appends that are empty or tiny cost what they cost while a unit is decided on", "[runtime][bounds]") {
  const std::string sample = base64(samples{8000});
  const auto one_of = [&](int kind, bare_session& one) {
    if (kind == 0) one.append("");
    if (kind == 1) one.append(sample);
    if (kind == 2) one.append(sample, {}, std::string(512, 'e'));
    if (kind == 3) one.append(sample, {.is_speech = true, .force_listen = true});
    if (kind == 4) one.append(sample, {.transcript = std::string(2000, 'w')});
    if (kind == 5) one.append(sample, {.video_frames = {std::string(100, 'A'), std::string(100, 'A')}});
  };
  for (int kind = 0; kind < 6; ++kind) {
    bare_session one{small_duplex()};
    stall(one);
    for (int count = 0; count < 20'000; ++count) one_of(kind, one);
    INFO("kind " << kind);
    CHECK(one.errors() == backpressure);
    CHECK(one.grown() < mebibyte + slack_bytes);
    CHECK(one.grown() > mebibyte / 4);  // and what was let in is there
  }
}

TEST_CASE("F3: what waits has a bound in entries, too", "[runtime][bounds]") {
  auto options = small_duplex(256 * mebibyte);
  options.limits.waiting_inputs = 1000;
  bare_session one{options};
  stall(one);
  for (int count = 0; count < 1000; ++count) one.append("");
  CHECK(one.errors().empty());
  one.append("");
  CHECK(one.errors() == backpressure);
  one.listens();
  bare_session other{options};
  stall(other);
  other.listens();
  other.append("");  // there is room again: what was taken counts no more
  CHECK(other.errors().empty());
}

TEST_CASE("F3: units that are held back over an answer cost what they cost", "[runtime][bounds]") {
  bare_session one{small_duplex()};
  one.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  one.send(input_audio_commit{.create_response = true});
  one.speaks();
  REQUIRE(one.asked());
  one.output(runtime::model_speech{one.asked()->id, one.asked()->epoch, voice(200ms), "Well."});
  const std::string sample = base64(samples{8000});
  for (int count = 0; count < 20'000; ++count) one.append(sample, {}, std::string(100, 'e'));
  CHECK(one.errors() == backpressure);
  CHECK(one.grown() < mebibyte + slack_bytes);
  for (int count = 0; count < 1000; ++count) one.append("", {.video_frames = {std::string(4000, 'A')}});
  CHECK(one.grown() < mebibyte + slack_bytes);
}

TEST_CASE("F3: commands that wait count with what they carry", "[runtime][bounds]") {
  const auto one_of = [](int kind) -> session_driver::command_body {
    if (kind == 0) return message_of(300'000);
    if (kind == 1) return session_update{{.instructions = std::string(300'000, 'i')}};
    if (kind == 2) {
      session_patch patch;
      patch.tools.emplace(100, tool{"one", raw_json{std::string(3000, '{')}});
      return session_update{patch};
    }
    if (kind == 3) return input_text_append{std::string(300'000, 't')};
    if (kind == 4) {
      response_create create;
      create.options.input.emplace(2000);
      return create;
    }
    item parts;
    parts.content.resize(2000);
    return item_create{parts};
  };
  for (int kind = 0; kind < 6; ++kind) {
    bare_session one{small_duplex()};
    stall(one);
    for (int count = 0; count < 200; ++count) one.send(one_of(kind));
    INFO("kind " << kind);
    CHECK(one.errors() == backpressure);
    CHECK(one.grown() < mebibyte + slack_bytes);
  }
}

TEST_CASE("F3: what has left the line counts no more, however it left", "[runtime][bounds]") {
  const auto fill = [](bare_session& one) {
    for (int count = 0; one.errors().empty() && count < 20'000; ++count) one.append(words_of(20ms));
    REQUIRE(one.errors() == backpressure);
  };
  for (int way = 0; way < 4; ++way) {
    bare_session one{small_duplex()};
    stall(one);
    fill(one);
    if (way == 0) one.send(input_audio_clear{});
    if (way == 1) one.send(input_cancel{});
    if (way == 2) one.output(runtime::model_unit_failed{one.units(), "No."});
    if (way == 3) {
      for (std::size_t last = 0; last != one.units();) {
        last = one.units();
        one.listens();
      }
    }
    INFO("way " << way);
    CHECK(one.grown() < slack_bytes);
  }
}

TEST_CASE("F3: the transcript hints of a turn have a bound", "[runtime][bounds]") {
  bare_session one{duplex_session()};
  for (int count = 0; count < 2000; ++count) {
    one.append(base64(samples(16, 8000)), {.transcript = std::to_string(count) + std::string(5000, 'w')});
    while (one.units() > 0 && count % 500 == 0) {
      one.listens();
      break;
    }
  }
  CHECK(one.errors() == backpressure);
  CHECK(one.grown() < 2 * mebibyte);

  session_driver told{duplex_session()};
  const std::string text = base64(voice(100ms, 8000, duplex_hz));
  const auto hint = [&](std::string words) {
    told.send(input_audio_append{
        text, std::make_shared<const append_details>(append_details{.transcript = std::move(words)})});
  };
  hint("good");
  told.fresh();
  hint(std::string(256 * 1024, 'w'));  // refused whole
  CHECK(told.errors() == strings{"input_backpressure"});
  hint("morning");
  told.listens();
  told.send(input_audio_commit{});
  CHECK(told.only<transcription_completed>().transcript == "good morning");
}

TEST_CASE("F3: a native model that is behind in the openai dialect holds no more than the bound", "[runtime][bounds]") {
  auto options = manual_session();
  options.capabilities.native = true;
  options.capabilities.chunk_period = 200ms;
  options.limits.pending_input_bytes = mebibyte;
  bare_session one{options};
  one.append(base64(voice(200ms)));
  REQUIRE(one.units() == 1);
  const std::string sample = base64(samples{8000});
  for (int count = 0; count < 50'000; ++count) {
    one.append(sample);
    if (count % 100 == 0) one.send(input_audio_clear{});
  }
  CHECK(one.grown() < mebibyte + slack_bytes);
}

TEST_CASE("F3: turns that nobody understands yet are no more than so many", "[runtime][bounds]") {
  const auto options = manual_session();
  bare_session one{options};
  const std::string turn = base64(voice(100ms));
  for (int count = 0; count < 64; ++count) {
    one.append(turn);
    one.send(input_audio_commit{});
  }
  CHECK(one.errors().empty());
  one.append(turn);
  one.send(input_audio_commit{});
  CHECK(one.errors() == backpressure);
  item sound;
  sound.content.push_back({.type = part_type::input_audio, .text = turn});
  bare_session other{options};
  for (int count = 0; count < 65; ++count) other.send(item_create{sound});
  CHECK(other.errors() == backpressure);
}

TEST_CASE("F3: of detected turns that nobody understands the oldest is given up", "[runtime][bounds]") {
  auto options = vad_session();
  options.limits.pending_turns = 2;
  options.settings.transcription = transcription{};
  session_driver one{options};
  for (int turn = 0; turn < 3; ++turn) one.say(voice(500ms) + silence(700ms));
  CHECK(one.events<input_committed>().size() == 3);
  CHECK(one.only<transcription_failed>().item == one.events<input_committed>().front().item);
  CHECK(one.actions<runtime::call_drop_turn>().front().item == one.events<input_committed>().front().item);
}

TEST_CASE("F3: an answer that was cancelled before the model was asked leaves nothing behind", "[runtime][bounds]") {
  auto options = manual_session();
  options.limits.history_audio_bytes = 0;
  bare_session one{options};
  one.append(base64(voice(200ms)));
  one.send(input_audio_commit{});  // never understood
  for (int count = 0; count < 200; ++count) {
    response_create create;
    create.options.instructions = std::string(100'000, 'i');
    one.send(create);
    one.send(response_cancel{});
  }
  CHECK(one.errors().empty());
  CHECK(one.grown() < mebibyte);
}

TEST_CASE("F3: the input of a response is no longer than a conversation", "[runtime][bounds]") {
  auto options = manual_session();
  options.limits.items = 10;
  session_driver one{options};
  response_options asked;
  asked.out_of_band = true;
  asked.input.emplace(11);
  one.ask(asked);
  CHECK(one.errors() == strings{"invalid_value"});
}

TEST_CASE("F3: the input buffer holds no more than its bound", "[runtime][bounds]") {
  auto options = manual_session();
  options.limits.input_buffer_bytes = 4 * mebibyte;
  bare_session one{options};
  const std::string piece = base64(voice(1000ms));
  for (int count = 0; count < 200; ++count) one.append(piece);
  CHECK(one.errors() == std::set<std::string>{"input_audio_buffer_full"});
  CHECK(one.grown() < 4 * mebibyte + slack_bytes);
}

TEST_CASE("F3: items of many small parts count with what the parts are", "[runtime][bounds]") {
  auto options = manual_session();
  options.limits.history_text_bytes = mebibyte;
  bare_session one{options};
  for (int count = 0; count < 100; ++count) {
    item parts;
    parts.content.resize(1000);
    one.send(item_create{parts});
  }
  CHECK(one.errors().empty());
  CHECK(one.grown() < mebibyte + slack_bytes);
}

TEST_CASE("F3: the cost of a command covers what it holds", "[runtime][bounds]") {
  const std::int64_t before = live_bytes();
  const auto held = std::make_unique<const command>(command{std::string(512, 'e'), message_of(100'000)});
  const auto real = static_cast<std::size_t>(live_bytes() - before);
  CHECK(runtime::cost_of(*held) >= real);
  CHECK(runtime::cost_of(*held) < real + real / 10);
}
