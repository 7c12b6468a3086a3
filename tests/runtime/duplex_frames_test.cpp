// Video frames of the duplex dialect: the model sees each of them once, whoever speaks and whatever becomes of the
// audio.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_hear_unit;
using parley::runtime::call_respond;
using strings = std::vector<std::string>;

namespace {

samples words_of(std::chrono::milliseconds length) { return voice(length, 8000, duplex_hz); }
samples quiet(std::chrono::milliseconds length) { return silence(length, duplex_hz); }

std::string jpeg(int number) { return "/9j/" + std::to_string(number); }

void append_with(session_driver& one, const samples& audio, append_details details) {
  const std::string text = base64(audio);
  one.send(input_audio_append{text, std::make_shared<const append_details>(std::move(details))});
}

void append(session_driver& one, const samples& audio, strings frames) {
  append_with(one, audio, {.video_frames = std::move(frames)});
}

void commit(session_driver& one, bool create) { one.send(input_audio_commit{.create_response = create}); }

// Listens to every unit until none is in flight.
void listen_to_all(session_driver& one) {
  for (auto units = one.actions<call_hear_unit>().size(), before = std::size_t{0}; units != before;
       before = std::exchange(units, one.actions<call_hear_unit>().size())) {
    one.listens();
  }
}

strings seen_by_model(const session_driver& one) {
  strings frames;
  for (const auto& each : one.actions<call_hear_unit>()) {
    frames.insert(frames.end(), each.unit.frames.begin(), each.unit.frames.end());
  }
  return frames;
}

auto turn_based_session() {
  auto options = duplex_session();
  options.capabilities.native = false;
  return options;
}

strings pictures_in_prompt(const session_driver& one) {
  strings found;
  for (const auto& each : one.request_made().prompt)
    for (const auto& part : each->content)
      if (part.type == part_type::input_image) found.push_back(part.text);
  return found;
}

void answered(session_driver& one) {
  one.understood("Look.");
  one.speak(200ms, "I see.");
  one.done();
}

}  // namespace

TEST_CASE("F4: the frames of silent appends reach a native model that answers when asked", "[runtime][duplex][video]") {
  session_driver one{duplex_session()};
  append(one, quiet(100ms), {jpeg(1)});
  append(one, words_of(500ms), {jpeg(2), jpeg(3)});
  one.append(quiet(100ms));
  append(one, quiet(100ms), {jpeg(4)});
  commit(one, true);
  listen_to_all(one);
  CHECK(seen_by_model(one) == strings{jpeg(1), jpeg(2), jpeg(3), jpeg(4)});
}

TEST_CASE("F4: frames do not wait until somebody speaks", "[runtime][duplex][video]") {
  session_driver one{duplex_session()};
  for (int number = 1; number <= 10; ++number) {
    append(one, quiet(50ms), {jpeg(number)});
    one.append(quiet(150ms));
    listen_to_all(one);
  }
  strings all;
  for (int number = 1; number <= 10; ++number) all.push_back(jpeg(number));
  CHECK(seen_by_model(one) == all);
  CHECK(one.errors() == strings{});
  for (const auto& each : one.actions<call_hear_unit>()) CHECK(each.unit.samples == quiet(200ms));
}

TEST_CASE("F4: a silent append without frames is not for the model", "[runtime][duplex][video]") {
  session_driver one{duplex_session()};
  append(one, quiet(300ms), {jpeg(1)});
  listen_to_all(one);
  const auto units = one.actions<call_hear_unit>().size();
  one.append(quiet(1000ms));
  CHECK(one.actions<call_hear_unit>().size() == units);
}

