// The delivery buffer as a specification that is obviously right: one deque, every total summed from scratch, no lock.
// delivery_checker drives the real buffer and the model with the same operations and compares all that can be seen;
// where its choices come from (a random generator, a fuzzer's bytes) is the caller's business.
#pragma once

#include "protocol/encode.hpp"
#include "runtime/delivery_buffer.hpp"
#include "tests/runtime/delivery_events.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <variant>

namespace parley::tests {

struct delivery_model {
  enum class room : std::uint8_t { ordinary, reserve, terminal };
  struct entry {
    std::string id;
    std::string bytes;
    std::string audio_of{};  // the response of an audio delta, else empty
    std::uint64_t epoch = 0;
    room where = room::ordinary;
    bool valid = true;
    bool sequenced = false;
  };

  runtime::delivery_limits limits;
  std::deque<entry> queue{};
  std::optional<entry> held{};
  bool closed = false;
  bool waiting = false;
  int wakes = 0;

  [[nodiscard]] std::size_t bytes_in(room where) const {
    std::size_t sum = 0;
    for (const auto& one : queue) sum += one.where == where ? one.bytes.size() : 0;
    return sum;
  }
  [[nodiscard]] std::size_t events_in(room where) const {
    return static_cast<std::size_t>(
        std::count_if(queue.begin(), queue.end(), [&](const entry& one) { return one.where == where; }));
  }

  void wake() {
    wakes += waiting ? 1 : 0;
    waiting = false;
  }

  runtime::put_result put(entry event, bool vital, bool spoken) {
    if (closed) return runtime::put_result::closed;
    if (!spoken) return runtime::put_result::accepted;
    const auto size = event.bytes.size();
    const bool alone = queue.empty();  // then its size does not matter
    if (alone ||
        (bytes_in(room::ordinary) + size <= limits.max_bytes && events_in(room::ordinary) + 1 <= limits.max_events)) {
      event.where = room::ordinary;
    } else if (vital && bytes_in(room::reserve) + size <= limits.reserve_bytes &&
               events_in(room::reserve) + 1 <= limits.reserve_events) {
      event.where = room::reserve;
    } else {
      return runtime::put_result::overflow;
    }
    queue.push_back(std::move(event));
    wake();
    return runtime::put_result::accepted;
  }

  void invalidate(const std::string& response, std::uint64_t through) {
    const auto stale = [&](const entry& one) { return one.audio_of == response && one.epoch <= through; };
    queue.erase(std::remove_if(queue.begin(), queue.end(), stale), queue.end());
    if (held && stale(*held) && !held->sequenced) held->valid = false;
  }

  void close(std::optional<entry> terminal) {
    if (closed) return;
    closed = true;
    if (terminal) {
      terminal->where = room::terminal;
      queue.push_back(*std::move(terminal));
    }
    wake();
  }

  // Nothing: a consumer waits already.
  std::optional<runtime::delivery_buffer::get_status> get(bool wait) {
    if (waiting) return std::nullopt;
    held.reset();
    if (!queue.empty()) {
      held = std::move(queue.front());
      queue.pop_front();
      return runtime::delivery_buffer::get_status::ready;
    }
    if (closed) return runtime::delivery_buffer::get_status::drained;
    waiting = wait;
    return runtime::delivery_buffer::get_status::waiting;
  }
};

// Thread safety: none.
class delivery_checker {
 public:
  // `choose(n)` gives a number below n, for n > 0.
  using chooser = std::function<std::size_t(std::size_t n)>;

  explicit delivery_checker(chooser choose) : choose_(std::move(choose)) { restart(); }

  // One operation on both; throws std::logic_error where they differ.
  void step() {
    operate(choose_(16));
    compare();
  }

  // Takes everything that is left; nothing may stay counted.
  void finish() {
    close();
    do {
      get(true);
      compare();
    } while (model_.held);
    expect(buffer_->pending_bytes() == 0 && buffer_->pending_events() == 0, "something stays counted");
  }

 private:
  using status = runtime::delivery_buffer::get_status;

  static void expect(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  }

  void operate(std::size_t which) {
    if (which < 4) return put_audio();
    if (which < 6) return put(text(next_id(), response(), choose_(120)));
    if (which < 7) return put(error(next_id(), choose_(120)));
    if (which < 8) return put(done(next_id(), response()));
    if (which < 9) return put({protocol::event_id{next_id()}, protocol::playback_acknowledged{}});
    if (which < 11) return invalidate();
    if (which < 14) return get(choose_(4) != 0);
    if (which < 15) return sequence();
    close_or_restart();
  }

