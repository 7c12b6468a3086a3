// The small machines of speech: outbox, playback_track, turn_detector, id_source.
#include "runtime/id_source.hpp"
#include "runtime/outbox.hpp"
#include "runtime/playback_track.hpp"
#include "runtime/turn_detector.hpp"

#include <catch2/catch.hpp>

using namespace parley::runtime;
using namespace std::chrono_literals;
using parley::protocol::playback_policy;

namespace {

std::vector<std::int16_t> counting(std::size_t count, std::int16_t from = 0) {
  std::vector<std::int16_t> made;
  for (std::size_t at = 0; at < count; ++at) made.push_back(static_cast<std::int16_t>(from + static_cast<int>(at)));
  return made;
}

class fixed_ears final : public speech_detector {
 public:
  float probability(std::span<const std::int16_t> frame) override { return static_cast<float>(frame.front()) / 100.0F; }
  void reset() override {}
};

constexpr int rate_hz = 8000;

// Frames of 10 ms, one a character: '#' surely speech, '-' a little, '.' none.
std::vector<turn_detector::change> listen(turn_detector& one, std::string_view pattern) {
  std::vector<turn_detector::change> found;
  for (const char each : pattern) {
    const std::vector<std::int16_t> frame(rate_hz / 100, each == '#'   ? std::int16_t{90}
                                                         : each == '-' ? std::int16_t{40}
                                                                       : std::int16_t{0});
    for (const auto& change : one.feed(frame)) found.push_back(change);
  }
  return found;
}

turn_detector detector(std::chrono::milliseconds silence = 100ms) {
  return {std::make_unique<fixed_ears>(), rate_hz, {.silence_duration = silence}, 0};
}

constexpr std::int64_t frames(int count) { return count * (rate_hz / 100); }

}  // namespace

TEST_CASE("outbox: pieces are cut and joined to the size asked for", "[runtime][outbox]") {
  outbox box;
  box.push(counting(30), "a");
  box.push(counting(30, 30), "");
  CHECK(box.waiting_samples() == 60);
  auto first = box.take(50, 10, false);
  REQUIRE(first);
  CHECK(first->samples == counting(50));
  CHECK(first->transcript == "a");
  CHECK(box.waiting_samples() == 10);
  const auto second = box.take(50, 10, false);
  REQUIRE(second);
  CHECK(second->samples == counting(10, 50));
  CHECK(second->transcript.empty());
  CHECK(box.empty());
  CHECK(box.waiting_bytes() == 0);
}

TEST_CASE("outbox: too short a piece waits for more, unless speech ends or other words follow", "[runtime][outbox]") {
  outbox box;
  box.push(counting(5), "a");
  CHECK_FALSE(box.take(50, 10, false));
  SECTION("more") {
    box.push(counting(5, 5), "");
    CHECK(box.take(50, 10, false)->samples == counting(10));
  }
  SECTION("the end") { CHECK(box.take(50, 10, true)->samples == counting(5)); }
  SECTION("other words") {
    box.push(counting(20, 5), "b");
    const auto piece = box.take(50, 10, false);
    CHECK(piece->samples == counting(5));
    CHECK(piece->transcript == "a");
    CHECK(box.take(50, 10, false)->transcript == "b");
  }
}

TEST_CASE("outbox: words without sound come at once, with the sound that follows if there is some",
          "[runtime][outbox]") {
  outbox box;
  box.push({}, "a");
  CHECK(box.take(50, 10, false)->transcript == "a");
  box.push({}, "b");
  box.push(counting(20), "c");
  const auto both = box.take(50, 10, false);
  CHECK(both->transcript == "bc");
  CHECK(both->samples == counting(20));
  box.push({}, "");
  CHECK(box.empty());
  box.push(counting(9), "d");
  box.clear();
  CHECK(box.empty());
  CHECK(box.waiting_samples() == 0);
  CHECK(box.waiting_bytes() == 0);
}

TEST_CASE("playback: heard is what was sequenced and can have played", "[runtime][playback]") {
  const time_point start{1h};
  playback_track track{1000};
  track.released(start, 1000, 10);
  track.sequenced(400);
  CHECK(track.heard(playback_policy::estimate, start - 1s) == 0);
  CHECK(track.heard(playback_policy::estimate, start + 300ms) == 300);
  CHECK(track.heard(playback_policy::estimate, start + 2s) == 400);
  track.sequenced(200);
  CHECK(track.cut_limit() == 400);
  CHECK(track.heard(playback_policy::ack_only, start + 2s) == 0);
  CHECK(track.heard(playback_policy::commit_all_on_done, start) == 1000);
}

