// Runs a task on the thread of another executor and waits for it there: how a session and a socket that live on two
// threads use each other. On the own thread it is a plain co_await.
#pragma once

#include "server/executor.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include <utility>

namespace parley::server {

// Cancellation: on another thread it is let run to its end, because a cancellation may only be sent on the thread that
// is cancelled. So what is given must have an end of its own.
// Lifetime: what `work` refers to outlives it; the caller waits, also when it was cancelled.
template <class T>
task<T> run_on(executor where, task<T> work) {
  if (where.running_in_this_thread()) co_return co_await std::move(work);
  co_return co_await asio::co_spawn(where, std::move(work),
                                    asio::bind_cancellation_slot(asio::cancellation_slot{}, awaited));
}

}  // namespace parley::server
