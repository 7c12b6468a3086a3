// The listening half: appends, commits, detected turns, and changes of its settings.
#include "protocol/g711.hpp"
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_drop_turn;
using parley::runtime::call_end_turn;
using parley::runtime::call_hear;
using strings = std::vector<std::string>;

namespace {

const strings committed{"input_audio_buffer.committed", "conversation.item.added", "conversation.item.done"};

samples committed_audio(session_driver& one) {
  return one.retrieve(one.events<input_committed>().back().item).content.front().audio->samples;
}

samples part(const samples& of, std::chrono::milliseconds from, std::chrono::milliseconds to) {
  return {of.begin() + ms_to_samples(from.count(), wire_hz), of.begin() + ms_to_samples(to.count(), wire_hz)};
}

}  // namespace

TEST_CASE("C6: an append that splits a sample is refused and nothing shifts", "[runtime][input]") {
  session_driver one;
  const samples first = voice(200ms), second = voice(100ms, 4000);
  one.append(first);
  one.append_text(base64(std::vector<std::uint8_t>(1323, 1)), "odd");
  REQUIRE(one.errors() == strings{"invalid_value"});
  CHECK(one.only<error_event>().error.param == "audio");
  CHECK(one.only<error_event>().error.client_event_id == "odd");
  one.append(second);
  one.commit();
  CHECK(committed_audio(one) == first + second);
  CHECK(one.heard(*one.last_turn()) == first + second);
}

TEST_CASE("C7: what is not base64 leaves the buffer as it was", "[runtime][input]") {
  session_driver one;
  const samples good = voice(200ms);
  for (const char* bad : {"aGVs!bG8=", "data:audio/wav;base64,AAAA", "AA\r\nAA", "AAA", "A", "====", "--__"}) {
    one.fresh();
    one.append_text(bad, "e1");
    REQUIRE(one.errors() == strings{"invalid_value"});
    CHECK(one.only<error_event>().error.client_event_id == "e1");
    CHECK(one.only<error_event>().error.param == "audio");
  }
  one.fresh();
  one.append_text("");
  one.append(good);
  CHECK(one.types().empty());
  one.commit();
  CHECK(one.types() == committed);
  CHECK(committed_audio(one) == good);
}

TEST_CASE("C9: 15 MiB of audio in one append is accepted, one sample more is not", "[runtime][input]") {
  session_driver one;
  std::vector<std::uint8_t> bytes(15 * 1024 * 1024);
  one.append_text(base64(bytes));
  CHECK(one.types() == strings{"session.created"});
  bytes.resize(bytes.size() + 2);
  one.append_text(base64(bytes));
  CHECK(one.errors() == strings{"invalid_value"});
  one.fresh();
  one.commit();
  CHECK(committed_audio(one).size() == 15 * 1024 * 1024 / 2);
}

TEST_CASE("C9: a buffer that nobody commits is bounded", "[runtime][input]") {
  auto options = manual_session();
  options.limits.input_buffer_bytes = 48'000;  // one second
  session_driver one{options};
  for (int piece = 0; piece < 10; ++piece) one.append(voice(100ms));
  CHECK(one.errors().empty());
  one.append(voice(100ms));
  CHECK(one.errors() == strings{"input_audio_buffer_full"});
  one.commit();
  CHECK(committed_audio(one).size() == 24'000);
  one.append(voice(100ms));
  CHECK(one.errors().size() == 1);
}

TEST_CASE("C13: a turn starts prefix_padding before the speech, bit-exact, and no sample is sent twice",
          "[runtime][input]") {
  session_driver one{vad_session()};
  const samples gap = silence(620ms);
  // Speech at 0, at 120 ms after the first commit (at its 500 ms of silence), and after 5 s.
  const samples stream = voice(400ms) + gap + voice(400ms) + silence(5s) + voice(400ms) + silence(600ms);
  one.say(stream);
  const auto started = one.events<speech_started>();
  const auto stopped = one.events<speech_stopped>();
  REQUIRE(started.size() == 3);
  REQUIRE(stopped.size() == 3);
  CHECK(started[0].audio_start_ms == 0);
  CHECK(stopped[0].audio_end_ms == 900);
  CHECK(started[1].audio_start_ms == 900);  // 300 ms before speech would be inside the turn before
  CHECK(stopped[1].audio_end_ms == 1920);
  CHECK(started[2].audio_start_ms == 6120);
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const auto audio = one.retrieve(started[turn].item).content.front().audio->samples;
    CHECK(audio == part(stream, std::chrono::milliseconds{started[turn].audio_start_ms},
                        std::chrono::milliseconds{stopped[turn].audio_end_ms}));
    CHECK(one.heard(started[turn].item) == audio);
  }
}

