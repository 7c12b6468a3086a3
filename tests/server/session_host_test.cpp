// The host without a socket: steps, model output from the call and from other threads, overflow, the end.
#include "server/session_host.hpp"

#include "server/random_ids.hpp"
#include "server/session_setup.hpp"
#include "tests/server/fake_model.hpp"
#include "tests/server/test_server.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <thread>

using namespace parley;
using namespace parley::server;
using test::fake_model;

namespace {

struct bench {
  explicit bench(fake_model::manner how, std::size_t max_events = 512, config::delivery_config delivery = {})
      : model(how) {
    prepare_randomness();
    auto configuration = test::test_config();
    configuration.delivery = delivery;
    configuration.delivery.max_events = max_events;
    const bool speaks = how == fake_model::manner::endless || how == fake_model::manner::flood;
    auto settings = starting_settings(configuration.session, protocol::session_kind::realtime, "fake");
    auto options =
        make_session_options(configuration, protocol::dialect::openai, std::move(settings), model.capabilities(), {});
    if (!speaks) options.settings.modality = protocol::output_modality::text;
    host.emplace(io.get_executor(), deadline, std::move(options), make_delivery_limits(configuration.delivery),
                 std::make_shared<peer_log>(std::make_shared<spdlog::logger>("test")));
    host->start(model);
  }
  void ask() { host->on(protocol::command{.client_event_id = {}, .body = protocol::response_create{}}); }
  // Takes everything out of the buffer; true when it is drained.
  bool take_all() {
    while (true) {
      const auto status = host->buffer().get({}).value();
      if (status != runtime::delivery_buffer::get_status::ready) {
        return status == runtime::delivery_buffer::get_status::drained;
      }
      take_held();
      host->on_taken();
    }
  }
  void take_held() {
    runtime::delivery_buffer::guard held(host->buffer());
    if (!held.valid()) return;
    static_cast<void>(held.sequence(++sequence, false));
    events.push_back(*held.bytes());
  }
  // How many events hold that text.
  [[nodiscard]] std::ptrdiff_t count(const std::string& text) const {
    return std::count_if(events.begin(), events.end(),
                         [&](const auto& event) { return event.find(text) != std::string::npos; });
  }
  [[nodiscard]] bool saw(const std::string& text) const {
    for (const auto& event : events) {
      if (event.find(text) != std::string::npos) return true;
    }
    return false;
  }

  asio::io_context io{1};
  parley::server::alarm deadline{io.get_executor()};
  fake_model model;
  std::optional<session_host> host;
  std::uint64_t sequence = 0;
  std::vector<std::string> events;
};

}  // namespace

TEST_CASE("session_host: what the model answers inside the call is taken in by the same step", "[server][host]") {
  bench one(fake_model::manner::text);
  asio::post(one.io, [&] { one.ask(); });
  one.io.run_one();
  CHECK_FALSE(one.take_all());
  CHECK(one.saw("response.done"));
}

TEST_CASE("session_host: outputs of another thread are drained by one handler", "[server][host]") {
  bench one(fake_model::manner::silent);
  one.ask();
  const auto asked = one.model.now().requests.front();
  std::thread([&] {
    const auto& [sink, request] = asked;
    for (int i = 0; i < 10; ++i) sink->post(runtime::model_text{request.id, request.epoch, "word"});
    sink->post(runtime::model_done{request.id, request.epoch});
  }).join();
  CHECK(one.io.poll() == 1);
  CHECK_FALSE(one.take_all());
  CHECK(one.saw("response.done"));
}

TEST_CASE("session_host: an overflow of the buffer ends the session and its model", "[server][host]") {
  bench one(fake_model::manner::silent, 16);
  one.ask();
  for (int i = 0; i < 50; ++i) one.host->on(protocol::wire_error{.message = "no event"});
  CHECK(one.host->closed_at().has_value());
  CHECK(one.host->reason() == runtime::close_reason::output_backpressure);
  CHECK(one.take_all());
  CHECK(one.saw("no event"));
  CHECK(one.model.now().alive == 0);
}

TEST_CASE("F2: a response that ended by itself and did not fit is told as failed, never as completed",
          "[server][host]") {
  config::delivery_config delivery;
  delivery.pace_ahead = std::chrono::milliseconds{0};
  SECTION("and the session closes") {
    bench one(fake_model::manner::flood, 512, delivery);
    one.ask();
    CHECK(one.host->reason() == runtime::close_reason::output_backpressure);
    CHECK(one.take_all());
    CHECK(one.count("\"type\":\"error\"") == 1);
    CHECK(one.count("output_backpressure") == 2);
    CHECK(one.count("\"type\":\"response.done\"") == 1);
    CHECK_FALSE(one.saw("\"status\":\"completed\""));
  }
  SECTION("and the session goes on") {
    delivery.on_overflow = config::overflow_policy::fail_response;
    bench one(fake_model::manner::flood, 512, delivery);
    one.ask();
    CHECK_FALSE(one.host->closed_at());
    CHECK_FALSE(one.take_all());
    CHECK(one.count("\"type\":\"response.done\"") == 1);
    CHECK(one.count("output_backpressure") == 1);
    one.ask();
    CHECK(one.model.now().asked == 2);
  }
}

TEST_CASE("F25: answers to a burst of commands wait for the reader", "[server][host]") {
  bench one(fake_model::manner::silent, 16);
  int asked = 0;
  for (; one.host->takes_commands(); ++asked) {
    one.ask();
    one.host->on(protocol::command{.client_event_id = {}, .body = protocol::response_cancel{}});
  }
  CHECK(asked > 1);
  CHECK_FALSE(one.host->closed_at());
  int rooms = 0;
  one.host->on_room([&] { ++rooms; });
  CHECK_FALSE(one.take_all());
  CHECK(rooms == 1);
  CHECK(one.host->takes_commands());
  CHECK(one.count("\"type\":\"response.done\"") == asked);
}

TEST_CASE("session_host: closing destroys the model session and drops what it says later", "[server][host]") {
  bench one(fake_model::manner::silent);
  one.ask();
  const auto [sink, request] = one.model.now().requests.front();
  one.host->close(runtime::close_reason::disconnect);
  CHECK(one.model.now().alive == 0);
  CHECK(one.model.now().cancelled == 1);
  sink->post(runtime::model_done{request.id, request.epoch});
  one.host.reset();
  sink->post(runtime::model_done{request.id, request.epoch});
  one.io.restart();
  one.io.poll();
  CHECK(one.model.now().asked == 1);
}
