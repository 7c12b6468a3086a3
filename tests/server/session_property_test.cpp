// A session between a client that sends anything the limits let in and reads at any speed, and a model that says
// anything its limits let it say. Whatever they do: a client that reads is never closed, every command is answered, and
// what the session holds stays below the sum of its stated bounds, as the allocator counts it.
#include "protocol/decode.hpp"
#include "server/random_ids.hpp"
#include "server/session_host.hpp"
#include "server/session_setup.hpp"
#include "tests/live_bytes.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <deque>
#include <map>
#include <random>
#include <set>

using namespace parley;
using namespace parley::server;
using protocol::dialect;
using tests::live_bytes;

namespace {

namespace json = boost::json;

constexpr std::size_t kib = 1024;
constexpr int commands = 1500;

using generator = std::mt19937;

std::size_t pick(generator& random, std::size_t from, std::size_t to) {
  return std::uniform_int_distribution<std::size_t>(from, to)(random);
}
// Mostly small, sometimes as large as it may be.
std::size_t some_size(generator& random, std::size_t most) {
  const std::size_t kind = pick(random, 0, 9);
  return kind < 7 ? pick(random, 1, 200) : kind < 9 ? pick(random, 1, most / 8) : pick(random, most / 2, most);
}

struct bounds {
  std::size_t waits = 128 * kib;
  std::size_t events = 48;
  std::size_t one_value = 512 * kib;  // text of an item, instructions, arguments
  std::size_t append = 256 * kib;
  std::size_t input = 1024 * kib;
  std::size_t history = 2048 * kib;  // audio; words as much again
  std::size_t answer_text = 64 * kib;
  std::size_t answer_speech_ms = 20'000;
};

config::config configuration(const bounds& of) {
  config::config made;
  made.delivery.max_bytes = of.waits;
  made.delivery.max_events = of.events;
  made.delivery.pace_ahead = std::chrono::milliseconds{0};
  made.limits.append_bytes = of.append;
  made.limits.input_buffer_bytes = of.input;
  made.limits.pending_input_bytes = of.input;
  made.limits.history_audio_bytes = of.history;
  made.limits.history_items = 200;
  made.limits.response_max_text_bytes = of.answer_text;
  made.limits.bad_messages_per_minute = 1'000'000;
  return made;
}

// The most a session with these bounds may hold: what is kept, what waits for the model and for the client, and what
// one command tells: its item three times (added, created, done), and the answer of a retrieve, which is the sound of a
// turn.
std::int64_t most_held(const bounds& of) {
  const std::size_t settings = 4 * of.one_value;  // of now, of the patch, merged, and shown
  const std::size_t kept = of.input + 2 * of.history + settings;
  const std::size_t waits = 2 * of.waits + of.input;
  const std::size_t speech = of.answer_speech_ms * 48 * 3;  // made, kept, and on its way
  const std::size_t told = 4 * of.one_value + 2 * (of.input * 4 / 3) + 6 * 6 * of.answer_text;
  return static_cast<std::int64_t>(kept + waits + speech + told + 2048 * kib);
}

// Answers when it is asked to go on, in pieces of any size, and stops when it is told to wait.
class talkative final : public runtime::model_session {
 public:
  talkative(std::shared_ptr<runtime::model_sink> sink, generator& random, const bounds& of)
      : sink_(std::move(sink)), random_(random), bounds_(of) {}

  void hear(runtime::heard_audio) override {}
  void end_turn(runtime::ended_turn turn) override { sink_->post(runtime::turn_ready{turn.item, "what was said"}); }
  void hear_unit(runtime::audio_unit unit) override {
    if (pick(random_, 0, 3) == 0) return sink_->post(runtime::model_speak{unit.number});
    sink_->post(runtime::model_listen{unit.number});
  }
  void drop_turn(const protocol::item_id&) override {}
  void respond(runtime::response_request request) override {
    answers_[request.id.value] = {request.id, request.epoch, pick(random_, 0, bounds_.answer_speech_ms)};
  }
  void cancel(const protocol::response_id& response) override { answers_.erase(response.value); }
  void throttle(const protocol::response_id& response, bool wait) override {
    if (const auto one = answers_.find(response.value); one != answers_.end()) one->second.waits = wait;
  }
  void go_on() {
    auto all = answers_;
    for (auto& [name, one] : all) {
      if (one.waits) continue;
      if (one.left_ms == 0 || pick(random_, 0, 19) == 0) {
        end(one);
        continue;
      }
      const std::size_t ms = std::min(one.left_ms, pick(random_, 20, 2000));
      answers_[name].left_ms -= ms;
      sink_->post(runtime::model_speech{one.id, one.epoch, std::vector<std::int16_t>(24 * ms, 5),
                                        std::string(some_size(random_, 2 * kib), 'w')});
    }
  }
  [[nodiscard]] bool is_idle() const { return answers_.empty(); }

