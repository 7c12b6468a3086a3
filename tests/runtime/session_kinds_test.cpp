// Sessions that only hear, that are limited, whose input is cleaned; and the sound that a conversation keeps.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

namespace parley::tests {
namespace {

using namespace protocol;
using runtime::call_hear;
using runtime::call_respond;

runtime::session_options transcribing() {
  auto options = vad_session();
  options.settings.kind = session_kind::transcription;
  options.settings.transcription = transcription{.model = "any"};
  return options;
}

TEST_CASE("transcription session: turns become text and are answered by nobody", "[runtime][kinds]") {
  session_driver one{transcribing()};
  one.say(voice(500ms) + silence(600ms));
  one.understood("good morning");
  CHECK(one.types() == std::vector<std::string>{"session.created", "input_audio_buffer.speech_started",
                                                "input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
                                                "conversation.item.added", "conversation.item.done",
                                                "conversation.item.input_audio_transcription.delta",
                                                "conversation.item.input_audio_transcription.completed"});
  one.update({.detection = std::optional<turn_detection_patch>{}});
  one.append(voice(300ms));
  one.commit();
  one.understood("by hand");
  CHECK(one.events<transcription_completed>().size() == 2);
  CHECK(one.actions<call_respond>().empty());
}

TEST_CASE("transcription session: what speaks is refused", "[runtime][kinds]") {
  session_driver one{transcribing()};
  one.ask();
  (void)one.write("hello");
  one.update({.voice = "marin"});
  CHECK(one.errors() == std::vector<std::string>{"unsupported_in_transcription_session",
                                                 "unsupported_in_transcription_session", "unknown_parameter"});
}

TEST_CASE("transcription: logprobs are told only to who asked for them", "[runtime][kinds]") {
  auto options = transcribing();
  options.settings.include_logprobs = GENERATE(true, false);
  session_driver one{options};
  one.say(voice(500ms) + silence(600ms));
  one.output(runtime::turn_ready{*one.last_turn(), "hi", std::vector<token_logprob>{{"hi", -0.5}}});
  const auto completed = one.only<transcription_completed>();
  CHECK(completed.logprobs.has_value() == options.settings.include_logprobs);
  if (completed.logprobs) CHECK(completed.logprobs->front() == token_logprob{"hi", -0.5});
}

// ---- rate limits ------------------------------------------------------------------------------------------------

TEST_CASE("rate limits: shown with each response, refused beyond, given back in time", "[runtime][kinds]") {
  auto options = manual_session();
  options.limits.responses_per_minute = 2;
  session_driver one{options};
  for (int i = 0; i < 2; ++i) {
    one.ask();
    one.done();
  }
  const auto shown = one.events<rate_limits_updated>();
  REQUIRE(shown.size() == 2);
  CHECK(shown[0].limits.front().remaining == 1);
  CHECK(shown[1].limits.front().remaining == 0);
  one.fresh();
  one.ask();
  CHECK(one.errors() == std::vector<std::string>{"rate_limit_exceeded"});
  CHECK(one.only<error_event>().error.kind == error_class::rate_limit_error);
  CHECK(one.events<response_created>().empty());
  one.advance(30'000ms);
  one.ask();
  CHECK(one.events<response_created>().size() == 1);
}

TEST_CASE("rate limits: an answer to a turn fails where the client sees it", "[runtime][kinds]") {
  auto options = vad_session();
  options.limits.tokens_per_minute = 5;
  session_driver one{options};
  one.say(voice(500ms) + silence(600ms));
  one.understood("hello");
  one.answer(1000ms);  // the driver's model counts ten tokens
  one.fresh();
  one.say(voice(500ms) + silence(600ms));
  one.understood("again");
  CHECK(one.only<response_done>().response.status == response_status::failed);
  CHECK(one.only<response_done>().response.failure->code == errc::rate_limit_exceeded);
  CHECK_FALSE(one.closed());
}

TEST_CASE("usage: estimated where the model counts nothing", "[runtime][kinds]") {
  session_driver one;
  (void)one.write("twelve bytes");
  one.ask({.instructions = "four"});
  one.speak(1000ms, "Hello.");
  one.output(runtime::model_done{one.request_made().id, one.request_made().epoch});
  const auto usage = *one.only<response_done>().response.usage;
  CHECK(usage.input_text_tokens == 4);
  CHECK(usage.input_audio_tokens == 0);
  CHECK(usage.output_text_tokens == 2);
  CHECK(usage.output_audio_tokens == 20);
}

// ---- noise reduction --------------------------------------------------------------------------------------------

class halver final : public runtime::noise_reducer {
 public:
  explicit halver(int rate_hz) : frame_(static_cast<std::size_t>(rate_hz / 100)) {}
  void reduce(std::span<std::int16_t> frame) override {
    REQUIRE(frame.size() == frame_);
    for (auto& sample : frame) sample = static_cast<std::int16_t>(sample / 2);
  }

 private:
  std::size_t frame_;
};

runtime::session_options with_reducer(runtime::session_options options) {
  options.make_reducer = [](int rate_hz, const noise_reduction&) { return std::make_unique<halver>(rate_hz); };
  options.settings.noise = noise_reduction{};
  return options;
}

TEST_CASE("noise reduction: the model hears what was cleaned, in whole frames, whatever the appends",
          "[runtime][kinds]") {
  session_driver one{with_reducer(manual_session())};
  const samples spoken(7'300, 1000);  // 30 frames of 10 ms and a rest
  samples expected(7'300, 500);
  std::fill(expected.begin() + 7'200, expected.end(), std::int16_t{1000});  // less than a frame stays as it is
  for (std::size_t at = 0; at < spoken.size(); at += 100) one.append(samples(100, 1000));
  one.advance(1000ms);
  one.commit();
  CHECK(one.heard(*one.last_turn()) == expected);
  const auto kept = one.retrieve(*one.last_turn());
  CHECK(kept.content.front().audio->samples == expected);
}

TEST_CASE("noise reduction: the turn detector judges what was cleaned", "[runtime][kinds]") {
  session_driver one{with_reducer(vad_session())};
  one.say(voice(500ms, 8000));  // half of it is no speech
  CHECK(one.events<speech_started>().empty());
  one.update({.noise = std::optional<noise_reduction_patch>{}});
  one.say(voice(500ms, 8000) + silence(600ms));
  CHECK(one.events<speech_started>().size() == 1);
  CHECK(one.events<speech_stopped>().size() == 1);
}

TEST_CASE("noise reduction: a long append is cleaned in slices, and a commit takes it at once", "[runtime][kinds]") {
  session_driver one{with_reducer(manual_session())};
  one.append(samples(24'000 * 10, 1000));
  for (const auto& piece : one.actions<call_hear>()) CHECK(piece.audio.samples.size() <= 12'000);
  one.commit();
  CHECK(one.heard(*one.last_turn()).size() == 24'000 * 10);
}

// ---- retrieve with audio ----------------------------------------------------------------------------------------

TEST_CASE("retrieve: an answer comes with its sound, and a cut one with what was heard", "[runtime][kinds]") {
  session_driver one;
  one.ask();
  one.speak(1000ms, "One two three four.");
  const auto id = one.only<output_item_added>().value.id;
  one.advance(500ms);
  CHECK(one.retrieve(id).content.front().audio->samples.size() == 12'000);
  one.done();
  one.advance(2000ms);
  CHECK(one.retrieve(id).content.front().audio->samples == one.audio());
  one.send(item_truncate{id, 0, 250});
  CHECK(one.retrieve(id).content.front().audio->samples.size() == 6'000);
  CHECK(one.retrieve(id).content.front().transcript->size() < 10);
}

TEST_CASE("retrieve: an answer longer than its share of history has no sound", "[runtime][kinds]") {
  auto options = manual_session();
  options.limits.history_audio_bytes = 4 * 48'000;
  session_driver one{options};
  one.ask();
  one.speak(1100ms, "Long.");
  one.done();
  one.advance(2000ms);
  const auto id = one.only<output_item_added>().value.id;
  CHECK(one.retrieve(id).content.front().audio == nullptr);
  CHECK(one.retrieve(id).content.front().transcript == "Long.");
}

TEST_CASE("retrieve: sound of an assistant's item of the client's is kept", "[runtime][kinds]") {
  session_driver one;
  item said{.id = item_id{"said"}, .role = item_role::assistant};
  said.content.push_back({.type = part_type::output_audio, .text = base64(voice(100ms)), .transcript = "Hi."});
  one.send(item_create{said});
  const auto kept = one.retrieve(said.id).content.front();
  REQUIRE(kept.audio != nullptr);
  CHECK(kept.audio->samples == voice(100ms));
  CHECK(kept.transcript == "Hi.");
  CHECK(kept.text.empty());
  CHECK(one.actions<call_hear>().empty());
}

TEST_CASE("items: a picture is refused by a model that takes none", "[runtime][kinds]") {
  auto options = manual_session();
  options.capabilities.takes_images = GENERATE(true, false);
  session_driver one{options};
  item seen;
  seen.content.push_back({.type = part_type::input_image, .text = "data:image/png;base64,iVBORw0KGgo="});
  one.send(item_create{seen});
  CHECK(one.events<item_added>().size() == (options.capabilities.takes_images ? 1 : 0));
  if (options.capabilities.takes_images) return;
  CHECK(one.only<error_event>().error.code == errc::unsupported_content_type);
  CHECK(one.only<error_event>().error.param == "item.content[0].type");
}

}  // namespace
}  // namespace parley::tests
