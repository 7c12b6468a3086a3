#include "adapters/scripted/answer.hpp"
#include "adapters/scripted/scripted_model.hpp"
#include "tests/adapters/recording_sink.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace parley::adapters::scripted {
namespace {

using namespace std::chrono_literals;
using runtime::audio_unit;
using runtime::model_listen;
using runtime::model_speak;

const std::vector<std::int16_t> loud(3200, 1000);
const std::vector<std::int16_t> quiet(3200, 90);  // just below 0.003 of full scale

config::scripted_config native_at_once() {
  config::scripted_config script;
  script.native = true;
  script.rate = 0;
  return script;
}

runtime::response_request ask(std::string id, std::string text = "hi") {
  protocol::item said;
  said.content.push_back({protocol::part_type::input_text, std::move(text)});
  runtime::response_request request;
  request.id = protocol::response_id(std::move(id));
  request.epoch = {3};
  request.prompt = {std::make_shared<const protocol::item>(std::move(said))};
  return request;
}

// A native session that is given units; the answer to each is what was posted meanwhile.
struct stage {
  explicit stage(const config::scripted_config& script = native_at_once())
      : model(make_scripted_model(script)), sink(std::make_shared<recording_sink>()), session(model->open(sink)) {}

  // "listen", "speak", "failed", "closed", or "" where nothing was decided.
  std::string decide(audio_unit unit) {
    unit.number = ++number;
    const auto before = decisions().size();
    session->hear_unit(std::move(unit));
    const auto now = decisions();
    REQUIRE(now.size() <= before + 1);
    return now.size() == before ? "" : now.back();
  }
  std::string hear(const std::vector<std::int16_t>& samples) { return decide({.samples = samples}); }
  std::string end_turn(const std::vector<std::int16_t>& samples) {
    return decide({.samples = samples, .ends_turn = true});
  }

  // Also holds the number of each against the unit it was for.
  [[nodiscard]] std::vector<std::string> decisions() const {
    std::vector<std::string> all;
    const auto add = [&](const char* name, std::uint64_t unit) {
      CHECK((unit > 0 && unit <= number));
      all.emplace_back(name);
    };
    for (const auto& output : sink->outputs()) {
      if (const auto* one = std::get_if<model_listen>(&output)) add("listen", one->unit);
      if (const auto* one = std::get_if<model_speak>(&output)) add("speak", one->unit);
      if (const auto* one = std::get_if<runtime::model_unit_failed>(&output)) add("failed", one->unit);
      if (std::holds_alternative<runtime::model_closed>(output)) add("closed", number);
    }
    return all;
  }

  std::shared_ptr<runtime::model> model;
  std::shared_ptr<recording_sink> sink;
  std::unique_ptr<runtime::model_session> session;
  std::uint64_t number = 0;
};

// Answers that last until they are cancelled.
config::scripted_config long_winded() {
  auto script = native_at_once();
  script.think = std::chrono::hours(1);
  return script;
}

}  // namespace

TEST_CASE("scripted native: speaks in the pause after something was said", "[adapters][scripted]") {
  stage s;
  CHECK(s.hear(quiet) == "listen");
  CHECK(s.hear(loud) == "listen");
  CHECK(s.hear(loud) == "listen");
  CHECK(s.hear(quiet) == "speak");
  CHECK(s.hear(quiet) == "listen");  // nothing was said since
  CHECK(s.hear(loud) == "listen");
  CHECK(s.hear(quiet) == "speak");
  CHECK(s.sink->all<model_speak>().at(1).unit == 7);
  CHECK(s.sink->all<model_listen>().at(0).unit == 1);
}

TEST_CASE("scripted native: speaks where a turn ends, whatever it sounds like", "[adapters][scripted]") {
  stage s;
  CHECK(s.end_turn(loud) == "speak");
  CHECK(s.end_turn(quiet) == "speak");
  CHECK(s.end_turn({}) == "speak");
  CHECK(s.hear(quiet) == "listen");
}

