// Drives a session by hand: a fake clock, ears that read the probability of speech from the loudness of a frame, a
// writer that sequences what is emitted, and names for what a model answers. Every action is kept. When it goes it
// checks the whole log with event_log, so each test that uses it tests those invariants too.
#pragma once

#include "runtime/session.hpp"
#include "tests/runtime/event_log.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parley::runtime {
// Everything an action holds, ids and a digest of the samples included: equal text, equal action.
std::ostream& operator<<(std::ostream& out, const action& one);
}  // namespace parley::runtime

namespace parley::tests {

using namespace std::chrono_literals;
using samples = std::vector<std::int16_t>;

inline constexpr int wire_hz = 24000;

// Frames with this level or more are speech at the default threshold of 0.5; the probability is level / 10000.
[[nodiscard]] samples voice(std::chrono::milliseconds length, std::int16_t level = 8000, int rate_hz = wire_hz);
[[nodiscard]] samples silence(std::chrono::milliseconds length, int rate_hz = wire_hz);
[[nodiscard]] samples operator+(samples left, const samples& right);
[[nodiscard]] std::string base64(const samples& audio);
[[nodiscard]] std::string base64(const std::vector<std::uint8_t>& bytes);

// A session without turn detection, unpaced; and one with server_vad and the default pacing.
[[nodiscard]] runtime::session_options manual_session();
[[nodiscard]] runtime::session_options vad_session();
// Of the duplex dialect: a model-native one in units of 200 ms that answers when asked, unpaced; input is 16 kHz.
[[nodiscard]] runtime::session_options duplex_session();
inline constexpr int duplex_hz = 16000;

class session_driver {
 public:
  explicit session_driver(runtime::session_options options = manual_session());
  session_driver(const session_driver&) = delete;
  ~session_driver();

  // ---- time
  [[nodiscard]] runtime::time_point now() const noexcept { return now_; }
  void advance(std::chrono::milliseconds by);                          // wakes the session at each deadline on the way
  [[nodiscard]] std::optional<std::chrono::milliseconds> due() const;  // from now

  // ---- the client
  using command_body = decltype(protocol::command::body);
  void send(command_body body, std::optional<std::string> event_id = std::nullopt);
  void update(protocol::session_patch patch) { send(protocol::session_update{std::move(patch)}); }
  void append(const samples& audio);  // at once, as one event
  void append_text(std::string_view base64_text, std::optional<std::string> event_id = std::nullopt);
  void say(const samples& audio);  // in pieces of 20 ms as time goes
  void commit(std::optional<std::string> event_id = std::nullopt) {
    send(protocol::input_audio_commit{}, std::move(event_id));
  }
  void ask(protocol::response_options options = {}) { send(protocol::response_create{std::move(options)}); }
  void cancel(std::optional<std::string> response = std::nullopt);
  void bad_message();
  [[nodiscard]] protocol::item_id write(std::string text, std::string id = {});  // a user message; its id

  // ---- the model; `one` is a request, by default the last
  using request = std::optional<runtime::response_request>;
  void speak(std::chrono::milliseconds length, std::string words = {}, const request& one = {});
  void speak(samples audio, std::string words, const request& one = {});
  void text(std::string words, const request& one = {});
  void call(std::string id, std::string name, std::string arguments, bool last = true, const request& one = {});
  void done(runtime::finish_reason reason = runtime::finish_reason::stop, const request& one = {});
  void failed(const request& one = {});
  void output(runtime::model_output value);
  void understood(std::string transcript);  // the last ended turn
  // Native: the decision on the last unit.
  void listens();
  void speaks();
  void unit_fails();
  void blank();
  // A spoken answer from request to response.done, sequenced and played.
  void answer(std::chrono::milliseconds length, std::string words = "Hello there.");

  // ---- the server
  void drain();
  void close(runtime::close_reason reason);
  void overflow(std::optional<protocol::response_id> response);
  void hold_writer() { holding_ = true; }
  void release_writer();

  // ---- what came out, since the last fresh() or from the start
  void fresh() { seen_ = log_.size(); }
  [[nodiscard]] std::vector<std::string> types() const;  // wire types of the events
  [[nodiscard]] std::vector<std::string> print() const;  // every action
  template <class Body>
  [[nodiscard]] std::vector<Body> events() const;
  template <class Action>
  [[nodiscard]] std::vector<Action> actions() const;
  template <class Body>
  [[nodiscard]] Body only() const;                        // there must be exactly one
  [[nodiscard]] std::vector<std::string> errors() const;  // their codes
  [[nodiscard]] std::string words() const;                // joined text and transcript deltas
  [[nodiscard]] samples audio() const;                    // joined audio deltas
  [[nodiscard]] std::int64_t audio_ms() const {
    return protocol::samples_to_ms(static_cast<std::int64_t>(audio().size()), wire_hz);
  }
  [[nodiscard]] samples heard(const protocol::item_id& item) const;  // by the model, from the start
  [[nodiscard]] runtime::response_request request_made() const;      // the last, from the start
  [[nodiscard]] std::optional<protocol::item_id> last_turn() const { return turn_; }
  [[nodiscard]] std::uint64_t last_unit() const noexcept { return unit_; }
  [[nodiscard]] bool attach();
  void detach() { session_.detach(now_); }
  [[nodiscard]] std::string prompt() const;  // of the last request, one line: "user: hi | assistant: yes"
  [[nodiscard]] protocol::item retrieve(const protocol::item_id& item);
  [[nodiscard]] bool closed() const { return session_.closed(); }

  // The log is not that of a whole conversation (its bound is being tested).
  void skip_log_check() { check_log_ = false; }

 private:
  void take(runtime::actions out);
  void sequence(const runtime::emit& sent);
  [[nodiscard]] runtime::response_request pick(const request& one) const;

  runtime::session session_;
  runtime::time_point now_{std::chrono::hours{1}};
  std::vector<runtime::action> log_;
  std::size_t seen_ = 0;
  std::vector<runtime::receipt> held_;
  bool holding_ = false;
  std::optional<runtime::response_request> last_request_;
  std::optional<protocol::item_id> turn_;
  std::uint64_t unit_ = 0;
  event_log checker_;
  bool check_log_ = true;
  bool is_duplex_ = false;
  bool was_closed_ = false;
};

[[nodiscard]] std::vector<std::string> errors_of(const std::vector<protocol::error_event>& events);
[[noreturn]] void not_one(std::size_t count);

template <class Body>
std::vector<Body> session_driver::events() const {
  std::vector<Body> found;
  for (const auto& one : actions<runtime::emit>())
    if (const auto* body = std::get_if<Body>(&one.event.body)) found.push_back(*body);
  return found;
}

template <class Action>
std::vector<Action> session_driver::actions() const {
  std::vector<Action> found;
  for (std::size_t at = seen_; at < log_.size(); ++at)
    if (const auto* one = std::get_if<Action>(&log_[at])) found.push_back(*one);
  return found;
}

template <class Body>
Body session_driver::only() const {
  auto found = events<Body>();
  if (found.size() != 1) not_one(found.size());
  return found.front();
}

}  // namespace parley::tests