TEST_CASE("F4: with a detector a frame comes once, also where one append ends an utterance and begins the next",
          "[runtime][duplex][video]") {
  for (const bool answers_itself : {false, true}) {
    auto options = duplex_session();
    options.settings.detection = turn_detection{};
    options.settings.duplex.auto_response = answers_itself;
    session_driver one{options};
    append(one, quiet(400ms), {jpeg(1)});
    listen_to_all(one);
    append(one, words_of(600ms), {jpeg(2)});
    listen_to_all(one);
    append(one, quiet(700ms) + words_of(500ms), {jpeg(3)});  // one ends, the next begins
    listen_to_all(one);
    append(one, quiet(700ms), {jpeg(4)});
    listen_to_all(one);
    one.append(quiet(400ms));
    listen_to_all(one);
    INFO("answers by itself: " << answers_itself);
    CHECK(seen_by_model(one) == strings{jpeg(1), jpeg(2), jpeg(3), jpeg(4)});
    CHECK(one.events<speech_started>().size() == 2);
  }
}

TEST_CASE("F4: the frames of an append that is dropped over an answer are seen", "[runtime][duplex][video]") {
  session_driver one{duplex_session()};
  one.append(words_of(800ms));
  for (int unit = 0; unit < 4; ++unit) one.listens();
  commit(one, true);
  one.speaks();
  one.speak(1s, "Well, well.");
  append_with(one, words_of(100ms), {.video_frames = {jpeg(1)}, .overlap = overlap_wish::drop});
  append(one, quiet(100ms), {jpeg(2)});
  append(one, words_of(300ms), {jpeg(3)});
  commit(one, true);  // a word of the listener: its audio is dropped
  CHECK(one.events<input_committed>().back().facts->overlap_ack);
  one.done();
  one.append(words_of(900ms));
  commit(one, true);
  listen_to_all(one);
  CHECK(seen_by_model(one) == strings{jpeg(1), jpeg(2), jpeg(3)});
}

TEST_CASE("F4: a clear takes the frames of its turn along", "[runtime][duplex][video]") {
  session_driver one{duplex_session()};
  append(one, words_of(100ms), {jpeg(1)});
  one.send(input_audio_clear{});
  append(one, words_of(900ms), {jpeg(2)});
  commit(one, true);
  listen_to_all(one);
  CHECK(seen_by_model(one) == strings{jpeg(2)});
}

TEST_CASE("F4: a turn-based model gets the newest frame as a picture of the turn", "[runtime][duplex][video]") {
  session_driver one{turn_based_session()};
  append(one, quiet(200ms), {jpeg(1)});
  append(one, words_of(900ms), {jpeg(2), jpeg(3)});
  commit(one, true);
  const item told = one.events<item_done>().back().value;
  REQUIRE(told.content.size() == 2);
  CHECK(told.content.front().type == part_type::input_audio);
  CHECK(told.content.back().type == part_type::input_image);
  answered(one);
  CHECK(pictures_in_prompt(one) == strings{"data:image/jpeg;base64," + jpeg(3)});
  CHECK(one.prompt().starts_with("user: Look."));

  one.append(words_of(900ms));  // nothing new was seen
  commit(one, true);
  CHECK(one.events<item_done>().back().value.content.size() == 1);
  answered(one);
  CHECK(pictures_in_prompt(one).size() == 1);
}

TEST_CASE("F4: what was seen in silence, or while it said a word of a listener, is the next turn's",
          "[runtime][duplex][video]") {
  session_driver one{turn_based_session()};
  append(one, quiet(200ms), strings{"iVBORw0KGgo1"});
  commit(one, false);  // declared silence: no turn
  one.append(words_of(900ms));
  commit(one, true);
  answered(one);
  CHECK(pictures_in_prompt(one) == strings{"data:image/png;base64,iVBORw0KGgo1"});
}

TEST_CASE("F4: a turn-based model in an answering session sees, too", "[runtime][duplex][video]") {
  auto options = turn_based_session();
  options.settings.duplex.auto_response = true;
  session_driver one{options};
  append(one, quiet(400ms), {jpeg(1)});
  append(one, words_of(600ms), {jpeg(2)});
  append(one, quiet(600ms), {jpeg(3)});
  answered(one);
  CHECK(pictures_in_prompt(one) == strings{"data:image/jpeg;base64," + jpeg(3)});
}

TEST_CASE("F4: frames alone are no speech and no silence", "[runtime][duplex][video]") {
  session_driver one{duplex_session()};
  one.fresh();
  append(one, {}, {jpeg(1)});
  CHECK(one.types() == strings{});
  one.append(words_of(300ms));
  CHECK(seen_by_model(one) == strings{jpeg(1)});
}

