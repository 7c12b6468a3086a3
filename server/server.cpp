#include "server/server.hpp"

#include "server/random_ids.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace parley::server {

namespace {

using clock = std::chrono::steady_clock;

// What sessions that are told to close get for their close frames before their sockets are cut.
constexpr std::chrono::seconds closing_time{1};

const config::config& with_randomness(const config::config& configuration) {
  prepare_randomness();
  return configuration;
}

}  // namespace

server::server(const config::config& configuration, model_map models, audio_factories audio,
               std::shared_ptr<spdlog::logger> log)
    : services_{.configuration = with_randomness(configuration),
                .keys = key_ring(load_keys(configuration.auth)),
                .secrets = client_secrets(load_signing_key(configuration.auth)),
                .models = model_catalog(configuration, std::move(models)),
                .tools = {std::move(audio), std::make_shared<const runtime::prompt_library>(configuration.prompts)},
                .log = log},
      pool_(configuration.server.threads),
      last_(log),
      listener_(pool_, services_.tasks, services_),
      way_down_(pool_.first().get_executor()) {}

server::~server() {
  begin_shutdown();
  begin_shutdown();
  wait();
}

void server::start(std::function<void()> stopped) {
  listener_.open(services_.configuration.server.listen);
  stopped_ = std::move(stopped);
  if (services_.keys.open()) {
    services_.log->warn("no API key is configured: everybody who reaches {} may open sessions",
                        services_.configuration.server.listen);
  }
  services_.tasks.spawn(pool_.first().get_executor(), listener_.run(), "listener");
  services_.tasks.spawn(pool_.first().get_executor(), tell_refusals(), "refusals");
  pool_.run();
}

void server::begin_shutdown() {
  asio::post(pool_.first(), [this] {
    hurry_ = std::exchange(going_down_, true);
    if (hurry_) return way_down_.ring();
    last_.spawn(pool_.first().get_executor(), go_down(), "shutdown");
  });
}

void server::wait() { pool_.join(); }

task<void> server::tell_refusals() {
  steady_timer period(pool_.first().get_executor());
  while (true) {
    period.expires_after(peer_log::period);
    const auto [ended] = co_await period.async_wait(awaited_tuple);
    services_.peers->tell(ended ? clock::time_point::max() : clock::now());
    if (ended) co_return;
  }
}

task<void> server::wait_for(permit_pool& pool, clock::time_point until) {
  pool.when_idle([this] { asio::post(pool_.first(), [this] { way_down_.ring(); }); });
  while (!hurry_ && pool.in_use() > 0 && clock::now() < until) co_await way_down_.wait(until);
}

// A task on one context may be waiting for another context: none may end before all tasks have.
task<void> server::wait_for_tasks() {
  bool ended = false;
  services_.tasks.when_empty([this, &ended] {
    asio::post(pool_.first(), [this, &ended] {
      ended = true;
      way_down_.ring();
    });
  });
  while (!ended) co_await way_down_.wait();
}

task<void> server::go_down() {
  services_.log->info("draining {} sessions", sessions());
  services_.notice.advance(stage::draining);
  const auto until = clock::now() + services_.configuration.server.drain_timeout;
  co_await wait_for(services_.sessions, until);
  co_await wait_for(services_.calls, until);
  listener_.close();
  services_.notice.advance(stage::closing);
  // The sockets, not the sessions: one that has ended may still be saying so.
  co_await wait_for(services_.connections, clock::now() + closing_time);
  services_.tasks.close();
  services_.tasks.cancel();
  co_await wait_for_tasks();
  pool_.release();
  if (stopped_) stopped_();
}

}  // namespace parley::server
