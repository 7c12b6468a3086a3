// A session of the duplex dialect from its client's side, over as many sockets as it takes: it opens, resumes after a
// lost socket or takes over from one that is still there, and hands every event that counts to its checks once.
//
//   open -> [ send ... | lose -> resume | take over ] ... -> close, or lose and see it expire
//
// What a socket receives after it was lost or taken over from does not count: its successor gets it again.
// Lifecycle: the coroutines of its sockets refer to it; it goes with the run. Errors: a promise that is broken is told
// to `violated`; a wait that takes too long too.
#pragma once

#include "bench/client.hpp"
#include "bench/duplex_checks.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parley::bench {

enum class socket_loss : std::uint8_t { fin, rst };

class duplex_client {
 public:
  duplex_client(const executor& on, server_url to, duplex_counts& counts,
                std::function<void(const std::string&)> violated);
  duplex_client(const duplex_client&) = delete;
  duplex_client& operator=(const duplex_client&) = delete;

  // Each is true when what it says has happened.
  [[nodiscard]] task<bool> open(std::string_view session);  // JSON of the session's settings; session.updated came
  [[nodiscard]] task<bool> resume();                        // session.resumed came
  [[nodiscard]] task<bool> take_over();                     // ... and session.replaced on the old socket, and its end
  [[nodiscard]] task<bool> close();                         // session.closed, then the socket's end
  [[nodiscard]] task<bool> is_expired();                    // a resume is told session_resume_expired
  [[nodiscard]] task<bool> is_refused(std::string_view code);  // an open is told that error
  // A socket that was lost meanwhile takes nothing.
  [[nodiscard]] task<void> send(std::string text);
  void lose(socket_loss how);

  [[nodiscard]] const duplex_checks& events() const noexcept { return checks_; }

 private:
  // One socket. Its events count while it is the current one.
  struct attachment {
    explicit attachment(const executor& on) : socket(on) {}

    client socket;
    bool counts = true;
    bool ended = false;
    std::vector<std::string> seen{};  // types; of an error its code
    [[nodiscard]] bool has(std::string_view type) const;
  };

  [[nodiscard]] task<bool> connect(std::string_view query);
  void start_reading(attachment& from);
  task<void> read(attachment& from);
  void on_message(attachment& from, std::string_view message);
  [[nodiscard]] task<bool> until(std::function<bool()> condition, std::string what);
  [[nodiscard]] task<bool> attach(std::string_view answer);
  [[nodiscard]] attachment& current() { return *sockets_.back(); }

  const executor executor_;
  const server_url to_;
  const std::function<void(const std::string&)> violated_;
  duplex_checks checks_;
  std::string id_{};
  std::string token_{};
  std::int64_t generation_ = 0;
  std::vector<std::unique_ptr<attachment>> sockets_{};  // the last is the current one
  // Thread safety: none; used on its executor.
};

}  // namespace parley::bench
