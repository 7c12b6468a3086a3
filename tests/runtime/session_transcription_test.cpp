// Transcription events: whatever a model says of a turn and when, the deltas of its item, joined, are its final
// transcript. The driver's event_log checks that in every test; here are the ways in which a model may try to break it.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace parley::tests {
namespace {

using namespace protocol;
using runtime::turn_blank;
using runtime::turn_failed;
using runtime::turn_guess;
using runtime::turn_partial;
using runtime::turn_ready;

runtime::session_options transcribing(runtime::session_options options) {
  options.settings.transcription = transcription{.model = "any"};
  return options;
}

std::string joined(const session_driver& one) {
  std::string all;
  for (const auto& event : one.events<transcription_delta>()) all += event.delta;
  return all;
}

// What history and the client hold of the last turn.
std::string transcript_of(session_driver& one) {
  return one.retrieve(*one.last_turn()).content.front().transcript.value_or("(none)");
}

// A committed turn of a session without turn detection.
struct turn_given {
  turn_given() {
    one.append(voice(500ms));
    one.commit();
  }
  void partial(std::string delta) { one.output(turn_partial{*one.last_turn(), std::move(delta)}); }
  void check(const std::string& transcript) {
    CHECK(joined(one) == transcript);
    CHECK(one.only<transcription_completed>().transcript == transcript);
    CHECK(transcript_of(one) == transcript);
  }
  session_driver one{transcribing(manual_session())};
};

}  // namespace

TEST_CASE("F26: without partials the only delta is the transcript", "[runtime][turns]") {
  turn_given turn;
  turn.one.understood("you said you'd say it");
  turn.check("you said you'd say it");
  CHECK(turn.one.events<transcription_delta>().size() == 1);
}

TEST_CASE("F26: what the partials left out comes with the last delta", "[runtime][turns]") {
  turn_given turn;
  turn.partial("you said");
  turn.one.understood("you said you'd say it");
  turn.check("you said you'd say it");
  CHECK(turn.one.events<transcription_delta>().back().delta == " you'd say it");
}

TEST_CASE("F26: a model that changes its words can not make deltas and transcript differ", "[runtime][turns]") {
  turn_given turn;
  turn.partial("he");
  turn.partial(" said");
  turn.one.output(turn_ready{*turn.one.last_turn(), "you said you'd", std::vector<token_logprob>{{"you", -1}}});
  turn.check("he said you'd");
  CHECK_FALSE(turn.one.only<transcription_completed>().logprobs);
}

TEST_CASE("F26: a blank turn has an empty transcript and no delta", "[runtime][turns]") {
  turn_given turn;
  turn.one.blank();
  turn.check("");
  CHECK(turn.one.events<transcription_delta>().empty());
}

TEST_CASE("F26: a turn that is blank after all keeps the words that were told", "[runtime][turns]") {
  turn_given turn;
  turn.partial("hm");
  turn.one.blank();
  turn.check("hm");
}

TEST_CASE("F26: nothing follows the end of a transcription", "[runtime][turns]") {
  turn_given turn;
  const item_id id = *turn.one.last_turn();
  turn.partial("one");
  SECTION("completed") { turn.one.understood("one two"); }
  SECTION("failed") { turn.one.output(turn_failed{id, "It broke."}); }
  turn.one.fresh();
  turn.partial(" late");
  turn.one.understood("other words");
  turn.one.output(turn_blank{id});
  turn.one.output(turn_failed{id, "Twice."});
  CHECK(turn.one.events<transcription_delta>().empty());
  CHECK(turn.one.events<transcription_completed>().empty());
  CHECK(turn.one.events<transcription_failed>().empty());
}

TEST_CASE("F26: words of a turn that nobody committed are told of no item", "[runtime][turns]") {
  session_driver one{transcribing(vad_session())};
  one.output(turn_partial{item_id{"item_of_nobody"}, "ghost"});
  const auto written = one.write("hello");
  one.output(turn_partial{written, "ghost"});
  one.output(turn_ready{written, "ghost"});
  CHECK(one.events<transcription_delta>().empty());
  CHECK(one.events<transcription_completed>().empty());
}

