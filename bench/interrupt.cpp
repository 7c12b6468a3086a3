#include "bench/interrupt.hpp"

#include "bench/dialogue.hpp"
#include "bench/link.hpp"
#include "bench/median.hpp"
#include "bench/process.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace parley::bench {
namespace {

constexpr double pcm_bytes_per_ms = 48;  // 24 kHz, 16 bit
constexpr std::chrono::seconds patience{60};
constexpr std::chrono::milliseconds spread{70};  // no round cancels at the same point of a delta
constexpr std::string_view cancel_message = R"({"type":"response.cancel"})";

struct stale_audio {
  std::size_t wire_bytes = 0;  // of whole messages
  double audio_ms = 0;
  double done_ms = 0;  // from the cancel to the end of the response
};

struct situation {
  std::string name;
  std::vector<std::string> command;
  std::string query{};
  bool converses = true;  // else it sends from the start
};

double audio_ms_of(std::string_view message) {
  constexpr std::string_view key = R"("delta":")";
  const auto start = message.find(key);
  if (start == std::string_view::npos) return 0;
  const auto begin = start + key.size();
  return static_cast<double>(message.find('"', begin) - begin) * 3 / 4 / pcm_bytes_per_ms;
}

// One call: it asks, reads, interrupts and reads on until the response is done.
class interrupted_call {
 public:
  interrupted_call(const server_url& to, bool converses, std::chrono::milliseconds before_cancel)
      : to_(to), converses_(converses), before_cancel_(before_cancel) {}

  stale_audio run() {
    start(converse());
    context_.run_for(patience + before_cancel_);
    if (failure_) std::rethrow_exception(failure_);
    if (!result_) throw std::runtime_error("the response did not end after its cancel");
    return *result_;
  }

 private:
  void start(task<void> work) {
    asio::co_spawn(context_.get_executor(), std::move(work), [this](const std::exception_ptr& failure) {
      if (failure && !failure_) failure_ = failure;
      if (failure || result_) context_.stop();
    });
  }

  task<void> converse() {
    co_await caller_.open(to_);
    if (converses_) co_await begin_response(caller_);
    start(cancel());
    stale_audio found;
    for (;;) {
      const auto message = co_await caller_.read();
      if (cancelled_ && is_audio_delta(message)) {
        found.wire_bytes += message.size();
        found.audio_ms += audio_ms_of(message);
      }
      if (!is_response_done(message)) continue;
      if (!cancelled_) throw std::runtime_error("the answer was over before it could be interrupted");
      found.done_ms = std::chrono::duration<double, std::milli>(clock::now() - *cancelled_).count();
      result_ = found;
      co_return;
    }
  }

  task<void> cancel() {
    steady_timer timer(context_.get_executor(), clock::now() + before_cancel_);
    co_await timer.async_wait(awaited);
    cancelled_ = clock::now();
    co_await caller_.send(cancel_message);
  }

  const server_url to_;
  const bool converses_;
  const std::chrono::milliseconds before_cancel_;
  asio::io_context context_{1};
  client caller_{context_.get_executor()};
  std::optional<clock::time_point> cancelled_;
  std::optional<stale_audio> result_;
  std::exception_ptr failure_;
  // Thread safety: none; run() is the only thread.
};

// A model that makes audio faster than any of the links takes it, for much longer than it is listened to. Not all of it
// at once: without pacing the response would be over, and nothing left to cancel, when its audio is in the queue.
std::vector<std::string> parley_command(const std::string& program, const std::vector<std::string>& settings) {
  std::vector<std::string> command{program, "--listen", std::string(slow_link::server_address) + ":0", "--model",
                                   "scripted"};
  const auto set = [&](const std::string& setting) { command.insert(command.end(), {"--set", setting}); };
  set("auth.allow_anonymous=true");
  set("server.threads=1");
  set("models.scripted.rate=30");
  set("models.scripted.ms_per_word=60000");
  set("models.scripted.replies=[{text: one two three four five six seven eight nine ten}]");
  for (const auto& setting : settings) set(setting);
  return command;
}

std::vector<situation> make_situations(const interrupt_options& options) {
  const std::string query = "?model=scripted";
  return {{"parley, paced 400 ms", parley_command(options.parley, {"delivery.pace_ahead_ms=400"}), query},
          // Room for all of the answer in the queue: the kernel gets as much of it as it takes.
          {"parley, not paced",
           parley_command(options.parley,
                          {"delivery.pace_ahead_ms=0", "delivery.max_bytes=1000000000", "delivery.max_events=1000000",
                           "delivery.outbox_high_audio_ms=3600000", "delivery.outbox_high_bytes=1000000000"}),
           query},
          {"default sockets",
           {options.baseline, "--stream", "--listen", std::string(slow_link::server_address) + ":0"},
           "",
           false}};
}

class measurement {
 public:
  measurement(const interrupt_options& options, std::ostream& out) : options_(options), out_(out) {}

  void run() {
    show_header("link Mbit/s  server                 round");
    for (const auto rate : options_.megabits_per_second) {
      link_.set_rate(rate);
      for (const auto& one : make_situations(options_)) measure(rate, one);
    }
    out_ << "\nmedians of " << options_.rounds << " (congestion control: " << congestion_control() << ")\n";
    show_header("link Mbit/s  server                      ");
    for (const auto& one : medians_) show(one.rate, one.name, "", one.found);
  }

 private:
  struct line {
    double rate;
    std::string name;
    stale_audio found;
  };

  void measure(double rate, const situation& of) {
    std::vector<stale_audio> all;
    for (std::size_t round = 1; round <= options_.rounds; ++round) {
      all.push_back(call(of, options_.before_cancel + spread * static_cast<int>(round - 1)));
      show(rate, of.name, std::to_string(round), all.back());
    }
    const auto middle = [&](auto value) {
      std::vector<double> values;
      for (const auto& one : all) values.push_back(static_cast<double>(one.*value));
      return median(values);
    };
    medians_.push_back({rate,
                        of.name,
                        {static_cast<std::size_t>(middle(&stale_audio::wire_bytes)), middle(&stale_audio::audio_ms),
                         middle(&stale_audio::done_ms)}});
  }

  stale_audio call(const situation& of, std::chrono::milliseconds before_cancel) {
    std::unique_ptr<server_process> server;
    link_.at_server([&] { server = std::make_unique<server_process>(of.command, placement{}); });
    auto to = parse_url(server->url());
    to.target += of.query;
    return interrupted_call(to, of.converses, before_cancel).run();
  }

  static std::string congestion_control() {
    std::string name;
    std::ifstream("/proc/sys/net/ipv4/tcp_congestion_control") >> name;
    return name;
  }

  void show_header(const char* first) {
    out_ << first << "  stale KB  stale ms of audio  ms to response.done" << std::endl;
  }

  void show(double rate, const std::string& name, const std::string& round, const stale_audio& found) {
    out_ << std::fixed << std::left << std::setprecision(1) << std::setw(13) << rate << std::setw(23) << name
         << std::setw(5) << round << std::right << std::setprecision(0) << std::setw(10)
         << static_cast<double>(found.wire_bytes) / 1000 << std::setw(19) << found.audio_ms << std::setprecision(1)
         << std::setw(21) << found.done_ms << std::endl;
  }

  const interrupt_options options_;
  std::ostream& out_;
  slow_link link_;
  std::vector<line> medians_{};
};

}  // namespace

void run_interrupt(const interrupt_options& options, std::ostream& out) { measurement(options, out).run(); }

}  // namespace parley::bench
