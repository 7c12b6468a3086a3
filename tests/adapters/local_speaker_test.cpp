#include "adapters/local/speaker.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace parley::adapters::local {
namespace {

constexpr int rate_hz = 24000;

// What one speech gave; read after `over` is ready, or under m.
struct listener {
  struct piece {
    std::vector<std::int16_t> samples;
    std::string transcript;
  };

  speech_sink sink() {
    return {.piece =
                [this](std::vector<std::int16_t> samples, std::string transcript) {
                  const std::lock_guard lock(m);
                  pieces.push_back({std::move(samples), std::move(transcript)});
                  came.notify_all();
                },
            .done = [this] { over.set_value(""); },
            .failed = [this](const std::string& why) { over.set_value(why); }};
  }

  // Empty: done. Anything else: why it failed.
  std::string ending() {
    auto end = over.get_future();
    return end.wait_for(std::chrono::minutes(1)) == std::future_status::ready ? end.get() : "no ending";
  }
  bool wait_for_pieces(std::size_t count) {
    std::unique_lock lock(m);
    return came.wait_for(lock, std::chrono::minutes(1), [&] { return pieces.size() >= count; });
  }
  std::size_t count() {
    const std::lock_guard lock(m);
    return pieces.size();
  }
  std::string transcript() const {
    std::string text;
    for (const auto& one : pieces) text += one.transcript;
    return text;
  }
  std::size_t samples() const {
    std::size_t sum = 0;
    for (const auto& one : pieces) sum += one.samples.size();
    return sum;
  }

  std::mutex m;
  std::condition_variable came;
  std::vector<piece> pieces;
  std::promise<std::string> over;
};

config::local_config one_thread() {
  config::local_config options;
  options.voices = 1;
  options.voice = "kal16";
  return options;
}

std::size_t spoken_samples(speaker& voices, const speech_options& options) {
  listener heard;
  const auto speech = voices.start(options, heard.sink());
  speech->say("the weather in paris is sunny");
  speech->finish();
  CHECK(heard.ending().empty());
  return heard.samples();
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "This is a sentence that takes a while to say. ";
  return text;
}

}  // namespace

TEST_CASE("speaker: speaks text that arrives word by word, sentence after sentence", "[adapters][unit]") {
  speaker voices(one_thread());
  listener heard;
  const auto speech = voices.start({}, heard.sink());
  const std::string text = "Hello there. It is 3.5 degrees,  is it not?\nYes!";
  for (const auto c : text) speech->say(std::string(1, c));
  speech->finish();
  REQUIRE(heard.ending().empty());
  CHECK(heard.transcript() == text);
  CHECK(heard.pieces.front().transcript == "Hello there.");
  CHECK(heard.samples() > rate_hz);
  for (const auto& piece : heard.pieces) {
    CHECK(piece.samples.size() >= rate_hz / 50);
    CHECK(piece.samples.size() <= rate_hz / 5);
  }
}

TEST_CASE("C56: what can not be spoken stays in the transcript and ends nothing", "[adapters][unit]") {
  speaker voices(one_thread());
  listener heard;
  const auto speech = voices.start({}, heard.sink());
  const std::string text = "Sure - ... ** \n\n\xF0\x9F\x98\x80\n\n8...\n\n\n```\n\nBye. ***";
  speech->say(text);
  speech->finish();
  REQUIRE(heard.ending().empty());
  CHECK(heard.transcript() == text);
  CHECK(heard.pieces.back().samples.empty());
}

TEST_CASE("C27: text without a word, and no text, end the speech all the same", "[adapters][unit]") {
  speaker voices(one_thread());
  for (const auto* text : {"", " \n", "..."}) {
    listener heard;
    const auto speech = voices.start({}, heard.sink());
    speech->say(text);
    speech->finish();
    CHECK(heard.ending().empty());
    CHECK(heard.samples() == 0);
    CHECK(heard.transcript() == text);
  }
}

TEST_CASE("speaker: delivers at the rate and the speed asked for", "[adapters][unit]") {
  speaker voices(one_thread());
  const auto normal = static_cast<double>(spoken_samples(voices, {}));
  CHECK(static_cast<double>(spoken_samples(voices, {.output_rate_hz = 8000})) == Approx(normal / 3).epsilon(0.01));
  CHECK(static_cast<double>(spoken_samples(voices, {.speed = 1.5})) == Approx(normal / 1.5).epsilon(0.1));
  CHECK(static_cast<double>(spoken_samples(voices, {.speed = 0.5})) == Approx(normal * 2).epsilon(0.1));
}

