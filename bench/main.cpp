// parley-bench: load, idle, compare, interrupt and soak.
#include "bench/compare.hpp"
#include "bench/idle.hpp"
#include "bench/interrupt.hpp"
#include "bench/load.hpp"
#include "bench/process.hpp"
#include "bench/soak.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <random>

namespace {

using namespace parley::bench;

// What `load` and `idle` are told about the server.
struct server_options {
  std::string url;
  pid_t pid = 0;
  bool raw = false;

  void add_to(CLI::App& command) {
    command.add_option("--url", url, "ws://HOST:PORT/v1/realtime?model=NAME")->required();
    command.add_option("--pid", pid, "the server's process, for its CPU time and memory")->required();
    command.add_flag("--raw", raw, "the server is parley-bench-baseline: no session is opened");
  }
};

std::chrono::milliseconds to_ms(double seconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)};
}

struct load_command {
  server_options server;
  load_options load;
  double seconds = 5;
  double warmup = 1;

  explicit load_command(CLI::App& app) {
    auto& command = *app.add_subcommand("load", "many callers, CPU per append and answer, latency");
    server.add_to(command);
    const std::map<std::string, regime> names{{"closed", regime::closed}, {"paced", regime::paced}};
    command.add_option("--regime", load.regime, "closed or paced")->transform(CLI::CheckedTransformer(names));
    command.add_option("--connections", load.connections, "callers")->check(CLI::PositiveNumber);
    command.add_option("--seconds", seconds, "measured time")->check(CLI::PositiveNumber);
    command.add_option("--warmup", warmup, "seconds before it")->check(CLI::NonNegativeNumber);
    command.callback([this] { run(); });
  }

  void run() {
    raise_file_limit();
    load.to = parse_url(server.url);
    load.server = server.pid;
    load.converses = !server.raw;
    load.warmup = to_ms(warmup);
    load.measured = to_ms(seconds);
    const auto result = run_load(load);
    std::cout << "answers " << result.answers << " in " << result.seconds << " s, server " << result.cpu_us_per_answer
              << " us each (" << result.cores << " cores); latency ms p50 " << result.latency.quantile_ms(0.5)
              << " p99 " << result.latency.quantile_ms(0.99) << " p99.9 " << result.latency.quantile_ms(0.999) << '\n';
  }
};

struct idle_command {
  server_options server;
  idle_options idle;

  explicit idle_command(CLI::App& app) {
    auto& command = *app.add_subcommand("idle", "server memory per session, idle and after one append");
    server.add_to(command);
    command.add_option("--connections", idle.connections, "sessions")->check(CLI::PositiveNumber);
    command.callback([this] { run(); });
  }

  void run() {
    raise_file_limit();
    idle.to = parse_url(server.url);
    idle.server = server.pid;
    idle.converses = !server.raw;
    const auto result = run_idle(idle);
    std::cout << "KiB per session: idle " << result.idle_kib << ", after one append " << result.after_append_kib
              << '\n';
  }
};

struct compare_command {
  compare_options compare;
  double seconds = 5;
  double warmup = 1;
  bool anywhere = false;

  explicit compare_command(CLI::App& app) {
    auto& command = *app.add_subcommand("compare", "parley against the raw relay, interleaved rounds");
    command.add_option("--baseline", compare.baseline, "parley-bench-baseline")->required();
    command.add_option("--parley", compare.parley, "parley")->required();
    command.add_option("--config", compare.config, "of parley")->capture_default_str();
    command.add_option("--model", compare.model, "its echo model")->capture_default_str();
    command.add_option("--rounds", compare.rounds, "of both servers and all workloads")->check(CLI::PositiveNumber);
    command.add_option("--connections", compare.closed_connections, "closed regime")->check(CLI::PositiveNumber);
    command.add_option("--sessions", compare.paced_sessions, "paced regime; several = several workloads");
    command.add_option("--seconds", seconds, "measured time of a run")->check(CLI::PositiveNumber);
    command.add_option("--warmup", warmup, "seconds before it")->check(CLI::NonNegativeNumber);
    command.add_flag("--anywhere", anywhere, "do not pin server and callers to a core each");
    command.add_flag("--fifo", compare.fifo, "real-time scheduling, where other work disturbs (root)");
    command.callback([this] { run(); });
  }

  void run() {
    compare.warmup = to_ms(warmup);
    compare.measured = to_ms(seconds);
    compare.pinned = !anywhere;
    run_compare(compare, std::cout);
  }
};

struct interrupt_command {
  interrupt_options interrupt;
  double seconds = 3;

  explicit interrupt_command(CLI::App& app) {
    auto& command = *app.add_subcommand("interrupt", "stale audio after a cancel over slow links (root, iproute2)");
    interrupt.parley = beside_this_program("parley");
    interrupt.baseline = beside_this_program("parley-bench-baseline");
    command.add_option("--parley", interrupt.parley, "parley")->capture_default_str();
    command.add_option("--baseline", interrupt.baseline, "parley-bench-baseline")->capture_default_str();
    command.add_option("--mbit", interrupt.megabits_per_second, "rates of the link")->check(CLI::Range(0.1, 1000.0));
    command.add_option("--rounds", interrupt.rounds, "of each server on each link")->check(CLI::PositiveNumber);
    command.add_option("--seconds", seconds, "of the answer before the cancel")->check(CLI::PositiveNumber);
    command.callback([this] { run(); });
  }

  void run() {
    interrupt.before_cancel = to_ms(seconds);
    run_interrupt(interrupt, std::cout);
  }
};

struct soak_command {
  soak_options soak;
  int seconds = 60;
  bool passed = true;

  explicit soak_command(CLI::App& app) {
    auto& command =
        *app.add_subcommand("soak", "callers at their worst against a parley of its own; 1 if it gives way");
    soak.parley = beside_this_program("parley");
    soak.seed = std::random_device{}();
    command.add_option("--parley", soak.parley, "parley")->capture_default_str();
    command.add_option("--sessions", soak.sessions, "at once")->check(CLI::PositiveNumber);
    command.add_option("--seconds", seconds, "before they leave")->check(CLI::PositiveNumber);
    command.add_option("--seed", soak.seed, "of a run to be repeated; else random, and printed");
    command.callback([this] { run(); });
  }

  void run() {
    soak.length = std::chrono::seconds{seconds};
    passed = run_soak(soak, std::cout);
  }
};

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Load and comparison for parley", "parley-bench");
  app.require_subcommand(1);
  const load_command load(app);
  const idle_command idle(app);
  const compare_command compare(app);
  const interrupt_command interrupt(app);
  const soak_command soak(app);
  CLI11_PARSE(app, argc, argv);
  return soak.passed ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "parley-bench: " << error.what() << '\n';
  return 1;
}