TEST_CASE("F26: transcription turned on in mid-turn tells the whole transcript", "[runtime][turns]") {
  session_driver one{manual_session()};
  one.append(voice(500ms));
  one.commit();
  one.output(turn_partial{*one.last_turn(), "good"});
  CHECK(one.events<transcription_delta>().empty());
  one.update({.transcription = transcription_patch{.model = "any"}});
  one.output(turn_partial{*one.last_turn(), " morning"});
  one.understood("good morning all");
  CHECK(joined(one) == one.only<transcription_completed>().transcript);
  CHECK(transcript_of(one) == joined(one));
}

TEST_CASE("F26: words known before the commit are the beginning of what is told", "[runtime][turns]") {
  session_driver one{transcribing(vad_session())};
  one.say(voice(500ms));
  one.output(turn_partial{one.only<speech_started>().item, "good"});
  one.output(turn_guess{one.only<speech_started>().item, " mourning"});
  one.say(silence(520ms));
  CHECK(joined(one) == "good");
  one.output(turn_guess{*one.last_turn(), " moaning"});
  one.understood("good morning");
  CHECK(joined(one) == "good morning");
  CHECK(one.only<transcription_completed>().transcript == "good morning");
}

TEST_CASE("F26: semantic_vad listens to a guess, which each later word replaces", "[runtime][turns]") {
  session_driver one{vad_session()};
  one.update({.detection = turn_detection_patch{.type = turn_detection_type::semantic_vad, .eager = eagerness::high}});
  one.say(voice(500ms));
  const auto id = one.only<speech_started>().item;
  one.output(turn_partial{id, "a pizza"});
  one.output(turn_guess{id, " and"});
  one.say(silence(1500ms));
  CHECK(one.events<speech_stopped>().empty());
  one.say(voice(300ms));
  SECTION("another guess") { one.output(turn_guess{id, " hand"}); }
  SECTION("none any more") { one.output(turn_guess{id, ""}); }
  SECTION("final words") { one.output(turn_partial{id, " hand"}); }
  one.say(silence(400ms));
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("F26: audio of an item that the client made is told at its place", "[runtime][turns]") {
  session_driver one{transcribing(manual_session())};
  item made{.id = item_id{"made"}};
  made.content.push_back({.type = part_type::input_text, .text = "Listen:"});
  for (int i = 0; i < 2; ++i) {
    made.content.push_back({.type = part_type::input_audio, .text = base64(voice(300ms))});
  }
  one.send(item_create{std::move(made)});
  REQUIRE(one.errors().empty());
  one.output(turn_partial{item_id{"made"}, "you"});
  one.output(turn_ready{item_id{"made"}, "you said"});
  CHECK(joined(one) == "you said");
  const auto completed = one.only<transcription_completed>();
  CHECK(completed.transcript == "you said");
  CHECK(completed.content_index == 1);
  CHECK(one.events<transcription_delta>().front().content_index == 1);
  // Heard as one: the words stand once in the item, so once in a prompt.
  const auto kept = one.retrieve(item_id{"made"});
  CHECK(kept.content[1].transcript == "you said");
  CHECK(kept.content[2].transcript == "");
}

// The dialect has no deltas: the one transcript there is, is the item's.
TEST_CASE("F26: duplex: a client's own words are the only transcript of its turn", "[runtime][turns]") {
  auto options = transcribing(duplex_session());
  options.capabilities.native = false;
  session_driver one{options};
  const auto audio = base64(voice(1000ms, 8000, duplex_hz));
  append_details details;
  const bool hinted = GENERATE(true, false);
  if (hinted) details.transcript = "by the client";
  one.send(input_audio_append{audio, std::make_shared<const append_details>(details)});
  one.commit();
  one.understood("by the model");
  const std::string wanted = hinted ? "by the client" : "by the model";
  CHECK(one.only<transcription_completed>().transcript == wanted);
  CHECK(transcript_of(one) == wanted);
}

TEST_CASE("F13: broken text of a model reaches the session's events as U+FFFD", "[runtime][turns]") {
  turn_given turn;
  turn.partial("a\xFF");
  turn.one.understood("a\xFF b");
  turn.check("a\xEF\xBF\xBD b");
}

}  // namespace parley::tests
