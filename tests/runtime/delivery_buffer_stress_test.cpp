// Many threads on one delivery buffer: four producers, one invalidator, one closer, one consumer that waits by wake.
//
// What makes "invalidated before it was sequenced" checkable: the invalidator reads how many events a producer had in,
// invalidates, and then publishes that number and epoch as the producer's fence. A fence that the consumer sees under
// its guard belongs to an invalidate() that was over before, so what lies behind it must not be valid any more.
#include "runtime/delivery_buffer.hpp"
#include "tests/runtime/delivery_events.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <latch>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace parley;
using runtime::delivery_buffer;
using runtime::put_result;

constexpr std::size_t producers = 4;
constexpr std::size_t events_each = 4000;
constexpr std::uint64_t not_audio = ~std::uint64_t{0};

struct fence {
  std::uint32_t events = 0;  // of the producer, from its first
  std::uint32_t through = 0;
};
static_assert(std::atomic<fence>::is_always_lock_free);

// One producer as the other threads see it, and what it put.
struct lane {
  std::atomic<std::uint64_t> epoch{1};
  std::atomic<std::uint32_t> accepted{0};
  std::atomic<fence> behind{};
  std::vector<std::uint64_t> epochs{};  // by index; read after the producer was joined
};

struct sent_event {
  std::size_t lane;
  std::size_t index;
};

std::string response_of(std::size_t lane) { return "resp_" + std::to_string(lane); }

// What the consumer saw; read after the run.
struct record {
  std::vector<sent_event> sent;
  int terminals = 0;
  int after_terminal = 0;
  int stale = 0;
};

struct stress {
  std::unique_ptr<delivery_buffer> buffer;
  std::array<lane, producers> lanes;
  std::latch halfway{static_cast<std::ptrdiff_t>(producers)};
  std::atomic<bool> over{false};
  record seen;

  static protocol::server_event make_event(std::size_t lane, std::size_t index, std::uint64_t epoch) {
    const auto id = std::to_string(lane) + ":" + std::to_string(index);
    if (epoch != not_audio) {
      // The receipt tells no epoch: first_sample carries it.
      return tests::audio(id, response_of(lane), epoch, 20, static_cast<std::int64_t>(epoch));
    }
    return index % 2 == 0 ? tests::text(id, response_of(lane)) : tests::error(id);
  }

  void produce(std::size_t number) {
    lane& own = lanes[number];
    for (std::size_t index = 0; index < events_each; ++index) {
      if (index == events_each / 2) halfway.count_down();
      const auto epoch = index % 5 == 4 ? not_audio : own.epoch.load();
      const auto event = make_event(number, index, epoch);
      auto put = buffer->put(event);
      while (put == put_result::overflow) {
        std::this_thread::yield();
        put = buffer->put(event);
      }
      if (put == put_result::closed) return;
      own.epochs.push_back(epoch);
      own.accepted.store(static_cast<std::uint32_t>(index + 1));
    }
  }

  void invalidate() {
    std::mt19937 random(7);
    while (!over.load()) {
      const std::size_t number = random() % producers;
      lane& of = lanes[number];
      const auto events = of.accepted.load();
      const auto through = of.epoch.fetch_add(1);
      buffer->invalidate(protocol::response_id{response_of(number)}, {through});
      of.behind.store({events, static_cast<std::uint32_t>(through)});
      std::this_thread::yield();
    }
  }

  void close_halfway() {
    halfway.wait();
    buffer->close(tests::terminal(), protocol::event_id{"terminal"});
  }

  void consume() {
    std::mutex m;
    std::condition_variable changed;
    bool woken = false;
    const auto wake = [&] {
      const std::lock_guard lock(m);
      woken = true;
      changed.notify_one();
    };
    for (std::uint64_t number = 1;;) {
      const auto status = buffer->get(wake).value();
      if (status == delivery_buffer::get_status::drained) return;
      if (status == delivery_buffer::get_status::ready) {
        number += sequence(number) ? 1 : 0;
        continue;
      }
      std::unique_lock lock(m);
      changed.wait(lock, [&] { return woken; });
      woken = false;
    }
  }

  bool sequence(std::uint64_t number) {
    delivery_buffer::guard guard(*buffer);
    if (!guard.valid()) return false;
    std::array<fence, producers> fences;
    for (std::size_t i = 0; i < producers; ++i) fences[i] = lanes[i].behind.load();
    const auto receipt = guard.sequence(number, true);
    note(receipt, *guard.bytes(), fences);
    return true;
  }

  void note(const runtime::receipt& receipt, const std::string& bytes, const std::array<fence, producers>& fences) {
    const auto& id = receipt.event.value;
    if (bytes.find('"' + id + '"') == std::string::npos) ++seen.stale;  // the bytes of another event
    seen.after_terminal += seen.terminals;
    if (id == "terminal") {
      ++seen.terminals;
      return;
    }
    const std::size_t number = std::stoul(id);
    const std::size_t index = std::stoul(id.substr(id.find(':') + 1));
    seen.sent.push_back({number, index});
    const auto epoch = static_cast<std::uint64_t>(receipt.first_sample);
    if (receipt.item && index < fences[number].events && epoch <= fences[number].through) ++seen.stale;
  }
};

// Events of the lane that were accepted and neither sequenced nor covered by an invalidate().
int lost_events(const lane& of, std::size_t number, const std::vector<sent_event>& sent) {
  std::vector<bool> arrived(of.epochs.size());
  for (const auto& one : sent) {
    if (one.lane == number) arrived.at(one.index) = true;
  }
  int lost = 0;
  for (std::size_t i = 0; i < of.epochs.size(); ++i) {
    const bool revocable = of.epochs[i] != not_audio && of.epochs[i] <= of.behind.load().through;
    if (!arrived[i] && !revocable) ++lost;
  }
  return lost;
}

bool in_order(std::size_t number, const std::vector<sent_event>& sent) {
  std::size_t next = 0;
  for (const auto& one : sent) {
    if (one.lane != number) continue;
    if (one.index < next) return false;
    next = one.index + 1;
  }
  return true;
}

}  // namespace

TEST_CASE("delivery_buffer: holds its promises with producers, invalidator and consumer at once",
          "[runtime][delivery_buffer][stress]") {
  runtime::delivery_limits limits;
  limits.max_bytes = 16 * 1024;
  limits.max_events = 64;
  stress run;
  run.buffer = delivery_buffer::make(limits, protocol::dialect::openai).value();

  std::vector<std::thread> threads;
  threads.emplace_back([&] { run.consume(); });
  threads.emplace_back([&] { run.close_halfway(); });
  for (std::size_t i = 0; i < producers; ++i) threads.emplace_back([&, i] { run.produce(i); });
  std::thread invalidator([&] { run.invalidate(); });
  for (auto& thread : threads) thread.join();
  run.over.store(true);
  invalidator.join();

  CHECK(run.seen.stale == 0);
  CHECK(run.seen.terminals == 1);
  CHECK(run.seen.after_terminal == 0);
  CHECK_FALSE(run.seen.sent.empty());
  for (std::size_t i = 0; i < producers; ++i) {
    CHECK(run.lanes[i].epochs.size() >= events_each / 2);
    CHECK(in_order(i, run.seen.sent));
    CHECK(lost_events(run.lanes[i], i, run.seen.sent) == 0);
  }
  CHECK(run.buffer->pending_events() == 0);
  CHECK(run.buffer->pending_bytes() == 0);
}