TEST_CASE("speaker: knows flite's voices and speaks in the configured one for other names", "[adapters][unit]") {
  speaker voices(one_thread());
  const auto configured = spoken_samples(voices, {.voice = "default"});
  CHECK(spoken_samples(voices, {.voice = "alloy"}) == configured);
  CHECK(spoken_samples(voices, {.voice = "kal16"}) == configured);
  for (const auto* name : {"slt", "rms", "awb"}) CHECK(spoken_samples(voices, {.voice = name}) != configured);
  auto wrong = one_thread();
  wrong.voice = "nobody";
  CHECK_THROWS_WITH(speaker(wrong), Catch::Contains("local.voice"));
}

TEST_CASE("C58: a speech destroyed in mid-sentence gives nothing any more", "[adapters][unit]") {
  speaker voices(one_thread());
  listener heard;
  auto speech = voices.start({}, heard.sink());
  speech->say(long_text());
  REQUIRE(heard.wait_for_pieces(3));
  speech.reset();
  const auto before = heard.count();
  // The only thread was at work on it: when it has spoken another answer, it has left the first one.
  CHECK(spoken_samples(voices, {}) > 0);
  CHECK(heard.count() == before);
}

TEST_CASE("speaker: a throttled speech waits, holds up no other, and goes on without a gap", "[adapters][unit]") {
  speaker voices(one_thread());
  listener reference;
  const auto undisturbed = voices.start({}, reference.sink());
  undisturbed->say(long_text());
  undisturbed->finish();
  REQUIRE(reference.ending().empty());

  listener heard;
  const auto speech = voices.start({}, heard.sink());
  speech->say(long_text());
  speech->finish();
  REQUIRE(heard.wait_for_pieces(3));
  speech->throttle(true);
  CHECK(spoken_samples(voices, {}) > 0);
  const auto before = heard.count();
  CHECK(spoken_samples(voices, {}) > 0);
  CHECK(heard.count() == before);
  CHECK(before < reference.pieces.size());
  speech->throttle(false);
  REQUIRE(heard.ending().empty());
  CHECK(heard.transcript() == long_text());
  CHECK(heard.samples() == reference.samples());
}

TEST_CASE("speaker: a speech throttled from the beginning starts when it may", "[adapters][unit]") {
  speaker voices(one_thread());
  listener heard;
  const auto speech = voices.start({}, heard.sink());
  speech->throttle(true);
  speech->say("Hello.");
  speech->finish();
  CHECK(spoken_samples(voices, {}) > 0);
  CHECK(heard.count() == 0);
  speech->throttle(false);
  CHECK(heard.ending().empty());
  CHECK(heard.samples() > 0);
}

TEST_CASE("speaker: fails a speech with more text waiting than its bound", "[adapters][unit]") {
  speaker voices(one_thread());
  listener heard;
  const auto speech = voices.start({}, heard.sink());
  speech->throttle(true);
  for (int i = 0; i < 200; ++i) speech->say(long_text());
  CHECK(heard.ending() == "The answer is too long to be spoken.");
  speech->finish();
  speech->throttle(false);
  CHECK(spoken_samples(voices, {}) > 0);
  CHECK(heard.count() == 0);
}

TEST_CASE("speaker: speaks many answers on few threads, in turn", "[adapters][unit]") {
  auto options = one_thread();
  options.voices = 3;
  options.voice = "slt";
  speaker voices(options);
  constexpr std::size_t answers = 8;
  std::vector<listener> heard(answers);
  std::vector<std::unique_ptr<speech>> speeches;
  for (auto& one : heard) {
    speeches.push_back(voices.start({}, one.sink()));
    speeches.back()->say("First sentence of it. The second one. And a third");
    speeches.back()->finish();
  }
  for (auto& one : heard) {
    REQUIRE(one.ending().empty());
    CHECK(one.transcript() == "First sentence of it. The second one. And a third");
    CHECK(one.samples() == heard.front().samples());
  }
}

TEST_CASE("C58: speeches destroyed at any moment leave the speaker usable", "[adapters][unit]") {
  auto options = one_thread();
  options.voices = 2;
  speaker voices(options);
  for (std::size_t round = 0; round < 100; ++round) {
    listener heard;
    const auto speech = voices.start({}, heard.sink());
    speech->say(long_text());
    if (round % 3 != 0) REQUIRE(heard.wait_for_pieces(round % 7));
    if (round % 5 == 0) speech->throttle(true);
  }
  CHECK(spoken_samples(voices, {}) > 0);
}

}  // namespace parley::adapters::local