 private:
  struct answer {
    protocol::response_id id;
    protocol::epoch epoch;
    std::size_t left_ms = 0;
    bool waits = false;
  };
  void end(const answer& one) {
    answers_.erase(one.id.value);
    if (pick(random_, 0, 3) == 0) {
      sink_->post(runtime::model_tool_call{one.id, one.epoch, protocol::call_id{"call_" + one.id.value}, "f",
                                           "\"" + std::string(some_size(random_, bounds_.answer_text / 2), 'a') + "\"",
                                           true});
    }
    if (pick(random_, 0, 7) == 0) return sink_->post(runtime::model_failed{one.id, one.epoch, "It went away."});
    sink_->post(runtime::model_done{one.id, one.epoch});
  }

  const std::shared_ptr<runtime::model_sink> sink_;
  generator& random_;
  const bounds& bounds_;
  std::map<std::string, answer> answers_;
};

class talkative_model final : public runtime::model {
 public:
  talkative_model(generator& random, const bounds& of, bool native) : random_(random), bounds_(of), native_(native) {}
  [[nodiscard]] runtime::model_capabilities capabilities() const override {
    runtime::model_capabilities can{.calls_tools = true};
    can.native = native_;
    if (native_) can.chunk_period = std::chrono::milliseconds{200};
    return can;
  }
  [[nodiscard]] std::unique_ptr<runtime::model_session> open(std::shared_ptr<runtime::model_sink> sink) override {
    auto made = std::make_unique<talkative>(std::move(sink), random_, bounds_);
    session = made.get();
    return made;
  }
  talkative* session = nullptr;  // while the session lives

 private:
  generator& random_;
  const bounds& bounds_;
  const bool native_;
};

// Writes commands, and knows which answers each is owed.
class client {
 public:
  client(generator& random, const bounds& of, bool duplex) : random_(random), bounds_(of), duplex_(duplex) {}

  std::string next() {
    const std::string id = "cmd_" + std::to_string(++count_);
    switch (pick(random_, 0, 11)) {
      case 0:
      case 1:
        return append();
      case 2:
        return owed(id, "input_audio_buffer.commit", "input_audio_buffer.committed", {});
      case 3:
        return owed(id, "input_audio_buffer.clear", "input_audio_buffer.cleared", {});
      case 4:
      case 5:
        return item(id);
      case 6:
        return owed(id, "conversation.item.retrieve", "conversation.item.retrieved", {{"item_id", known_item()}});
      case 7:
        return owed(id, "conversation.item.delete", "conversation.item.deleted", {{"item_id", known_item()}});
      case 8:
        return update(id);
      case 9:
        return owed(id, "response.create", "response.created", {});
      case 10:
        return owed(id, "response.cancel", "response.done", {});
      default:
        return owed(id, "no.such.event", "error", {});
    }
  }

  // One event of the server. Errors name the command they answer, everything else answers the oldest that wants it.
  void take(const std::string& text) {
    const auto event = json::parse(text).as_object();
    const std::string type(event.at("type").as_string());
    ++seen[type];
    if (type == "conversation.item.added") note_item(event);
    if (type == "error") return take_error(event);
    settle(type);
  }

  [[nodiscard]] std::size_t unanswered() const {
    std::size_t sum = 0;
    for (const auto& [type, ids] : owed_) sum += type == "response.done" ? 0 : ids.size();
    return sum;
  }
  [[nodiscard]] bool may_ask() const { return unanswered() < 200; }

  std::map<std::string, int> seen;

 private:
  std::string owed(const std::string& id, const char* type, const char* answer, json::object members) {
    owed_[answer].push_back(id);
    members["type"] = type;
    members["event_id"] = id;
    return json::serialize(members);
  }
  std::string append() {
    const std::size_t bytes = some_size(random_, bounds_.append) & ~std::size_t{7};
    const std::size_t groups = bytes / 3 / 2 * 2;
    std::string audio(groups * 4, pick(random_, 0, 1) == 0 ? 'A' : 'f');
    return json::serialize(json::object{{"type", "input_audio_buffer.append"}, {"audio", std::move(audio)}});
  }
  std::string item(const std::string& id) {
    json::object part{{"type", "input_text"}, {"text", std::string(some_size(random_, bounds_.one_value), 'x')}};
    json::object value{{"type", "message"}, {"role", "user"}, {"content", json::array{std::move(part)}}};
    return owed(id, "conversation.item.create", "conversation.item.done", {{"item", std::move(value)}});
  }
  std::string update(const std::string& id) {
    json::object session{{"instructions", std::string(some_size(random_, bounds_.one_value), 'i')}};
    if (!duplex_) {
      session["type"] = "realtime";
      session["audio"] = json::object{{"input", json::object{{"turn_detection", nullptr}}}};
    }
    return owed(id, "session.update", "session.updated", {{"session", std::move(session)}});
  }
  std::string known_item() {
    if (items_.empty() || pick(random_, 0, 5) == 0) return "item_nope";
    return items_[pick(random_, 0, items_.size() - 1)];
  }
  void note_item(const json::object& event) {
    items_.emplace_back(event.at("item").as_object().at("id").as_string());
    if (items_.size() > 20) items_.pop_front();
  }
  void take_error(const json::object& event) {
    const auto* const at = event.at("error").as_object().if_contains("event_id");
    if (!at || !at->is_string()) return;
    const std::string id(at->as_string());
    for (auto& [type, ids] : owed_) std::erase(ids, id);
  }
  void settle(const std::string& type) {
    auto& ids = owed_[type];
    if (!ids.empty()) ids.pop_front();
  }

