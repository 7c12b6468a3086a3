#include "bench/compare.hpp"

#include "bench/load.hpp"
#include "bench/median.hpp"
#include "bench/process.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace parley::bench {
namespace {

struct workload {
  bench::regime regime;
  std::size_t connections;

  [[nodiscard]] std::string name() const {
    return (regime == regime::closed ? "closed " : "paced ") + std::to_string(connections);
  }
};

// A workload's cost per append and delta, round by round.
struct costs {
  std::vector<double> baseline_us{};
  std::vector<double> parley_us{};
};

class comparison {
 public:
  comparison(const compare_options& options, std::ostream& out) : options_(options), out_(out) {
    server_place_.fifo = options.fifo;
    if (options.pinned) server_place_.core = 0;
  }

  void run() {
    raise_file_limit();
    place({options_.pinned ? std::optional<int>{1} : std::nullopt, options_.fifo});
    const auto workloads = make_workloads();
    std::vector<costs> all(workloads.size());
    out_ << "round  workload        server     us/append  appends/s  cores  p50 ms  p99 ms  p99.9 ms\n";
    for (std::size_t round = 1; round <= options_.rounds; ++round) {
      for (std::size_t i = 0; i < workloads.size(); ++i) {
        all[i].baseline_us.push_back(measure(round, workloads[i], false));
        all[i].parley_us.push_back(measure(round, workloads[i], true));
      }
    }
    out_ << "\nworkload        baseline us  parley us  ratio: median (min..max)\n";
    for (std::size_t i = 0; i < workloads.size(); ++i) summarise(workloads[i], all[i]);
  }

 private:
  [[nodiscard]] std::vector<workload> make_workloads() const {
    std::vector<workload> made{{regime::closed, options_.closed_connections}};
    for (const auto sessions : options_.paced_sessions) made.push_back({regime::paced, sessions});
    return made;
  }

  [[nodiscard]] std::vector<std::string> baseline_command() const {
    return {options_.baseline, "--listen", "127.0.0.1:0", "--threads", "1"};
  }

  // Pacing would hold back what comes faster than it plays, so it is off where the callers saturate the server.
  [[nodiscard]] std::vector<std::string> parley_command(regime of) const {
    const std::string pace = of == regime::closed ? "0" : "400";
    return {options_.parley,
            "--config",
            options_.config,
            "--listen",
            "127.0.0.1:0",
            "--model",
            options_.model,
            "--set",
            "server.threads=1",
            "--set",
            "delivery.pace_ahead_ms=" + pace};
  }

  double measure(std::size_t round, const workload& work, bool of_parley) {
    const server_process server(of_parley ? parley_command(work.regime) : baseline_command(), server_place_);
    load_options load;
    load.to = parse_url(server.url());
    if (of_parley) load.to.target += "?model=" + options_.model;
    load.regime = work.regime;
    load.connections = work.connections;
    load.warmup = options_.warmup;
    load.measured = options_.measured;
    load.server = server.pid();
    load.converses = of_parley;
    const auto result = run_load(load);
    show(round, work, of_parley ? "parley" : "baseline", result);
    return result.cpu_us_per_answer;
  }

  void show(std::size_t round, const workload& work, const char* server, const load_result& result) {
    out_ << std::fixed << std::left << std::setw(7) << round << std::setw(16) << work.name() << std::setw(11) << server
         << std::right << std::setprecision(2) << std::setw(9) << result.cpu_us_per_answer << std::setprecision(0)
         << std::setw(11) << static_cast<double>(result.answers) / result.seconds << std::setprecision(2)
         << std::setw(7) << result.cores << std::setw(8) << result.latency.quantile_ms(0.5) << std::setw(8)
         << result.latency.quantile_ms(0.99) << std::setw(10) << result.latency.quantile_ms(0.999) << std::endl;
  }

  void summarise(const workload& work, const costs& of) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < of.parley_us.size(); ++i) ratios.push_back(of.parley_us[i] / of.baseline_us[i]);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    out_ << std::fixed << std::setprecision(2) << std::left << std::setw(16) << work.name() << std::right
         << std::setw(11) << median(of.baseline_us) << std::setw(11) << median(of.parley_us) << std::setw(9)
         << median(ratios) << " (" << *least << ".." << *most << ")" << std::endl;
  }

  const compare_options options_;
  std::ostream& out_;
  placement server_place_;
};

}  // namespace

void run_compare(const compare_options& options, std::ostream& out) { comparison(options, out).run(); }

}  // namespace parley::bench