  void restart() {
    runtime::delivery_limits limits;
    limits.max_bytes = 1 + choose_(3000);
    limits.max_events = 1 + choose_(12);
    limits.reserve_bytes = 1 + choose_(800);
    limits.reserve_events = 1 + choose_(4);
    limits.max_terminal_bytes = 150 + choose_(100);
    spoken_ = choose_(2) == 0 ? protocol::dialect::openai : protocol::dialect::openai_beta;
    buffer_ = runtime::delivery_buffer::make(limits, spoken_).value();
    model_ = delivery_model{limits};
    wakes_ = 0;
  }

  std::string next_id() { return "event_" + std::to_string(++events_); }
  std::string response() { return choose_(2) == 0 ? "resp_a" : "resp_b"; }

  void put_audio() {
    put(audio(next_id(), response(), choose_(4), 1 + choose_(100), static_cast<std::int64_t>(choose_(1000))));
  }

  void put(const protocol::server_event& event) {
    const bool spoken = protocol::is_spoken(spoken_, event.body);
    delivery_model::entry entry{event.id.value, spoken ? protocol::render(spoken_, event) : ""};
    if (const auto* delta = std::get_if<protocol::audio_delta>(&event.body)) {
      entry.audio_of = delta->at.response.value;
      entry.epoch = delta->epoch.value;
    }
    const bool vital = std::holds_alternative<protocol::error_event>(event.body) ||
                       std::holds_alternative<protocol::response_done>(event.body);
    expect(buffer_->put(event) == model_.put(entry, vital, spoken), "put differs");
  }

  void invalidate() {
    const auto of = response();
    const auto through = choose_(4);
    buffer_->invalidate(protocol::response_id{of}, {through});
    model_.invalidate(of, through);
  }

  void get(bool wait) {
    const auto expected = model_.get(wait);
    const auto got = buffer_->get(wait ? std::function<void()>{[this] { ++wakes_; }} : nullptr);
    expect(got.has_value() == expected.has_value(), "get differs in its error");
    if (expected) {
      expect(*got == *expected, "get differs in its status");
    } else {
      expect(got.error() == std::errc::operation_in_progress, "a second consumer is told something else");
    }
  }

  void sequence() {
    if (!model_.held || !model_.held->valid || model_.held->sequenced) return;
    const bool splice = choose_(2) == 0;
    const auto number = choose_(100000);
    runtime::delivery_buffer::guard guard(*buffer_);
    const auto receipt = guard.sequence(number, splice);
    model_.held->sequenced = true;
    if (splice) protocol::append_sequence(model_.held->bytes, number);
    expect(receipt.event.value == model_.held->id && receipt.sequence == number, "the receipt differs");
    expect(receipt.item.has_value() == !model_.held->audio_of.empty(), "the receipt differs in its audio");
    expect(*guard.bytes() == model_.held->bytes, "the bytes differ");
  }

  void close() {
    if (choose_(2) == 0) {
      buffer_->close();
      model_.close(std::nullopt);
      return;
    }
    const protocol::event_id id{next_id()};
    auto event = terminal(choose_(200));
    buffer_->close(event, id);
    if (protocol::render(id, event).size() > model_.limits.max_terminal_bytes) {
      event.reason = "close_details_exceed_output_limit";
      event.details.text = "{}";
    }
    model_.close(delivery_model::entry{id.value, protocol::render(id, event)});
  }

  void close_or_restart() {
    const auto which = choose_(16);
    if (which == 0) return close();
    if (which > 1) return;
    finish();
    restart();
  }

  void compare() {
    std::size_t bytes = 0;
    for (const auto& one : model_.queue) bytes += one.bytes.size();
    expect(buffer_->pending_bytes() == bytes, "pending_bytes differs");
    expect(buffer_->pending_events() == model_.queue.size(), "pending_events differs");
    expect(wakes_ == model_.wakes, "the wakes differ");
    if (!model_.held) return;
    expect(runtime::delivery_buffer::guard(*buffer_).valid() == model_.held->valid, "validity differs");
  }

  chooser choose_;
  std::unique_ptr<runtime::delivery_buffer> buffer_;
  protocol::dialect spoken_ = protocol::dialect::openai;
  delivery_model model_;
  int wakes_ = 0;
  int events_ = 0;
};

}  // namespace parley::tests
