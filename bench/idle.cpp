#include "bench/idle.hpp"

#include "bench/dialogue.hpp"
#include "bench/process.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <vector>

namespace parley::bench {
namespace {

double kib_per_session(std::size_t now_bytes, std::size_t before_bytes, std::size_t sessions) {
  return (static_cast<double>(now_bytes) - static_cast<double>(before_bytes)) / 1024 / static_cast<double>(sessions);
}

task<void> append_once(client& caller, bool converses) {
  if (converses) co_await begin_response(caller);
  co_await caller.send(append_message());
  co_await await_delta(caller);
}

// REQUIRES: `callers` and `result` outlive the task; the callers stay open after it.
task<void> measure(const idle_options& options, std::vector<client>& callers, idle_result& result) {
  const auto before = resident_bytes(options.server);
  for (auto& caller : callers) {
    co_await caller.open(options.to);
    if (options.converses) co_await caller.read();  // session.created: the session exists
  }
  result.idle_kib = kib_per_session(resident_bytes(options.server), before, callers.size());
  for (auto& caller : callers) co_await append_once(caller, options.converses);
  result.after_append_kib = kib_per_session(resident_bytes(options.server), before, callers.size());
}

}  // namespace

idle_result run_idle(const idle_options& options) {
  asio::io_context context(1);
  std::vector<client> callers;
  for (std::size_t i = 0; i < options.connections; ++i) callers.emplace_back(context.get_executor());
  idle_result result;
  std::exception_ptr failure;
  asio::co_spawn(context.get_executor(), measure(options, callers, result),
                 [&](const std::exception_ptr& thrown) { failure = thrown; });
  context.run();
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace parley::bench
