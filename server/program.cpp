#include "server/program.hpp"

#include "server/line_pump.hpp"
#include "server/log.hpp"
#include "server/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <sstream>
#include <utility>

namespace parley::server {

namespace {

// Passes each signal on until it is cancelled. REQUIRES: set and call outlive the wait.
void pass_on(asio::signal_set& set, const std::function<void()>& call) {
  set.async_wait([&](const error_code& ec, int) {
    if (ec) return;
    call();
    pass_on(set, call);
  });
}

// For whoever started the program, who may have stopped reading.
void say_where(const asio::ip::tcp::endpoint& endpoint) {
  std::ostringstream line;
  line << "listening on ws://" << endpoint << "/v1/realtime\n";
  line_pump(STDOUT_FILENO).put(line.str());
}

}  // namespace

int serve(const config::config& configuration, std::map<std::string, std::shared_ptr<runtime::model>> models,
          audio_factories audio) {
  // The main thread waits for signals; sessions live on the server's own threads.
  asio::io_context signal_context(1);
  asio::signal_set signals(signal_context, SIGINT, SIGTERM);
  auto log = make_logger(configuration.log);
  server running(configuration, std::move(models), std::move(audio), log);
  const std::function<void()> shut_down = [&running] { running.begin_shutdown(); };
  pass_on(signals, shut_down);
  running.start([&] { asio::post(signal_context, [&signals] { signals.cancel(); }); });
  say_where(running.endpoint());
  signal_context.run();
  running.wait();
  log->info("stopped");
  return 0;
}

}  // namespace parley::server