  generator& random_;
  const bounds& bounds_;
  const bool duplex_;
  int count_ = 0;
  std::map<std::string, std::deque<std::string>> owed_;  // by the type of the answer
  std::deque<std::string> items_;
};

class table {
 public:
  table(unsigned seed, dialect spoken, bool native)
      : random_(seed),
        model_(random_, bounds_, native),
        client_(random_, bounds_, spoken == dialect::duplex),
        decoder_(spoken),
        base_(live_bytes()) {
    prepare_randomness();
    const auto made = configuration(bounds_);
    auto settings = spoken == dialect::duplex
                        ? starting_duplex_settings(made.session, "talkative")
                        : starting_settings(made.session, protocol::session_kind::realtime, "talkative");
    settings.detection.reset();
    auto options = make_session_options(made, spoken, std::move(settings), model_.capabilities(), {});
    options.limits.history_text_bytes = bounds_.history;  // no key of the configuration
    host_.emplace(io_.get_executor(), deadline_, std::move(options), make_delivery_limits(made.delivery),
                  std::make_shared<peer_log>(std::make_shared<spdlog::logger>("test")));
    host_->start(model_);
  }

  void run() {
    for (int sent = 0; sent < commands;) {
      const std::size_t what = pick(random_, 0, 9);
      // Some clients send for long without a look at what comes, but none that is not taken is sent.
      if (what < 5 && host_->takes_commands()) {
        send(client_.next());
        ++sent;
      } else if (what < 7) {
        model_.session->go_on();
      } else {
        read(pick(random_, 1, reads_fast_ ? 60 : 4));
        reads_fast_ = pick(random_, 0, 40) == 0 ? !reads_fast_ : reads_fast_;
      }
      look();
    }
    read_all();
  }

  [[nodiscard]] client& peer() { return client_; }

 private:
  void send(std::string text) {
    const std::size_t size = text.size();
    text.append(protocol::frame_padding_bytes, '\0');
    auto decoded = decoder_.decode({text.data(), size});
    if (decoded) {
      host_->on(*decoded);
    } else {
      host_->on(std::move(decoded).error());
    }
  }
  // As a writer does; false when nothing is there.
  bool read_one() {
    const auto status = host_->buffer().get({}).value();
    REQUIRE(status != runtime::delivery_buffer::get_status::drained);
    if (status == runtime::delivery_buffer::get_status::waiting) return false;
    std::shared_ptr<const std::string> bytes;
    std::optional<runtime::receipt> sent;
    {
      runtime::delivery_buffer::guard held(host_->buffer());
      if (held.valid()) {
        sent = held.sequence(0, false);
        bytes = held.bytes();
      }
    }
    if (sent) host_->on(*sent);
    host_->on_taken();
    if (bytes) client_.take(*bytes);
    return true;
  }
  void read(std::size_t count) {
    while (count-- > 0 && read_one()) {
    }
  }
  void read_all() {
    for (int quiet = 0; quiet < 3;) {
      model_.session->go_on();
      look();
      quiet = read_one() || !model_.session->is_idle() ? 0 : quiet + 1;
    }
  }
  void look() {
    io_.restart();
    io_.poll();
    host_->wake_if_due(std::chrono::steady_clock::now());
    REQUIRE_FALSE(host_->closed_at());
    const std::int64_t held = live_bytes() - base_;
    REQUIRE(held <= most_held(bounds_));
    most_seen_ = std::max(most_seen_, held);
  }

  const bounds bounds_;
  generator random_;
  asio::io_context io_{1};
  parley::server::alarm deadline_{io_.get_executor()};
  talkative_model model_;
  client client_;
  protocol::decoder decoder_;
  const std::int64_t base_;
  std::optional<session_host> host_;
  bool reads_fast_ = true;
  std::int64_t most_seen_ = 0;
};

void holds_for(dialect spoken, bool native) {
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  table one(seed, spoken, native);
  one.run();
  CHECK(one.peer().unanswered() == 0);
  CHECK(one.peer().seen["response.created"] == one.peer().seen["response.done"]);
  CHECK(one.peer().seen["response.done"] > 0);
  CHECK(one.peer().seen["conversation.item.retrieved"] > 0);
}

}  // namespace

TEST_CASE("F1, F2, F3, F25: a client that reads is never closed, and what it can fill is bounded: GA",
          "[server][property]") {
  holds_for(dialect::openai, false);
}

TEST_CASE("F1, F2, F3, F25: a client that reads is never closed, and what it can fill is bounded: duplex, turn-based",
          "[server][property]") {
  holds_for(dialect::duplex, false);
}

TEST_CASE("F1, F2, F3, F25: a client that reads is never closed, and what it can fill is bounded: duplex, native",
          "[server][property]") {
  holds_for(dialect::duplex, true);
}
