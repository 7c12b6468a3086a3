// What reaches the wire, whatever happens in between: random interleavings of put, invalidate, get, guard, close and
// acknowledge over a delivery buffer, a writer that sequences as the server's does, and the journal behind it. A plain
// model of all three says after each run what must have been written.
#include "runtime/delivery_buffer.hpp"
#include "runtime/journal.hpp"
#include "runtime/playback_track.hpp"
#include "tests/runtime/delivery_events.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace parley;
using namespace parley::runtime;

namespace {

constexpr std::int64_t delta_samples = 20;
constexpr int responses = 3;

std::string name_of(int response) { return "resp_" + std::to_string(response); }

// The writer's step: hold, look, sequence, journal; what a live session does with the bytes comes after it.
class writer {
 public:
  writer(delivery_buffer& buffer, journal& kept) : buffer_(buffer), kept_(kept) {}

  void hold() {
    if (holds_) return;
    const auto status = buffer_.get({});
    REQUIRE(status.has_value());
    holds_ = *status == delivery_buffer::get_status::ready;
    drained_ = *status == delivery_buffer::get_status::drained;
  }
  std::optional<receipt> sequence(time_point now) {
    if (!holds_) return std::nullopt;
    holds_ = false;
    delivery_buffer::guard held(buffer_);
    if (!held.valid()) return std::nullopt;
    const bool numbered = kept_.admits(held.size_bytes(), now);
    REQUIRE(numbered);
    const receipt sent = held.sequence(kept_.last() + 1, true);
    kept_.append(held.bytes(), now);
    written_.push_back(*held.bytes());
    return sent;
  }
  [[nodiscard]] bool holds() const noexcept { return holds_; }
  [[nodiscard]] bool drained() const noexcept { return drained_; }
  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }

 private:
  delivery_buffer& buffer_;
  journal& kept_;
  bool holds_ = false;
  bool drained_ = false;
  std::vector<std::string> written_;
};

// What must happen, kept beside what does.
struct expectation {
  struct event {
    std::string id;
    int response = -1;  // of an audio delta
  };
  std::vector<event> queue;  // not sequenced, the held one first
  std::vector<std::string> sequenced;
  std::set<std::string> revoked;
  std::map<int, std::int64_t> sent_samples;
};

struct run {
  explicit run(unsigned seed) : dice(seed), wire(*buffer, kept) {}

  int roll(int sides) { return std::uniform_int_distribution<int>{0, sides - 1}(dice); }

  void put() {
    const std::string id = "event_" + std::to_string(++counter);
    const int response = roll(responses);
    const bool audio = roll(3) > 0;
    const auto event = audio ? tests::audio(id, name_of(response), {0}, delta_samples, made[response])
                             : tests::text(id, name_of(response));
    const auto result = buffer->put(event);
    if (closed) CHECK(result == put_result::closed);
    if (result != put_result::accepted) return;
    if (audio) made[response] += delta_samples;
    expected.queue.push_back({id, audio ? response : -1});
  }
  // Everything of that response that waits, also what the writer holds and has not sequenced.
  void invalidate() {
    const int response = roll(responses);
    buffer->invalidate(protocol::response_id{name_of(response)}, {0});
    std::erase_if(expected.queue, [&](const auto& one) {
      const bool stale = one.response == response;
      if (stale) expected.revoked.insert(one.id);
      return stale;
    });
  }
  void sequence() {
    const auto sent = wire.sequence(now);
    if (!sent) return;
    REQUIRE_FALSE(expected.queue.empty());
    const auto first = expected.queue.front();
    expected.queue.erase(expected.queue.begin());
    CHECK(sent->event.value == first.id);
    CHECK(sent->sequence == expected.sequenced.size() + 1);
    expected.sequenced.push_back(first.id);
    if (first.response < 0) return;
    tracks[first.response].sequenced(sent->first_sample + sent->samples);
    expected.sent_samples[first.response] = sent->first_sample + sent->samples;
  }
  // Of any size: it counts what was sequenced before it, and nothing more.
  void acknowledge() {
    const int response = roll(responses);
    playback_track& track = tracks[response];
    const std::int64_t before = track.played();
    static_cast<void>(track.acknowledged(roll(2) * 1'000'000 + roll(2000)));
    CHECK(track.played() >= before);
    CHECK(track.played() <= expected.sent_samples[response]);
    if (roll(4) == 0) CHECK(kept.acknowledge(static_cast<std::uint64_t>(roll(static_cast<int>(kept.last()) + 1))));
  }
  void step() {
    switch (roll(12)) {
      case 0:
        return invalidate();
      case 1:
        return acknowledge();
      case 2:
      case 3:
      case 4:
        return wire.hold();
      case 5:
      case 6:
      case 7:
        return sequence();
      default:
        return put();
    }
  }
  void close() {
    buffer->close(protocol::terminal_event{.type = "session.closed", .session = {}, .reason = "client_close"},
                  protocol::event_id{"event_last"});
    expected.queue.push_back({"event_last"});
    closed = true;
    for (int late = 0; late < 5; ++late) step();
    while (!wire.drained()) {
      sequence();
      wire.hold();
    }
  }

  std::mt19937 dice;
  std::unique_ptr<delivery_buffer> buffer =
      std::move(delivery_buffer::make({.max_bytes = 4096, .max_events = 16}, protocol::dialect::duplex).value());
  memory_journal kept{journal_limits{}};
  writer wire;
  expectation expected;
  std::map<int, std::int64_t> made;
  std::vector<playback_track> tracks = std::vector<playback_track>(responses, playback_track{24000});
  time_point now{};
  int counter = 0;
  bool closed = false;
};

}  // namespace

TEST_CASE("writer: nothing invalidated is written, everything else once and in order", "[runtime][delivery]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    run one(seed);
    for (int count = 0; count < 400; ++count) one.step();
    one.close();
    INFO("seed " << seed);
    CHECK(one.expected.queue.empty());
    const auto& written = one.wire.written();
    REQUIRE(written.size() == one.expected.sequenced.size());
    for (std::size_t at = 0; at < written.size(); ++at) {
      CHECK(written[at].find('"' + one.expected.sequenced[at] + '"') != std::string::npos);
      CHECK(written[at].ends_with("\"server_event_seq\":" + std::to_string(at + 1) + "}"));
    }
    for (const auto& id : one.expected.sequenced) CHECK(one.expected.revoked.count(id) == 0);
    CHECK(one.expected.sequenced.back() == "event_last");
  }
}
