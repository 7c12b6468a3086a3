#include "bench/load.hpp"

#include "bench/dialogue.hpp"
#include "bench/process.hpp"

#include <boost/asio/co_spawn.hpp>

#include <deque>
#include <exception>
#include <stdexcept>
#include <vector>

namespace parley::bench {
namespace {

constexpr std::chrono::milliseconds append_period{200};

struct caller {
  explicit caller(const executor& on) : connection(on) {}

  client connection;
  std::deque<clock::time_point> due{};  // of the appends that are not answered yet, oldest first
  int appends = 0;
};

// One run. The coroutines refer to it; it ends when conduct() stops the context, and they go with the context.
class load_run {
 public:
  explicit load_run(const load_options& options) : options_(options) {
    for (std::size_t i = 0; i < options.connections; ++i) callers_.emplace_back(context_.get_executor());
  }

  load_result run() {
    start(conduct());
    context_.run();
    if (failure_) std::rethrow_exception(failure_);
    return result_;
  }

 private:
  void start(task<void> work) {
    asio::co_spawn(context_.get_executor(), std::move(work), [this](const std::exception_ptr& failure) {
      if (!failure || failure_) return;
      failure_ = failure;
      context_.stop();
    });
  }

  task<void> conduct() {
    for (auto& one : callers_) {
      co_await one.connection.open(options_.to);
      if (options_.converses) co_await begin_response(one.connection);
    }
    begin_traffic();
    co_await wait_until(clock::now() + options_.warmup);
    co_await measure();
    context_.stop();
  }

  void begin_traffic() {
    const auto begin = clock::now();
    const auto count = static_cast<std::int64_t>(callers_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      auto& one = callers_[static_cast<std::size_t>(i)];
      if (options_.regime == regime::closed) {
        start(take_turns(one));
      } else {
        start(send_paced(one, begin + append_period * i / count));
        start(read_answers(one));
      }
    }
  }

  task<void> measure() {
    const double cpu_before = cpu_seconds(options_.server);
    const auto begin = clock::now();
    measuring_ = true;
    co_await wait_until(begin + options_.measured);
    measuring_ = false;
    const double cpu = cpu_seconds(options_.server) - cpu_before;
    result_.seconds = std::chrono::duration<double>(clock::now() - begin).count();
    result_.cores = cpu / result_.seconds;
    if (result_.answers == 0) throw std::runtime_error("no append was answered");
    result_.cpu_us_per_answer = cpu * 1e6 / static_cast<double>(result_.answers);
  }

  task<void> wait_until(clock::time_point when) {
    steady_timer timer(context_.get_executor(), when);
    co_await timer.async_wait(awaited);
  }

  task<void> take_turns(caller& one) {
    for (;;) {
      one.due.push_back(clock::now());
      co_await send_append(one);
      co_await await_delta(one.connection);
      note_answer(one);
    }
  }

  task<void> send_paced(caller& one, clock::time_point due) {
    steady_timer timer(context_.get_executor());
    for (;; due += append_period) {
      timer.expires_at(due);
      co_await timer.async_wait(awaited);
      one.due.push_back(due);
      co_await send_append(one);
    }
  }

  task<void> read_answers(caller& one) {
    for (;;) {
      co_await await_delta(one.connection);
      note_answer(one);
    }
  }

  task<void> send_append(caller& one) {
    co_await one.connection.send(append_message());
    if (options_.converses && ++one.appends % appends_between_clears == 0) co_await one.connection.send(clear_message);
  }

  void note_answer(caller& one) {
    if (one.due.empty()) throw std::runtime_error("a delta that no append asked for");
    const auto due = one.due.front();
    one.due.pop_front();
    if (!measuring_) return;
    ++result_.answers;
    result_.latency.add(clock::now() - due);
  }

  const load_options options_;
  asio::io_context context_{1};  // before the sockets of it
  std::deque<caller> callers_{};
  bool measuring_ = false;
  load_result result_;
  std::exception_ptr failure_;
  // Thread safety: none; run() is the only thread.
};

}  // namespace

load_result run_load(const load_options& options) { return load_run(options).run(); }

}  // namespace parley::bench
