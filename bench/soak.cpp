#include "bench/soak.hpp"

#include "bench/process.hpp"
#include "bench/soak_caller.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <iomanip>
#include <map>
#include <ostream>
#include <thread>

namespace parley::bench {
namespace {

constexpr std::chrono::seconds grace{2};
constexpr std::chrono::seconds beat{1};                   // of the reaper
constexpr std::chrono::milliseconds expires_after{4000};  // grace, beat, and a busy machine
constexpr std::chrono::seconds settling{10};              // for sockets that are closing
constexpr std::chrono::seconds at_rest_for{1};
constexpr std::chrono::seconds patience{120};  // beyond the run
constexpr std::size_t shown_violations = 20;
constexpr std::string_view plain_session = R"({"model":"scripted-native"})";

struct holdings {
  std::size_t descriptors = 0;
  std::size_t threads = 0;

  bool operator==(const holdings&) const = default;
};

holdings holdings_of(pid_t pid) { return {open_descriptors(pid), thread_count(pid)}; }

class soak {
 public:
  soak(const soak_options& options, std::ostream& out) : options_(options), out_(out) {}

  bool run() {
    raise_file_limit();
    out_ << "seed " << options_.seed << ": " << options_.sessions << " sessions for " << options_.length.count() << " s"
         << std::endl;
    server_process server(command(), {});
    to_ = parse_url(server.url());
    to_.target += "?duplex=1";
    converse(open_all(1));  // what is made once is made
    const auto before = at_rest(server.pid());
    converse(soak_all());
    account();
    converse(open_all(options_.sessions));
    compare(before, at_rest(server.pid()));
    if (const int code = server.end(); code != 0) violated("the server ended with " + std::to_string(code));
    summarise();
    return violations_.empty();
  }

 private:
  [[nodiscard]] std::vector<std::string> command() const {
    std::vector<std::string> words{options_.parley, "--listen", "127.0.0.1:0", "--model", "scripted-native"};
    const auto set = [&](const std::string& setting) { words.insert(words.end(), {"--set", setting}); };
    set("limits.max_sessions=" + std::to_string(options_.sessions));
    set("limits.max_connections=" + std::to_string(options_.sessions * 4 + 100));
    set("resume.disconnect_grace_s=" + std::to_string(grace.count()));
    set("resume.reaper_s=" + std::to_string(beat.count()));
    set("models.scripted-native.chunk_period_ms=200");
    set("log.level=warn");
    return words;
  }

  void violated(const std::string& what) { ++violations_[what]; }
  [[nodiscard]] auto violation() {
    return [this](const std::string& what) { violated(what); };
  }

  void start(task<void> work) {
    asio::co_spawn(context_.get_executor(), std::move(work), [this](const std::exception_ptr& failure) {
      if (failure && !failure_) failure_ = failure;
    });
  }

  // Until everything that was started is over, readers included.
  void converse(task<void> work) {
    start(std::move(work));
    context_.restart();
    context_.run_for(options_.length + patience);
    if (!context_.stopped()) violated("a socket that the server never closed");
    if (failure_) std::rethrow_exception(failure_);
  }

  task<void> soak_all() {
    const auto until = clock::now() + options_.length;
    for (std::size_t i = 0; i < options_.sessions; ++i) {
      auto& one =
          callers_.emplace_back(context_.get_executor(), to_, options_.seed + i, expires_after, counts_, violation());
      start(one.run(until));
    }
    co_return;
  }

  // So many fit, and no more where that is the limit.
  task<void> open_all(std::size_t count) {
    std::vector<duplex_client*> open;
    for (std::size_t i = 0; i < count; ++i) {
      auto& one = probes_.emplace_back(context_.get_executor(), to_, probe_counts_, violation());
      const bool fits = co_await one.open(plain_session);
      if (fits) open.push_back(&one);
    }
    if (count == options_.sessions) {
      auto& one = probes_.emplace_back(context_.get_executor(), to_, probe_counts_, violation());
      const bool refused = co_await one.is_refused("resource_exhausted");
      if (!refused) violated("one session more than the limit is not refused");
    }
    if (open.size() != count) violated("only " + std::to_string(open.size()) + " slots are free afterwards");
    for (auto* one : open) {
      const bool closed = co_await one->close();
      if (!closed) violated("a session that does not close");
    }
  }

  void account() {
    const auto ended = counts_.closed + counts_.expired;
    if (ended != counts_.opened) {
      violated(std::to_string(counts_.opened) + " sessions opened, " + std::to_string(ended) + " closed or expired");
    }
  }

  // Once it does not change any more: sockets take a moment to close.
  [[nodiscard]] static holdings at_rest(pid_t pid) {
    holdings last = holdings_of(pid);
    const auto end = clock::now() + settling;
    for (auto same_since = clock::now(); clock::now() < std::min(end, same_since + at_rest_for);) {
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      const auto now = holdings_of(pid);
      if (!(now == last)) same_since = clock::now();
      last = now;
    }
    return last;
  }

  void compare(const holdings& before, const holdings& after) {
    out_ << "descriptors " << before.descriptors << " -> " << after.descriptors << ", threads " << before.threads
         << " -> " << after.threads << '\n';
    if (!(before == after)) violated("the server holds other descriptors or threads than before");
  }

  void summarise() {
    const auto row = [&](const char* name, std::uint64_t value) {
      out_ << std::left << std::setw(24) << name << std::right << std::setw(12) << value << '\n';
    };
    row("sessions opened", counts_.opened);
    row("  closed", counts_.closed);
    row("  expired", counts_.expired);
    row("sockets lost by RST", counts_.lost_by_rst);
    row("  by FIN", counts_.lost_by_fin);
    row("resumed", counts_.resumed);
    row("taken over", counts_.taken_over);
    row("appends", counts_.appends);
    row("events", counts_.events.events);
    row("responses", counts_.events.responses);
    row("  cancelled", counts_.events.cancelled);
    row("listens", counts_.events.listens);
    row("seconds of audio", counts_.events.audio_samples / 24000);
    row("refusals (earned)", counts_.events.refusals);
    std::size_t total = 0;
    for (const auto& [what, times] : violations_) total += times;
    row("violations", total);
    std::size_t left = shown_violations;
    for (const auto& [what, times] : violations_) {
      if (left-- == 0) break;
      out_ << "  " << times << " x " << what << '\n';
    }
    out_ << (violations_.empty() ? "PASSED" : "FAILED") << std::endl;
  }

  const soak_options options_;
  std::ostream& out_;
  asio::io_context context_{1};  // before the sockets of it
  server_url to_{};
  soak_counts counts_{};
  duplex_counts probe_counts_{};
  std::deque<soak_caller> callers_{};
  std::deque<duplex_client> probes_{};
  std::map<std::string, std::size_t> violations_{};
  std::exception_ptr failure_{};
  // Thread safety: none; run() is the only thread.
};

}  // namespace

bool run_soak(const soak_options& options, std::ostream& out) { return soak(options, out).run(); }

}  // namespace parley::bench
