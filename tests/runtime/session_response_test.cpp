// One answer: its events in order, its pacing, its endings.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

using namespace parley::tests;
using namespace parley::protocol;
using parley::runtime::call_cancel;
using parley::runtime::call_respond;
using parley::runtime::call_throttle;
using parley::runtime::finish_reason;
using parley::runtime::invalidate;
using strings = std::vector<std::string>;

namespace {

auto paced() {
  auto options = manual_session();
  options.pace_ahead = 400ms;
  return options;
}

}  // namespace

TEST_CASE("C2: a spoken answer announces, fills and closes everything in order", "[runtime][response]") {
  session_driver one;
  static_cast<void>(one.write("hi"));
  one.fresh();
  one.ask();
  one.speak(200ms, "Hello ");
  one.speak(200ms, "there.");
  one.done();
  CHECK(one.types() == strings{"response.created", "response.output_item.added", "conversation.item.added",
                               "response.content_part.added", "response.output_audio.delta",
                               "response.output_audio_transcript.delta", "response.output_audio.delta",
                               "response.output_audio_transcript.delta", "response.output_audio.done",
                               "response.output_audio_transcript.done", "response.content_part.done",
                               "conversation.item.done", "response.output_item.done", "response.done"});
  const auto end = one.only<response_done>().response;
  CHECK(end.status == response_status::completed);
  CHECK(end.usage == token_usage{1, 2, 3, 4});
  CHECK(end.output.front().content.front().transcript == "Hello there.");
  CHECK(one.only<item_done>().value.status == item_status::completed);
  CHECK(one.audio() == voice(200ms) + voice(200ms));
}

TEST_CASE("C2: an answer cancelled in mid-audio closes its part and item", "[runtime][response]") {
  session_driver one;
  one.ask();
  one.speak(400ms, "Hello there.");
  one.fresh();
  one.cancel();
  CHECK(one.types() == strings{"response.output_audio.done", "response.output_audio_transcript.done",
                               "response.content_part.done", "conversation.item.done", "response.output_item.done",
                               "response.done"});
  CHECK(one.only<item_done>().value.status == item_status::incomplete);
  const auto end = one.only<response_done>().response;
  CHECK(end.status == response_status::cancelled);
  CHECK(end.reason == status_reason::client_cancelled);
  CHECK(one.actions<call_cancel>().size() == 1);
  CHECK(one.actions<invalidate>().size() == 1);
}

TEST_CASE("C2: a tool call cancelled before its end is closed as incomplete", "[runtime][response]") {
  session_driver one;
  one.ask();
  one.call("call_1", "look", "{\"a\":", false);
  one.fresh();
  one.cancel();
  CHECK(one.types() == strings{"response.function_call_arguments.done", "conversation.item.done",
                               "response.output_item.done", "response.done"});
  CHECK(one.only<output_item_done>().value.status == item_status::incomplete);
  one.ask();
  CHECK(one.prompt().empty());  // half a call is no history
}