TEST_CASE("C13: a prefix_padding of zero is honoured", "[runtime][input]") {
  auto options = vad_session();
  options.settings.detection->prefix_padding = 0ms;
  session_driver one{options};
  one.say(silence(1s) + voice(400ms) + silence(600ms));
  CHECK(one.only<speech_started>().audio_start_ms == 1000);
}

TEST_CASE("C15: a commit of nothing, or of less than 100 ms, is refused and keeps the audio", "[runtime][input]") {
  session_driver one;
  const auto refused = [&] {
    one.fresh();
    one.commit("c1");
    CHECK(one.errors() == strings{"input_audio_buffer_commit_empty"});
    CHECK(one.only<error_event>().error.client_event_id == "c1");
    CHECK(one.types().size() == 1);
  };
  refused();
  one.append(voice(99ms));
  refused();
  one.append(voice(1ms));
  one.fresh();
  one.commit();
  CHECK(one.types() == committed);
  CHECK(committed_audio(one).size() == 2400);
  refused();
  one.append(voice(500ms));
  one.send(input_audio_clear{});
  refused();
}

TEST_CASE("C15: the silence behind a detected turn makes an item at most, never an answer", "[runtime][input]") {
  session_driver one{vad_session()};
  one.say(voice(400ms) + silence(600ms));
  one.blank();
  one.fresh();
  one.commit();
  CHECK(one.types() == committed);  // 100 ms of it
  one.understood("made up");
  CHECK(one.events<response_created>().empty());
}