TEST_CASE("F4: the oldest pictures of a stream of frames leave by themselves", "[runtime][duplex][video]") {
  auto options = turn_based_session();
  options.capabilities.takes_images = true;
  options.limits.context_images = 3;
  session_driver one{options};
  for (int number = 1; number <= 6; ++number) {
    append(one, words_of(900ms), {jpeg(number)});
    commit(one, true);
    answered(one);
  }
  CHECK(pictures_in_prompt(one) == strings{"data:image/jpeg;base64," + jpeg(4), "data:image/jpeg;base64," + jpeg(5),
                                           "data:image/jpeg;base64," + jpeg(6)});
  item sent;
  sent.content.push_back({.type = part_type::input_image, .text = "data:image/png;base64,AAAA"});
  one.send(item_create{sent});  // those that came as frames do not stand in its way
  CHECK(one.errors() == strings{});
}

// ---- what a model requires ----------------------------------------------------------------------------------------

namespace {

auto seeing_session(bool native = true) {
  auto options = duplex_session();
  options.capabilities.native = native;
  options.capabilities.video_required = true;
  return options;
}

}  // namespace

TEST_CASE("F21: a unit without a frame is refused where the model requires video", "[runtime][duplex][video]") {
  for (const bool answers_itself : {false, true}) {
    auto options = seeing_session();
    options.settings.duplex.auto_response = answers_itself;
    session_driver one{options};
    one.fresh();
    one.append_text(base64(words_of(200ms)), "blind");
    CHECK(one.errors() == strings{"invalid_video_frames"});
    CHECK(one.only<error_event>().error.client_event_id == "blind");
    CHECK(one.types() == strings{"error"});
    CHECK(one.actions<call_hear_unit>().empty());
    one.fresh();
    one.append(words_of(100ms));  // part of a unit
    append(one, words_of(100ms), {jpeg(1)});
    CHECK(one.errors() == strings{});
    CHECK(seen_by_model(one) == strings{jpeg(1)});
    listen_to_all(one);
    append(one, words_of(100ms), {jpeg(2)});
    one.append(words_of(100ms));  // its frame came before
    CHECK(one.errors() == strings{});
    listen_to_all(one);
    one.append(words_of(300ms));
    CHECK(one.errors() == strings{"invalid_video_frames"});
  }
}

TEST_CASE("F21: so is a turn that holds no frame, and it may be seen yet", "[runtime][duplex][video]") {
  for (const bool native : {true, false}) {
    session_driver one{seeing_session(native)};
    one.append(words_of(150ms));
    one.fresh();
    commit(one, true);
    CHECK(one.errors() == strings{"invalid_video_frames"});
    CHECK(one.types() == strings{"error"});
    one.fresh();
    append(one, words_of(10ms), {jpeg(1)});
    commit(one, true);
    CHECK(one.errors() == strings{});
    CHECK(one.events<input_committed>().size() == 1);
  }
}

TEST_CASE("F21: what a commit fills up needs no frame of its own", "[runtime][duplex][video]") {
  session_driver one{seeing_session()};
  append(one, words_of(200ms), {jpeg(1)});
  listen_to_all(one);
  one.append(words_of(90ms));
  commit(one, false);
  listen_to_all(one);
  CHECK(one.errors() == strings{});
  CHECK(one.events<input_committed>().size() == 1);
  one.append(quiet(1000ms));  // not for the model: it needs nothing
  CHECK(one.errors() == strings{});
}

TEST_CASE("F21: append_text is shown where input.text.append is taken, and only there", "[runtime][duplex]") {
  for (const bool takes : {false, true}) {
    auto options = duplex_session();
    options.capabilities.takes_text_appends = takes;
    session_driver one{options};
    CHECK(one.only<session_updated>().session.duplex->capabilities.takes_text_appends == takes);
    one.send(input_text_append{"Hello."});
    CHECK(one.errors() == (takes ? strings{} : strings{"native_text_append_unsupported"}));
  }
}
