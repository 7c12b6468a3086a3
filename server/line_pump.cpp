#include "server/line_pump.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace parley::server {

namespace {

// How long the end of the program waits for its last lines.
constexpr std::chrono::seconds last_words_time{1};
// How often the thread looks whether it is to stop while the reader does not read.
constexpr int look_ms = 50;

// Of a pipe, at least one page is free when poll() says so; more than PIPE_BUF bytes could wait for their room.
std::string_view next_piece(std::string_view text) {
  if (text.size() <= PIPE_BUF) return text;
  const auto end = text.rfind('\n', PIPE_BUF - 1);
  return text.substr(0, end == text.npos ? PIPE_BUF : end + 1);
}

std::string notice_of(std::size_t dropped) {
  return "parley: " + std::to_string(dropped) + " lines of the log were dropped: its reader was too slow\n";
}

}  // namespace

struct line_pump::state {
  state(int to, std::size_t most) : descriptor(to), bound_bytes(most) {}

  // Constant after construction.
  const int descriptor;
  const std::size_t bound_bytes;
  // Guarded by m.
  std::mutex m;
  std::condition_variable changed;
  std::string waiting;
  std::size_t dropped = 0;
  bool writing = false;
  bool gone = descriptor < 0;  // the reader, for good
  bool stopping = false;
  std::chrono::steady_clock::time_point give_up = std::chrono::steady_clock::time_point::max();

  bool must_end() {
    const std::lock_guard lock(m);
    return std::chrono::steady_clock::now() >= give_up;
  }
  // False: the reader has gone, or it is time to end.
  bool wait_for_room() {
    while (true) {
      pollfd look{.fd = descriptor, .events = POLLOUT, .revents = 0};
      const int ready = ::poll(&look, 1, look_ms);
      if (ready > 0) return (look.revents & (POLLERR | POLLNVAL)) == 0;
      if (ready < 0 && errno != EINTR) return false;
      if (must_end()) return false;
    }
  }
  // False when nothing can be written any more.
  bool write_all(std::string_view text) {
    while (!text.empty()) {
      if (!wait_for_room()) return false;
      const auto piece = next_piece(text);
      const auto written = ::write(descriptor, piece.data(), piece.size());
      if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (written < 0 && errno != EPIPE && errno != EBADF)
        return true;  // a full disk: these lines are lost, not the log
      if (written < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
};

line_pump::line_pump(int descriptor, std::size_t bound_bytes)
    : state_(std::make_shared<state>(descriptor, bound_bytes)) {
  // Apart from its owner: it may hang in a write for good.
  std::thread([shared = state_] { run(shared); }).detach();
}

line_pump::~line_pump() {
  {
    const std::lock_guard lock(state_->m);
    state_->stopping = true;
    state_->give_up = std::chrono::steady_clock::now() + last_words_time;
  }
  state_->changed.notify_all();
  wait_written(last_words_time + std::chrono::milliseconds(2 * look_ms));
}

void line_pump::put(std::string_view line) {
  {
    const std::lock_guard lock(state_->m);
    if (state_->gone) return;
    if (state_->waiting.size() + line.size() > state_->bound_bytes) {
      ++state_->dropped;
      return;
    }
    if (state_->dropped != 0) state_->waiting += notice_of(std::exchange(state_->dropped, 0));
    state_->waiting += line;
  }
  state_->changed.notify_all();
}

bool line_pump::wait_written(std::chrono::steady_clock::duration limit) {
  std::unique_lock lock(state_->m);
  return state_->changed.wait_for(lock, limit,
                                  [this] { return (state_->waiting.empty() && !state_->writing) || state_->gone; });
}

void line_pump::run(const std::shared_ptr<state>& shared) {
  // A reader that has gone is an error of write() here, whatever the program does about the signal.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(shared->m);
  while (true) {
    shared->changed.wait(lock, [&] { return !shared->waiting.empty() || shared->dropped != 0 || shared->stopping; });
    if (shared->waiting.empty() && shared->dropped != 0) {
      shared->waiting = notice_of(std::exchange(shared->dropped, 0));
    }
    if (shared->waiting.empty()) return;
    const auto text = std::exchange(shared->waiting, {});
    shared->writing = true;
    lock.unlock();
    const bool written = shared->write_all(text);
    lock.lock();
    shared->writing = false;
    shared->gone = shared->gone || !written;
    if (shared->gone) shared->waiting = {};
    shared->changed.notify_all();
    if (shared->gone) return;
  }
}

}  // namespace parley::server