TEST_CASE("C10: pieces of any size join to what the model said", "[runtime][response]") {
  session_driver one{paced()};
  const samples whole = voice(1500ms);
  one.ask();
  std::size_t at = 0;
  const std::vector<std::size_t> sizes{0, 1, 4063, 1697, 2, 3, 479, 480, 481, 5000, 1};
  for (std::size_t next = 0; at < whole.size(); ++next) {
    const std::size_t size = std::min(sizes[next % sizes.size()], whole.size() - at);
    const auto from = whole.begin() + static_cast<std::ptrdiff_t>(at);
    one.speak({from, from + static_cast<std::ptrdiff_t>(size)}, next == 0 ? "Words." : "");
    at += size;
  }
  one.done();
  one.advance(2s);
  CHECK(one.audio() == whole);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

TEST_CASE("response: deltas are between 20 and 200 ms long unless speech ends", "[runtime][response][pacing]") {
  session_driver one{paced()};
  one.ask();
  for (int piece = 0; piece < 100; ++piece) one.speak(7ms);
  one.speak(950ms);
  one.done();
  one.advance(3s);
  const auto deltas = one.events<audio_delta>();
  for (std::size_t at = 0; at < deltas.size(); ++at) {
    const auto ms = samples_to_ms(static_cast<std::int64_t>(deltas[at].samples.size()), wire_hz);
    CHECK(ms <= 200);
    if (at + 1 < deltas.size()) CHECK(ms >= 20);
  }
  CHECK(one.audio_ms() == 1650);
}

TEST_CASE("response: no audio leaves earlier than pace_ahead before it plays", "[runtime][response][pacing]") {
  session_driver one{paced()};
  one.ask();
  const auto began = one.now();
  one.speak(10s, "A long speech.");
  one.done();
  while (one.due()) {
    const auto so_far = one.audio_ms();
    const auto playing = std::chrono::duration_cast<std::chrono::milliseconds>(one.now() - began).count();
    // The delta that starts at the mark may reach 200 ms beyond it.
    CHECK(so_far <= playing + 400 + 200);
    CHECK(so_far >= std::min<std::int64_t>(playing + 400, 10'000));
    one.advance(*one.due());
  }
  CHECK(one.audio_ms() == 10'000);
}

TEST_CASE("response: endings come only when the outbox is empty", "[runtime][response][pacing]") {
  session_driver one{paced()};
  one.ask();
  one.speak(2s, "Two seconds.");
  one.done();
  one.advance(1000ms);
  CHECK(one.events<response_done>().empty());
  CHECK(one.events<audio_done>().empty());
  one.ask();
  CHECK(one.errors() == strings{"conversation_already_has_active_response"});
  one.advance(600ms);
  CHECK(one.events<response_done>().size() == 1);
}

TEST_CASE("response: words leave with their sound", "[runtime][response][pacing]") {
  session_driver one{paced()};
  one.ask();
  one.speak(600ms, "First. ");
  one.speak(600ms, "Second. ");
  one.speak(600ms, "Third.");
  one.done();
  CHECK(one.words() == "First. ");
  one.advance(200ms);
  CHECK(one.words() == "First. Second. ");
  one.advance(500ms);
  CHECK(one.words() == "First. Second. ");
  one.advance(100ms);
  CHECK(one.words() == "First. Second. Third.");
}

TEST_CASE("response: a model that can wait is told to between the marks", "[runtime][response][flow]") {
  session_driver one{paced()};
  one.ask();
  one.speak(5s);
  CHECK(one.actions<call_throttle>().empty());
  one.speak(2s);
  REQUIRE(one.actions<call_throttle>().size() == 1);
  CHECK(one.actions<call_throttle>().front().wait);
  one.advance(3s);
  CHECK(one.actions<call_throttle>().size() == 1);
  one.advance(2s);
  REQUIRE(one.actions<call_throttle>().size() == 2);
  CHECK_FALSE(one.actions<call_throttle>().back().wait);
}

TEST_CASE("response: output beyond the hard bound fails it", "[runtime][response][flow]") {
  auto options = paced();
  options.capabilities.can_wait = false;
  options.limits.outbox_max_audio_ms = 10'000;
  session_driver one{options};
  one.ask();
  one.speak(10s);
  CHECK(one.events<response_done>().empty());
  one.speak(1s);
  const auto end = one.only<response_done>().response;
  CHECK(end.status == response_status::failed);
  REQUIRE(end.failure);
  CHECK(end.failure->code == errc::output_backpressure);
  CHECK(end.failure->kind == error_class::rate_limit_error);
  CHECK(one.actions<call_throttle>().empty());
  CHECK(one.actions<call_cancel>().size() == 1);
  one.speak(1s);  // stale
  one.fresh();
  one.answer(500ms);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

namespace {

// Unpaced, and the writer's share is 200 ms of sound.
auto unpaced_behind_a_writer() {
  auto options = manual_session();
  options.limits.unsent_audio_bytes = 12'000;
  return options;
}

}  // namespace

TEST_CASE("F40: unpaced speech beyond what the writer is about to take waits in the response",
          "[runtime][response][flow]") {
  session_driver one{unpaced_behind_a_writer()};
  one.hold_writer();
  one.ask();
  one.speak(4s, "All of it.");
  one.done();
  CHECK(one.audio_ms() == 200);
  CHECK_FALSE(one.due());
  CHECK(one.events<response_done>().empty());
  for (int taken = 0; taken < 30; ++taken) {
    one.release_writer();
    one.hold_writer();
    one.advance(0ms);
  }
  CHECK(one.audio_ms() == 4000);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

TEST_CASE("F40: a cancel after the model has finished takes back what still waits", "[runtime][response][flow]") {
  session_driver one{unpaced_behind_a_writer()};
  one.hold_writer();
  one.ask();
  one.speak(4s, "All of it.");
  one.done();
  one.cancel();
  one.release_writer();
  one.advance(0ms);
  CHECK(one.audio_ms() == 200);
  CHECK(one.actions<invalidate>().size() == 1);
  CHECK(one.only<response_done>().response.status == response_status::cancelled);
}

TEST_CASE("F40: a model that can wait is told to while its client is behind", "[runtime][response][flow]") {
  session_driver one{unpaced_behind_a_writer()};
  one.hold_writer();
  one.ask();
  one.speak(6s);
  REQUIRE(one.actions<call_throttle>().size() == 1);
  CHECK(one.actions<call_throttle>().front().wait);
}

TEST_CASE("response: the end waits for the writer to take its last sound", "[runtime][response][flow]") {
  auto options = paced();
  options.limits.unsent_audio_bytes = 100'000;
  session_driver one{options};
  one.hold_writer();
  one.ask();
  one.speak(200ms, "Short.");
  one.done();
  CHECK(one.events<response_done>().empty());
  one.release_writer();
  one.advance(0ms);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

TEST_CASE("C27: a model that never stops is cut at the bound of one response", "[runtime][response]") {
  auto options = manual_session();
  options.limits.response_audio_ms = 1000;
  options.limits.response_text_bytes = 10;
  session_driver one{options};
  one.ask();
  one.speak(1s, "Ten bytes.");
  CHECK(one.events<response_done>().empty());
  const bool by_sound = GENERATE(true, false);
  one.speak(by_sound ? 1ms : 0ms, by_sound ? "" : "!");
  const auto end = one.only<response_done>().response;
  CHECK(end.status == response_status::incomplete);
  CHECK(end.reason == status_reason::max_output_tokens);
  CHECK(end.output.front().status == item_status::incomplete);
  CHECK(one.audio_ms() == 1000);
  CHECK(one.words() == "Ten bytes.");
  CHECK(one.actions<call_cancel>().size() == 1);
}

response_options with_sound(std::string base64_text) {
  response_options options;
  options.out_of_band = true;
  options.input.emplace(1);
  options.input->front().value.content.push_back({.type = part_type::input_audio, .text = std::move(base64_text)});
  return options;
}

TEST_CASE("response: sound in its own input is heard before the model is asked", "[runtime][response]") {
  session_driver one;
  one.ask(with_sound(base64(voice(300ms))));
  CHECK(one.events<response_created>().size() == 1);
  CHECK(one.actions<call_respond>().empty());
  CHECK(one.heard(*one.last_turn()) == voice(300ms));
  one.understood("what is this");
  CHECK(one.prompt() == "user: what is this");
  one.text("A sound.");
  one.done();
  CHECK(one.only<response_done>().response.status == response_status::completed);
  CHECK(one.events<item_added>().empty());
  CHECK(one.events<transcription_completed>().empty());
}

TEST_CASE("response: sound in its own input that is none is refused", "[runtime][response]") {
  session_driver one;
  one.send(response_create{with_sound("AAA")}, "e1");
  const auto refused = one.only<error_event>().error;
  CHECK(refused.code == errc::invalid_value);
  CHECK(refused.param == "response.input[0].content[0].audio");
  CHECK(one.events<response_created>().empty());
}

TEST_CASE("response: a tool call is not held behind paced speech", "[runtime][response][tools]") {
  session_driver one{paced()};
  one.ask();
  one.speak(3s, "Let me look.");
  one.fresh();
  one.call("call_1", "look", "{\"a\":1}");
  CHECK(one.types() == strings{"response.output_item.added", "conversation.item.added",
                               "response.function_call_arguments.delta", "response.function_call_arguments.done",
                               "conversation.item.done", "response.output_item.done"});
  CHECK(one.only<output_item_done>().value.status == item_status::completed);
  one.fresh();
  one.done();  // complete with a call: the rest of the speech is released at once
  CHECK(one.only<response_done>().response.output.size() == 2);
  CHECK(one.audio_ms() > 2000);
}

TEST_CASE("response: a call without arguments gets an empty object", "[runtime][response][tools]") {
  session_driver one;
  one.ask();
  one.call("call_1", "look", "", false);
  CHECK(one.only<output_item_added>().value.arguments.empty());
  one.call("call_1", "look", "");
  CHECK(one.only<arguments_done>().arguments == "{}");
  one.call("call_2", "peek", "", false);
  one.done();  // without a last piece
  CHECK(one.events<arguments_done>().back().arguments == "{}");
  CHECK(one.only<response_done>().response.output.back().status == item_status::completed);
}

TEST_CASE("C27: an answer without content ends completed and empty", "[runtime][response]") {
  session_driver one;
  one.ask();
  one.done();
  CHECK(one.only<response_done>().response.output.empty());
  CHECK(one.only<response_done>().response.status == response_status::completed);
  one.fresh();
  one.ask();
  one.speak(0ms, "Words without sound.");
  one.done();
  CHECK(one.only<response_done>().response.output.front().content.front().transcript == "Words without sound.");
  one.fresh();
  one.answer(400ms);
  CHECK(one.only<response_done>().response.status == response_status::completed);
}

TEST_CASE("C27: what an old answer left over never feeds the next", "[runtime][response]") {
  session_driver one;
  one.ask();
  const auto first = one.request_made();
  one.cancel();
  one.ask();
  one.fresh();
  one.speak(200ms, "old", first);
  one.done(finish_reason::stop, first);
  CHECK(one.print().empty());
  one.speak(200ms, "new");
  one.done();
  one.speak(200ms, "after the end");
  CHECK(one.words() == "new");
  CHECK(one.events<response_done>().size() == 1);
}

TEST_CASE("response: the end of the model's output decides the status", "[runtime][response]") {
  session_driver one;
  one.ask();
  one.text("half");
  one.done(finish_reason::max_output_tokens);
  CHECK(one.events<response_done>().back().response.status == response_status::incomplete);
  CHECK(one.events<response_done>().back().response.reason == status_reason::max_output_tokens);
  one.ask();
  one.done(finish_reason::content_filter);
  CHECK(one.events<response_done>().back().response.reason == status_reason::content_filter);
  one.ask();
  one.speak(400ms, "half");
  one.failed();
  const auto end = one.events<response_done>().back().response;
  CHECK(end.status == response_status::failed);
  REQUIRE(end.failure);
  CHECK(end.failure->kind == error_class::server_error);
  CHECK(end.output.front().status == item_status::incomplete);
  CHECK(one.errors().empty());
}

TEST_CASE("C30: a text answer has no sound, whatever the model gives", "[runtime][response]") {
  session_driver one;
  one.update({.modality = output_modality::text});
  for (int turn = 0; turn < 10; ++turn) {
    one.fresh();
    one.ask();
    CHECK(one.request_made().modality == output_modality::text);
    one.text("Plain ");
    one.speak(100ms, "words.");
    one.done();
    CHECK(one.types() == strings{"response.created", "response.output_item.added", "conversation.item.added",
                                 "response.content_part.added", "response.output_text.delta",
                                 "response.output_text.delta", "response.output_text.done",
                                 "response.content_part.done", "conversation.item.done", "response.output_item.done",
                                 "response.done"});
    CHECK(one.words() == "Plain words.");
    CHECK(one.only<response_created>().response.modality == output_modality::text);
    CHECK(one.only<response_done>().response.modality == output_modality::text);
  }
}

TEST_CASE("C30: an override of the modality holds for one response", "[runtime][response]") {
  session_driver one;
  one.update({.modality = output_modality::text});
  one.ask({.modality = output_modality::audio});
  one.speak(100ms, "Spoken.");
  one.update({.modality = output_modality::text});  // does not change the answer that runs
  one.speak(100ms, " Still.");
  one.done();
  CHECK(one.audio_ms() == 200);
  one.fresh();
  one.ask();
  one.speak(100ms, "Written.");
  one.done();
  CHECK(one.audio_ms() == 0);
}

TEST_CASE("response: metadata is echoed verbatim", "[runtime][response]") {
  session_driver one;
  one.ask({.metadata = raw_json{R"({"client_event_id":"x"})"}});
  one.done();
  CHECK(one.only<response_created>().response.metadata == raw_json{R"({"client_event_id":"x"})"});
  CHECK(one.only<response_done>().response.metadata == raw_json{R"({"client_event_id":"x"})"});
}