TEST_CASE("playback: a gap in the sound stops the estimate", "[runtime][playback]") {
  const time_point start{1h};
  playback_track track{1000};
  track.released(start, 100, 1);
  track.released(start + 1s, 100, 2);
  track.sequenced(200);
  CHECK(track.heard(playback_policy::estimate, start + 500ms) == 100);
  CHECK(track.heard(playback_policy::estimate, start + 1050ms) == 150);
}

TEST_CASE("F32: a complete answer counts as heard, until an interruption says otherwise", "[runtime][playback]") {
  const time_point start{1h};
  playback_track track{1000};
  track.released(start, 1000, 10);
  track.sequenced(400);
  track.complete();
  CHECK(track.heard(playback_policy::estimate, start) == 1000);
  CHECK(track.heard_text("0123456789", playback_policy::estimate, start) == "0123456789");
  CHECK(track.was_heard_whole(playback_policy::estimate, start));
  CHECK(track.heard(playback_policy::ack_only, start) == 0);
  track.freeze(start + 300ms);
  CHECK(track.heard(playback_policy::estimate, start + 9s) == 300);
  CHECK(track.heard_text("0123456789", playback_policy::estimate, start + 9s) == "012");
  CHECK(track.heard_text("0123456789", playback_policy::commit_all_on_done, start + 9s) == "0123456789");
}

TEST_CASE("F36: nothing counts that was not sequenced when the answer was cut off", "[runtime][playback]") {
  const time_point start{1h};
  playback_track track{1000};
  track.released(start, 500, 5);
  track.released(start + 500ms, 500, 10);
  track.sequenced(400);
  track.drop_rest();
  track.complete();
  for (const auto policy : {playback_policy::estimate, playback_policy::commit_all_on_done}) {
    CHECK(track.heard(policy, start + 9s) == 400);
    CHECK(track.heard_text("0123456789", policy, start + 9s) == "0123");
    CHECK_FALSE(track.was_heard_whole(policy, start + 9s));
  }
  CHECK(track.acknowledged(1000));
  CHECK(track.heard(playback_policy::ack_only, start) == 400);
}

TEST_CASE("playback: words are cut between characters, never inside one", "[runtime][playback]") {
  const time_point start{1h};
  playback_track track{1000};
  track.released(start, 1000, 10);
  track.sequenced(1000);
  const std::string words = "äöüß €uro x";  // 11 characters, 10 of them released
  for (std::int64_t at = 0; at < 1000; at += 50) {
    playback_track cut = track;
    cut.cut(at);
    const auto heard = cut.heard_text(words, playback_policy::estimate, start);
    CHECK(words.starts_with(heard));
    if (heard.size() < words.size()) CHECK((static_cast<unsigned char>(words[heard.size()]) & 0xC0) != 0x80);
  }
  track.freeze(start + 500ms);
  CHECK(track.heard_text(words, playback_policy::estimate, start + 5s) == "äöüß");  // the blank at the cut is trimmed
}

TEST_CASE("turn_detector: speech is proved by a run of frames, its hole may be short", "[runtime][detector]") {
  auto one = detector();
  CHECK(listen(one, "..##...").empty());
  CHECK(listen(one, "...#.....").empty());
  const auto found = listen(one, "...##..####");
  REQUIRE(found.size() == 1);
  CHECK(found.front().what == turn_detector::kind::started);
  CHECK(found.front().at == frames(7 + 9 + 3));
}

TEST_CASE("turn_detector: silence ends it, a frame a little below the threshold does not", "[runtime][detector]") {
  auto one = detector();
  CHECK(listen(one, "######").size() == 1);
  CHECK(listen(one, ".........-.........-").empty());
  const auto found = listen(one, "..........");
  REQUIRE(found.size() == 1);
  CHECK(found.front().what == turn_detector::kind::stopped);
  CHECK(found.front().at == frames(6 + 20 + 10));
  CHECK_FALSE(one.speaking());
  CHECK(listen(one, "------").empty());
}

TEST_CASE("turn_detector: the size of what it is fed does not matter", "[runtime][detector]") {
  auto one = detector();
  const std::vector<std::int16_t> sound(frames(6), 90);
  std::vector<turn_detector::change> found;
  for (std::size_t at = 0; at < sound.size(); at += 7) {
    const auto some = std::span{sound}.subspan(at, std::min<std::size_t>(7, sound.size() - at));
    for (const auto& change : one.feed(some)) found.push_back(change);
  }
  REQUIRE(found.size() == 1);
  CHECK(found.front().at == 0);
  one.reset(1000);
  CHECK_FALSE(one.speaking());
  CHECK(listen(one, "######").front().at == 1000);
}

TEST_CASE("id_source: ids carry their kind and never repeat", "[runtime][ids]") {
  id_source ids{0xABCDEF};
  CHECK(ids.item().value == "item_000000abcdef00000001");
  CHECK(ids.response().value == "resp_000000abcdef00000002");
  CHECK(ids.event().value != ids.event().value);
}
