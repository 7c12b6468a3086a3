// The session alone, with a socket that nothing can be written to.
#include "server/live_session.hpp"

#include "server/random_ids.hpp"
#include "tests/server/duplex_client.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

using namespace parley;
using namespace parley::server;
using test::fake_model;

namespace {

struct bench {
  explicit bench(config::config with) : configuration(std::move(with)) {}

  // Until nothing is left to do: a session that waits for its grace keeps it going.
  void run() {
    asio::post(io, [this] {
      auto options =
          make_session_options(configuration, protocol::dialect::duplex,
                               starting_duplex_settings(configuration.session, "fake"), model->capabilities(), {});
      options.resume = protocol::attachment{1, "token"};
      id = options.id;
      auto socket = std::make_shared<duplex_socket>(
          tcp_socket(io.get_executor()), websocket_limits{1024, std::chrono::seconds{1}, std::chrono::seconds{1}},
          std::chrono::seconds{1});
      auto session = std::make_shared<live_session>(io.get_executor(), std::move(options), shared, std::move(socket),
                                                    shared.sessions.try_take().value(), std::nullopt);
      session->start(*model);
      left = session;
      shared.tasks.spawn(io.get_executor(), live_session::run(std::move(session)), "session");
    });
    io.run_for(std::chrono::seconds{20});
  }

  config::config configuration;
  std::shared_ptr<fake_model> model = std::make_shared<fake_model>();
  std::shared_ptr<spdlog::logger> log = std::make_shared<spdlog::logger>("test");
  services shared{.configuration = configuration,
                  .keys = key_ring({}),
                  .secrets = client_secrets({1, 2, 3}),
                  .models = model_catalog(configuration, {{"fake", model}}),
                  .tools = {},
                  .log = log};
  asio::io_context io{1};
  protocol::session_id id;
  std::weak_ptr<live_session> left;
};

}  // namespace

TEST_CASE("statement 15: a session whose session.created can not be delivered ends, and its slot is free",
          "[server][duplex]") {
  prepare_randomness();
  auto configuration = test::duplex_config();
  configuration.resume.disconnect_grace = std::chrono::hours{1};  // it would wait for so long
  bench one(configuration);
  one.run();
  CHECK(one.shared.sessions.in_use() == 0);
  CHECK_FALSE(one.shared.live->find(one.id));
  CHECK(one.left.expired());
  CHECK(one.model->now().opened == 1);
  CHECK(one.model->now().alive == 0);
  CHECK(one.shared.tasks.failures() == 0);
}