TEST_CASE("scripted native: listens where it must", "[adapters][scripted]") {
  stage s;
  CHECK(s.decide({.samples = loud, .force_listen = true, .ends_turn = true}) == "listen");
  CHECK(s.decide({.samples = quiet, .buffering = true}) == "listen");
  CHECK(s.hear(quiet) == "speak");  // what it heard meanwhile counts

  stage dropped;
  CHECK(dropped.hear(loud) == "listen");
  dropped.session->drop_turn(protocol::item_id("i"));
  CHECK(dropped.hear(quiet) == "listen");
}

TEST_CASE("scripted native: while it speaks it goes on, and hears no new turn", "[adapters][scripted]") {
  stage s(long_winded());
  CHECK(s.end_turn(loud) == "speak");
  s.session->respond(ask("a"));
  CHECK(s.hear(loud) == "speak");
  CHECK(s.end_turn(loud) == "speak");
  CHECK(s.decide({.samples = loud, .force_listen = true}) == "listen");
  s.session->cancel(protocol::response_id("a"));
  s.session->drop_turn(protocol::item_id("i"));
  CHECK(s.hear(quiet) == "listen");
  CHECK(s.hear(loud) == "listen");
  CHECK(s.hear(quiet) == "speak");
  CHECK(s.sink->all<runtime::model_done>().empty());
}

TEST_CASE("scripted native: speaks on the units of the script and no others", "[adapters][scripted]") {
  auto script = native_at_once();
  script.decisions.speak_on_units = {2, 4};
  stage s(script);
  CHECK(s.end_turn(loud) == "listen");
  CHECK(s.hear(loud) == "speak");
  CHECK(s.hear(quiet) == "listen");
  CHECK(s.decide({.samples = loud, .force_listen = true}) == "listen");
}

TEST_CASE("scripted native: may keep listening and yet answers when asked", "[adapters][scripted]") {
  auto script = native_at_once();
  script.decisions.keep_listening = true;
  stage s(script);
  CHECK(s.end_turn(loud) == "listen");
  CHECK(s.hear(quiet) == "listen");
  s.session->respond(ask("a"));
  CHECK(s.sink->wait_until_done(protocol::response_id("a")));
}

TEST_CASE("F20: scripted native: says behind its answer that it listens again", "[adapters][scripted]") {
  stage s;
  s.session->respond(ask("a"));
  REQUIRE(s.sink->wait_until_done(protocol::response_id("a")));
  s.session->respond(ask("b"));  // behind what "a" left to be posted
  REQUIRE(s.sink->wait_until_done(protocol::response_id("b")));
  const auto all = s.sink->outputs();
  const auto ends = [](const auto& output) { return std::holds_alternative<runtime::model_done>(output); };
  const auto first = std::find_if(all.begin(), all.end(), ends);
  REQUIRE(all.end() - first > 1);
  REQUIRE(std::holds_alternative<model_listen>(*(first + 1)));
  CHECK(std::get<model_listen>(*(first + 1)).unit == 0);
}

TEST_CASE("scripted native: refuses, stalls or is lost on the unit of the script", "[adapters][scripted]") {
  auto script = native_at_once();
  script.decisions.fail_on_unit = 2;
  script.decisions.stall_on_unit = 4;
  stage stalling(script);
  CHECK(stalling.hear(loud) == "listen");
  CHECK(stalling.end_turn(loud) == "failed");
  CHECK(stalling.hear(quiet) == "speak");
  CHECK(stalling.hear(loud).empty());
  CHECK(stalling.end_turn(loud).empty());

  script = long_winded();
  script.decisions.lose_on_unit = 2;
  stage lost(script);
  lost.session->respond(ask("a"));
  CHECK(lost.hear(loud) == "speak");
  CHECK(lost.hear(loud) == "closed");
  CHECK(lost.hear(loud).empty());
  lost.session->respond(ask("b"));
  lost.session->throttle(protocol::response_id("a"), true);
  lost.session->cancel(protocol::response_id("a"));
  CHECK(lost.sink->outputs().size() == 2);
}

