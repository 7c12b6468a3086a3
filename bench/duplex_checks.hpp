// Holds what one session of the duplex dialect is sent, over all its sockets, against the promises that a client relies
// on: no event lost or doubled, audio exact to the sample, every response ended once, nothing of an interrupted one
// after its end. Knows no socket: the events are given in the order in which they were received and counted.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parley::bench {

// What came, for the summary; added up over all sessions.
struct duplex_counts {
  std::uint64_t events = 0;
  std::uint64_t responses = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t listens = 0;
  std::uint64_t audio_samples = 0;
  std::uint64_t refusals = 0;  // errors that a random client earns
};

class duplex_checks {
 public:
  // `violated` is told of every broken promise, in words. It and `counts` outlive this.
  duplex_checks(duplex_counts& counts, std::function<void(const std::string&)> violated)
      : counts_(counts), violated_(std::move(violated)) {}

  void on(const boost::json::object& event);
  // session.closed came, or will not come: nothing may be open.
  void end();

  [[nodiscard]] std::int64_t last_number() const noexcept { return last_number_; }
  [[nodiscard]] bool responding() const noexcept { return !active_.empty(); }
  [[nodiscard]] const std::string& last_response() const noexcept { return last_response_; }

 private:
  void check_number(const boost::json::object& event, std::string_view type);
  void check_response(const boost::json::object& event, std::string_view type);
  void check_audio(const boost::json::object& event);
  void check_error(const boost::json::object& event);
  void begin_response(const std::string& id);
  void end_response(const boost::json::object& event, const std::string& id);

  duplex_counts& counts_;
  std::function<void(const std::string&)> violated_;
  std::int64_t last_number_ = 0;
  std::string active_{};          // id of the response that is open
  std::string last_response_{};   // the last with audio
  std::int64_t next_sample_ = 0;  // of its audio
  std::int64_t cancelled_epoch_ = -1;
  std::set<std::string> ended_{};
  bool closed_ = false;
  std::vector<std::uint8_t> pcm_{};  // of the delta that is looked at
  // Thread safety: none.
};

}  // namespace parley::bench
