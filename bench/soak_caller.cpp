#include "bench/soak_caller.hpp"

#include "protocol/base64.hpp"

#include <utility>
#include <vector>

namespace parley::bench {
namespace {

constexpr std::chrono::milliseconds between_actions{200};
constexpr std::size_t append_samples = 3200;  // 200 ms at 16 kHz

// A square wave, or silence.
std::string append_of(int level) {
  std::vector<std::uint8_t> pcm;
  for (std::size_t i = 0; i < append_samples; ++i) {
    const auto sample = static_cast<std::uint16_t>(i / 20 % 2 == 0 ? level : -level);
    pcm.push_back(static_cast<std::uint8_t>(sample & 0xff));
    pcm.push_back(static_cast<std::uint8_t>(sample >> 8));
  }
  std::string text(protocol::base64_encoded_size(pcm.size()), '\0');
  protocol::base64_encode(pcm, text.data());
  return R"({"type":"input_audio_buffer.append","audio":")" + text + R"("})";
}

const std::string& sound() {
  static const std::string made = append_of(3000);
  return made;
}
const std::string& silence() {
  static const std::string made = append_of(0);
  return made;
}

}  // namespace

soak_caller::soak_caller(const executor& on, server_url to, std::uint64_t seed, std::chrono::milliseconds expires_after,
                         soak_counts& counts, std::function<void(const std::string&)> violated)
    : executor_(on),
      to_(std::move(to)),
      expires_after_(expires_after),
      counts_(counts),
      violated_(std::move(violated)),
      random_(seed) {}

int soak_caller::pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

task<void> soak_caller::pause(std::chrono::milliseconds time) {
  steady_timer timer(executor_, clock::now() + time);
  co_await timer.async_wait(awaited);
}

task<void> soak_caller::run(clock::time_point until) {
  co_await pause(std::chrono::milliseconds{pick(0, 1000)});
  bool well = true;
  while (well && clock::now() < until) well = co_await hold_session(until);
}

task<bool> soak_caller::hold_session(clock::time_point until) {
  auto& one = sessions_.emplace_back(executor_, to_, counts_.events, violated_);
  const bool answers = pick(0, 1) == 0;  // by itself, or when asked
  const bool open =
      co_await one.open(std::string(R"({"model":"scripted-native","turn_detection":null,"extra_body":{)") +
                        (answers ? R"("auto_response":true)" : "") + "}}");
  if (!open) co_return false;
  ++counts_.opened;
  bool well = true;
  for (int left = pick(10, 80); well && left > 0 && clock::now() < until; --left) {
    well = co_await do_something(one);
    if (well) co_await pause(between_actions);
  }
  if (!well) co_return false;
  co_return co_await leave(one);
}

// The odds are those of 100.
task<bool> soak_caller::do_something(duplex_client& with) {
  const int what = pick(0, 99);
  if (what < 45) {
    co_await speak(with, sound());
  } else if (what < 65) {
    co_await speak(with, silence());
  } else if (what < 75) {
    co_await with.send(R"({"type":"input_audio_buffer.commit","response_create":true})");
  } else if (what < 80) {
    co_await with.send(R"({"type":"response.cancel"})");
  } else if (what < 84) {
    co_await with.send(R"({"type":"barge_in"})");
  } else if (what < 86) {
    co_await with.send(R"({"type":"input_audio_buffer.clear"})");
  } else if (what < 92) {
    co_await with.send(R"({"type":"session.event_ack","server_event_seq":)" +
                       std::to_string(with.events().last_number()) + "}");
  } else if (what < 94) {
    co_await with.send(R"({"type":"session.heartbeat"})");
  } else if (what < 98) {
    co_return co_await come_back(with);
  } else {
    co_return co_await take_over(with);
  }
  co_return true;
}

task<void> soak_caller::speak(duplex_client& with, const std::string& audio) {
  ++counts_.appends;
  co_await with.send(audio);
}

void soak_caller::lose_socket(duplex_client& with) {
  const bool by_rst = pick(0, 1) == 0;
  ++(by_rst ? counts_.lost_by_rst : counts_.lost_by_fin);
  with.lose(by_rst ? socket_loss::rst : socket_loss::fin);
}

task<bool> soak_caller::come_back(duplex_client& with) {
  lose_socket(with);
  co_await pause(std::chrono::milliseconds{pick(0, 1) == 0 ? 0 : pick(1, 800)});
  const bool well = co_await with.resume();
  if (well) ++counts_.resumed;
  co_return well;
}

task<bool> soak_caller::take_over(duplex_client& with) {
  const bool well = co_await with.take_over();
  if (well) ++counts_.taken_over;
  co_return well;
}

task<bool> soak_caller::leave(duplex_client& with) {
  if (pick(0, 4) > 0) {
    const bool closed = co_await with.close();
    if (closed) ++counts_.closed;
    co_return closed;
  }
  lose_socket(with);
  co_await pause(expires_after_);
  const bool expired = co_await with.is_expired();
  if (expired) ++counts_.expired;
  co_return expired;
}

}  // namespace parley::bench