TEST_CASE("scripted native: the answer comes in pieces with the words that begin in them", "[adapters][scripted]") {
  auto script = native_at_once();
  script.replies = {{"one two three", "count"}, {"hello", {}}};
  stage s(script);
  s.session->respond(ask("a", "please COUNT"));
  REQUIRE(s.sink->wait_until_done(protocol::response_id("a")));
  const auto pieces = s.sink->all<runtime::model_speech>();
  REQUIRE(pieces.size() == 5);  // 900 ms in pieces of 200 ms
  std::vector<std::int16_t> samples;
  std::string words;
  for (const auto& piece : pieces) {
    CHECK(piece.epoch.value == 3);
    CHECK_FALSE(piece.samples.empty());
    samples.insert(samples.end(), piece.samples.begin(), piece.samples.end());
    words += piece.transcript;
  }
  CHECK(samples == make_tone(0, 900 * 24));
  CHECK(words == "one two three");
}

TEST_CASE("scripted native: the answer comes at playing speed", "[adapters][scripted]") {
  auto script = native_at_once();
  script.rate = 20;
  script.replies = {{"a b c d", {}}};
  stage s(script);
  const auto begin = std::chrono::steady_clock::now();
  s.session->respond(ask("a"));
  REQUIRE(s.sink->wait_until_done(protocol::response_id("a")));
  CHECK(std::chrono::steady_clock::now() - begin >= 50ms);  // 1.2 s in six pieces: five steps of 10 ms
}

TEST_CASE("scripted native: hears units only, and nothing once it is gone", "[adapters][scripted]") {
  stage s(long_winded());
  s.session->hear({protocol::item_id("i"), 16000, loud});
  s.session->end_turn({protocol::item_id("i")});
  CHECK(s.sink->outputs().empty());
  s.session->respond(ask("a"));
  s.session.reset();
  CHECK(s.sink.use_count() == 1);
}

TEST_CASE("scripted native: decisions and answers of many sessions at once", "[adapters][scripted]") {
  auto script = native_at_once();
  script.rate = 100;
  const auto model = make_scripted_model(script);
  const auto sink = std::make_shared<recording_sink>();
  std::vector<std::unique_ptr<runtime::model_session>> sessions;
  for (int i = 0; i < 20; ++i) sessions.push_back(model->open(sink));
  for (std::uint64_t number = 1; number <= 50; ++number) {
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      sessions[i]->hear_unit({.number = number, .samples = loud});
      if (number == 1) sessions[i]->respond(ask(std::to_string(i)));
    }
  }
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    REQUIRE(sink->wait_until_done(protocol::response_id(std::to_string(i))));
  }
  const auto listens = sink->all<model_listen>();
  const auto on_units =
      std::count_if(listens.begin(), listens.end(), [](const model_listen& one) { return one.unit > 0; });
  CHECK(sink->all<model_speak>().size() + static_cast<std::size_t>(on_units) == 50 * sessions.size());
}

TEST_CASE("scripted: says of itself what the configuration wants", "[adapters][scripted]") {
  auto script = native_at_once();
  const auto plain = make_scripted_model(script)->capabilities();
  CHECK(plain.native);
  CHECK(plain.chunk_period == 1000ms);
  CHECK((plain.barge_in && plain.resumes && plain.takes_text && plain.takes_images && plain.takes_video));
  CHECK((plain.truncates_audio && plain.updates_instructions && plain.takes_overrides));
  CHECK_FALSE((plain.video_required || plain.takes_text_appends || plain.needs_reference_voice));

  script.decisions.chunk_period = 200ms;
  script.capabilities = {.barge_in = false,
                         .resume = false,
                         .text = false,
                         .text_appends = true,
                         .images = false,
                         .video = config::video_use::none,
                         .audio_truncate = false,
                         .instructions_update = false,
                         .response_options = false,
                         .reference_voice = true};
  const auto other = make_scripted_model(script)->capabilities();
  CHECK(other.chunk_period == 200ms);
  CHECK_FALSE((other.barge_in || other.resumes || other.takes_text || other.takes_images || other.takes_video));
  CHECK_FALSE((other.truncates_audio || other.updates_instructions || other.takes_overrides));
  CHECK((other.takes_text_appends && other.needs_reference_voice));

  script.capabilities.video = config::video_use::required;
  const auto seeing = make_scripted_model(script)->capabilities();
  CHECK((seeing.takes_video && seeing.video_required));
  script.native = false;
  CHECK_FALSE(make_scripted_model(script)->capabilities().native);
  CHECK(make_scripted_model(script)->capabilities().chunk_period == 0ms);
}

}  // namespace parley::adapters::scripted