TEST_CASE("C16: a client that mutes in mid-word gets its turn ended on the audio clock", "[runtime][input]") {
  session_driver one{vad_session()};
  one.say(voice(800ms));
  one.advance(10s);
  CHECK(one.only<speech_stopped>().audio_end_ms == 800);
  CHECK(one.events<input_committed>().size() == 1);
  one.say(silence(1s));
  CHECK(one.events<speech_stopped>().size() == 1);
  one.understood("hello");
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("C16: after a clear the next utterance has its own item", "[runtime][input]") {
  session_driver one{vad_session()};
  one.say(voice(800ms));
  one.advance(1s);
  one.send(input_audio_clear{});
  CHECK(one.events<speech_stopped>().empty());
  CHECK(one.actions<call_drop_turn>().size() == 1);
  CHECK_FALSE(one.due());
  one.say(voice(400ms) + silence(600ms));
  REQUIRE(one.events<speech_started>().size() == 2);
  CHECK(one.only<input_committed>().item == one.events<speech_started>().back().item);
  CHECK(one.events<speech_started>().back().audio_start_ms == 800);
}

TEST_CASE("F17: a commit by hand in detected speech is not announced as its end", "[runtime][input]") {
  for (const auto kind : {session_kind::realtime, session_kind::transcription}) {
    auto options = vad_session();
    options.settings.kind = kind;
    session_driver one{options};
    one.say(voice(500ms));
    const auto first = one.only<speech_started>().item;
    one.fresh();
    one.commit();
    CHECK(one.types() == committed);
    CHECK(one.only<input_committed>().item == first);
    one.fresh();
    one.say(voice(400ms) + silence(600ms));  // the user speaks on: an utterance of its own
    CHECK(one.only<speech_started>().item != first);
    CHECK(one.only<speech_stopped>().item == one.only<speech_started>().item);
  }
}

TEST_CASE("F17: nor is a clear, nor the end of detection or of the session", "[runtime][input]") {
  session_driver cleared{vad_session()};
  cleared.say(voice(500ms));
  cleared.fresh();
  cleared.send(input_audio_clear{});
  CHECK(cleared.types() == strings{"input_audio_buffer.cleared"});

  session_driver off{vad_session()};
  off.say(voice(500ms));
  const auto item = off.only<speech_started>().item;
  off.fresh();
  off.update({.detection = nullable<turn_detection_patch>{std::optional<turn_detection_patch>{}}});
  CHECK(off.types() == strings{"session.updated"});
  off.say(silence(1s));
  SECTION("committed by hand under its id") {
    off.fresh();
    off.commit();
    CHECK(off.types() == committed);
    CHECK(off.only<input_committed>().item == item);
  }
  SECTION("given up when detection begins anew") {
    off.fresh();
    off.update({.detection = turn_detection_patch{.type = turn_detection_type::server_vad}});
    CHECK(off.types() == strings{"session.updated"});
    CHECK(off.actions<call_drop_turn>().size() == 1);
  }

  session_driver closed{vad_session()};
  closed.say(voice(500ms));
  closed.close(parley::runtime::close_reason::shutdown);
  CHECK(closed.events<speech_stopped>().empty());
}

// DUPLEX 62 wants it before a commit of speech, 75 names nothing but `cleared`.
TEST_CASE("F17: duplex: a commit tells the end of its speech, a clear does not", "[runtime][input][duplex]") {
  for (const bool detects : {false, true}) {
    auto options = duplex_session();
    options.capabilities.native = false;
    if (detects) options.settings.detection = turn_detection{};
    session_driver one{options};
    one.append(voice(900ms, 8000, duplex_hz));
    const auto item = one.only<speech_started>().item;
    one.fresh();
    one.commit();
    CHECK(one.types().front() == "input_audio_buffer.speech_stopped");
    CHECK(one.only<speech_stopped>().item == item);
    one.append(voice(900ms, 8000, duplex_hz));
    one.fresh();
    one.send(input_audio_clear{});
    CHECK(one.types() == strings{"input_audio_buffer.cleared"});
  }
}

TEST_CASE("C36: null switches turn detection and transcription off, absent leaves them", "[runtime][input]") {
  auto options = vad_session();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  one.update({.detection = nullable<turn_detection_patch>{std::optional<turn_detection_patch>{}}});
  CHECK_FALSE(one.only<session_updated>().session.settings->detection);
  CHECK(one.only<session_updated>().session.settings->transcription);
  one.fresh();
  one.say(voice(500ms) + silence(1s));
  CHECK(one.types().empty());
  one.update({.transcription = nullable<transcription_patch>{std::optional<transcription_patch>{}}});
  one.update({.instructions = "Be brief."});
  CHECK_FALSE(one.events<session_updated>().back().session.settings->transcription);
  one.fresh();
  one.commit();
  one.understood("words");
  CHECK(one.types() == committed);
  CHECK(committed_audio(one).size() == 36'000);
}

TEST_CASE("C36: switched on again, detection does not fire on old audio", "[runtime][input]") {
  session_driver one;
  one.append(voice(500ms));
  one.update({.detection = turn_detection_patch{.type = turn_detection_type::server_vad}});
  one.fresh();
  one.say(silence(1s));
  CHECK(one.types().empty());
  one.say(voice(400ms) + silence(600ms));
  CHECK(one.only<speech_started>().audio_start_ms == 1200);
}

TEST_CASE("C37: a partial turn_detection merges, and the detector uses what is shown", "[runtime][input]") {
  auto options = vad_session();
  options.settings.detection->silence_duration = 700ms;
  session_driver one{options};
  one.update({.detection = turn_detection_patch{.threshold = 0.8}});
  const auto shown = one.only<session_updated>().session.settings->detection;
  REQUIRE(shown);
  CHECK(shown->type == turn_detection_type::server_vad);
  CHECK(shown->silence_duration == 700ms);
  one.say(voice(500ms, 7000) + silence(1s));
  CHECK(one.events<speech_started>().empty());
  one.say(voice(500ms, 9000) + silence(690ms));
  CHECK(one.events<speech_stopped>().empty());
  one.update({.detection = turn_detection_patch{.type = turn_detection_type::server_vad, .silence_duration = 300ms}});
  CHECK(one.events<session_updated>().back().session.settings->detection->threshold == 0.8);
  one.say(silence(20ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("C37: semantic_vad is a longer or shorter pause", "[runtime][input]") {
  session_driver one{vad_session()};
  one.update({.detection = turn_detection_patch{.type = turn_detection_type::semantic_vad, .eager = eagerness::low}});
  one.say(voice(500ms) + silence(1180ms));
  CHECK(one.events<speech_stopped>().empty());
  one.say(silence(40ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("input: other noise reduction in mid-word keeps the utterance", "[runtime][input]") {
  session_driver one{vad_session()};
  one.say(voice(300ms));
  one.update({.noise = std::optional{noise_reduction_patch{.type = microphone::near_field}}});
  one.say(voice(300ms) + silence(600ms));
  CHECK(one.events<speech_started>().size() == 1);
  CHECK(one.only<speech_stopped>().audio_end_ms == 1100);
}

TEST_CASE("input: another rate is refused while a turn is open", "[runtime][input]") {
  session_driver one{vad_session()};
  one.say(voice(500ms));
  one.update({.input_format = audio_format{.rate_hz = 16000}});
  CHECK(one.only<error_event>().error.param == "session.audio.input.format");
  CHECK(one.events<session_updated>().empty());
  one.say(silence(600ms));
  CHECK(committed_audio(one).size() == 24 * 1000);
}

TEST_CASE("input: a long append is judged a slice at a time", "[runtime][input]") {
  session_driver one{vad_session()};
  const samples spoken = voice(2s) + silence(600ms);
  one.send(input_audio_append{base64(spoken)});
  CHECK(one.due() == 0ms);
  CHECK(one.events<speech_stopped>().empty());
  one.advance(0ms);
  CHECK(one.only<speech_stopped>().audio_end_ms == 2500);
  CHECK(committed_audio(one).size() == 24 * 2500);
}

TEST_CASE("input: positions go on in time at another rate", "[runtime][input]") {
  session_driver one{vad_session()};
  one.say(silence(500ms));
  one.update({.input_format = audio_format{.rate_hz = 16000}});
  one.append(silence(1s, 16000) + voice(400ms, 8000, 16000) + silence(600ms, 16000));
  CHECK(one.events<speech_started>().back().audio_start_ms == 1200);
  CHECK(one.actions<call_hear>().back().audio.rate_hz == 16000);
  CHECK(committed_audio(one).size() == 16 * 1200);
}

TEST_CASE("input: g711 is decoded to samples", "[runtime][input]") {
  auto options = manual_session();
  options.settings.input_format = {audio_encoding::g711_ulaw, 8000};
  session_driver one{options};
  std::vector<std::uint8_t> bytes(1601);
  samples expected;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = static_cast<std::uint8_t>(at);
    expected.push_back(ulaw_decode(bytes[at]));
  }
  one.append_text(base64(bytes));
  one.commit();
  CHECK(committed_audio(one) == expected);
  CHECK(one.actions<call_hear>().front().audio.rate_hz == 8000);
}

TEST_CASE("input: transcription events come when they are on", "[runtime][input]") {
  auto options = manual_session();
  options.settings.transcription = transcription{.model = "any"};
  session_driver one{options};
  one.append(voice(500ms));
  one.commit();
  CHECK(one.actions<call_end_turn>().front().turn.transcription == transcription{.model = "any"});
  one.output(parley::runtime::turn_partial{*one.last_turn(), "hel"});
  one.understood("hello");
  CHECK(one.events<transcription_delta>().front().delta == "hel");
  CHECK(one.only<transcription_completed>().transcript == "hello");
  CHECK(one.only<transcription_completed>().audio_seconds == 0.5);
  CHECK(one.retrieve(*one.last_turn()).content.front().transcript == "hello");
}
