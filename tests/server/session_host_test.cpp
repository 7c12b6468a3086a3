// The host without a socket: steps, model output from the call and from other threads, overflow, the end.
#include "server/session_host.hpp"

#include "server/random_ids.hpp"
#include "server/session_setup.hpp"
#include "tests/server/fake_model.hpp"
#include "tests/server/test_server.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <thread>

using namespace parley;
using namespace parley::server;
using test::fake_model;

namespace {

struct bench {
  explicit bench(fake_model::manner how, std::size_t max_events = 512) : model(how) {
    prepare_randomness();
    auto configuration = test::test_config();
    configuration.delivery.max_events = max_events;
    auto settings = starting_settings(configuration.session, protocol::session_kind::realtime, "fake");
    auto options =
        make_session_options(configuration, protocol::dialect::openai, std::move(settings), model.capabilities(), {});
    options.settings.modality = protocol::output_modality::text;
    host.emplace(io.get_executor(), deadline, std::move(options), make_delivery_limits(configuration.delivery),
                 std::make_shared<spdlog::logger>("test"));
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
      runtime::delivery_buffer::guard held(host->buffer());
      if (!held.valid()) continue;
      static_cast<void>(held.sequence(++sequence, false));
      events.push_back(*held.bytes());
    }
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
