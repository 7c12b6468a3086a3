// parley-bench-baseline: the raw relay on --listen; says where on standard output, ends on SIGTERM or SIGINT.
#include "bench/baseline/relay.hpp"
#include "protocol/encode.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <thread>

namespace {

namespace asio = boost::asio;
using namespace parley;

// The very bytes of a delta of 200 ms, with ids as long as parley's.
std::string make_answer() {
  protocol::audio_delta delta;
  delta.at = {protocol::response_id{"resp_000000000000000000000"}, protocol::item_id{"item_000000000000000000000"}};
  delta.samples.assign(4800, 0);
  return protocol::render(protocol::dialect::openai, {protocol::event_id{"event_00000000000000000000"}, delta});
}

asio::ip::tcp::endpoint parse(const std::string& listen) {
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos) throw std::invalid_argument("--listen wants HOST:PORT");
  const int port = std::stoi(listen.substr(colon + 1));
  return {asio::ip::make_address(listen.substr(0, colon)), static_cast<asio::ip::port_type>(port)};
}

void serve(const asio::ip::tcp::endpoint& listen, std::size_t threads, bench::relay_mode mode) {
  const bench::relay_texts texts{make_answer(), R"({"type":"response.done"})"};
  std::vector<std::unique_ptr<asio::io_context>> contexts;
  std::vector<asio::io_context*> handed_out;
  for (std::size_t i = 0; i < threads; ++i) {
    contexts.push_back(std::make_unique<asio::io_context>(1));
    handed_out.push_back(contexts.back().get());
  }
  const auto stop = [&] {
    for (auto& context : contexts) context->stop();
  };

  asio::signal_set signals(*contexts.front(), SIGINT, SIGTERM);
  signals.async_wait([&](auto, int) { stop(); });
  bench::tcp_acceptor acceptor(contexts.front()->get_executor(), listen);
  asio::co_spawn(contexts.front()->get_executor(), bench::accept_all(acceptor, handed_out, texts, mode),
                 [&](const std::exception_ptr&) { stop(); });
  std::cout << "listening on ws://" << acceptor.local_endpoint() << "/v1/realtime" << std::endl;

  std::vector<std::jthread> running;
  for (std::size_t i = 1; i < threads; ++i) {
    running.emplace_back([&context = *contexts[i]] {
      const auto work = asio::make_work_guard(context);
      context.run();
    });
  }
  contexts.front()->run();
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("The raw relay that parley is compared with", "parley-bench-baseline");
  std::string listen = "127.0.0.1:0";
  std::size_t threads = 1;
  app.add_option("--listen", listen, "HOST:PORT, port 0 takes any free one");
  app.add_option("--threads", threads, "I/O threads, one io_context each")->check(CLI::Range(1, 64));
  bool stream = false;
  app.add_flag("--stream", stream, "send without end until a message comes, on sockets with the kernel's defaults");
  CLI11_PARSE(app, argc, argv);
  serve(parse(listen), threads, stream ? bench::relay_mode::stream : bench::relay_mode::answer);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "parley-bench-baseline: " << error.what() << '\n';
  return 1;
}
