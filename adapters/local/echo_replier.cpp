#include "adapters/local/echo_replier.hpp"

#include "adapters/local/tool_arguments.hpp"
#include "adapters/prompt_text.hpp"
#include "adapters/step_timer.hpp"
#include "adapters/tool_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::adapters::local {
namespace {

constexpr int count_to = 200;

// About 25 s when it is spoken.
constexpr std::string_view story =
    "Once upon a time there was a small lighthouse at the end of a long and stony cape. Its keeper was an old woman "
    "who knew every ship by the sound of its engine. One night the fog was so thick that the light could not be seen. "
    "So she took her old brass horn and played every song she knew, one after the other, until the morning came. "
    "The captains followed the music and not one ship was lost. From that night on they all greeted her with their "
    "horns when they passed, and she always played an answer.";

std::string number_name(int number) {
  constexpr std::array<std::string_view, 20> small{
      "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
      "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  constexpr std::array<std::string_view, 10> tens{"",      "",      "twenty",  "thirty", "forty",
                                                  "fifty", "sixty", "seventy", "eighty", "ninety"};
  if (number < 20) return std::string(small[static_cast<std::size_t>(number)]);
  const auto rest = [&](int unit) { return number % unit == 0 ? std::string() : " " + number_name(number % unit); };
  if (number < 100) return std::string(tens[static_cast<std::size_t>(number / 10)]) + rest(10);
  return number_name(number / 100) + " hundred" + rest(100);
}

std::string counting() {
  std::string text;
  for (int number = 1; number <= count_to; ++number) text += number_name(number) + (number < count_to ? ", " : ".");
  text[0] = 'O';
  return text;
}

std::string answer_to(const std::string& user_text) {
  const auto asked = lower_case(user_text);
  if (asked.find("story") != std::string::npos) return std::string(story);
  if (asked.find("count") != std::string::npos) return counting();
  const bool ended = std::string_view(".!?").find(user_text.back()) != std::string_view::npos;
  return "You said: " + user_text + (ended ? "" : ".");
}

// It is asked about a blank turn only where silence would be worse: behind an interruption, or a long silence.
std::string answer_to(const runtime::response_request& request) {
  if (auto results = said_of_results(request.prompt); !results.empty()) return results;
  const auto* message = last_user_message(request.prompt);
  if (!message) return "Hello. I am listening.";
  const std::string text{trimmed(text_of(*message))};
  const auto images = images_seen(*message);
  if (text.empty()) return images.empty() ? "Sorry, I did not catch that." : images;
  return answer_to(text) + (images.empty() ? "" : ' ' + images);
}

// What it says and does, as pieces that come one after the other.
struct script {
  std::vector<std::string> words;
  std::vector<runtime::model_tool_call> calls;
  runtime::finish_reason reason = runtime::finish_reason::stop;
};

// A word counts as a token.
script make_script(const runtime::response_request& request) {
  script made;
  const auto user_text = last_user_text(request.prompt);
  for (const auto* tool : tools_to_call(request)) {
    append_call(made.calls, request, tool->name, tool_arguments(*tool, user_text));
  }
  if (!made.calls.empty()) return made;
  made.words = split_words(answer_to(request));
  const auto most = static_cast<std::size_t>(std::max(0, request.max_output_tokens.value_or(0)));
  if (request.max_output_tokens && made.words.size() > most) {
    made.words.resize(most);
    made.reason = runtime::finish_reason::max_output_tokens;
  }
  return made;
}

// One answer on its way: word by word, as a language model would give it, so that it can be cancelled in between.
// Thread safety: the timer's thread steps, any thread stops.
class telling {
 public:
  telling(script what, reply_sink sink) : what_(std::move(what)), sink_(std::move(sink)) {}

  // False when nothing follows. Holding m_ over the sink is what lets stop() promise that nothing comes after it.
  bool step() {
    const std::lock_guard lock(m_);
    if (stopped_) return false;
    if (next_ < what_.calls.size()) {
      sink_.tool_call(what_.calls[next_++]);
    } else if (next_ < what_.words.size()) {
      sink_.text(what_.words[next_++]);
    } else {
      stopped_ = true;
      sink_.done(what_.reason, std::nullopt);
    }
    return !stopped_;
  }
  void stop() {
    const std::lock_guard lock(m_);
    stopped_ = true;
  }

 private:
  const script what_;
  const reply_sink sink_;
  std::recursive_mutex m_;  // what it calls may stop it
  std::size_t next_ = 0;    // guarded by m_
  bool stopped_ = false;    // guarded by m_
};

class told_reply final : public reply {
 public:
  explicit told_reply(std::shared_ptr<telling> what) : what_(std::move(what)) {}
  told_reply(const told_reply&) = delete;
  told_reply& operator=(const told_reply&) = delete;
  ~told_reply() override { what_->stop(); }

 private:
  const std::shared_ptr<telling> what_;
};

class echo_replier final : public replier {
 public:
  explicit echo_replier(std::chrono::milliseconds time_per_word) : time_per_word_(time_per_word) {}

  std::unique_ptr<reply> start(const runtime::response_request& request, reply_sink sink) override {
    auto what = std::make_shared<telling>(make_script(request), std::move(sink));
    schedule(step_timer::time_point::clock::now(), what);
    return std::make_unique<told_reply>(std::move(what));
  }

 private:
  void schedule(step_timer::time_point due, const std::shared_ptr<telling>& what) {
    timer_.schedule(due, [this, due, what] {
      if (what->step()) schedule(due + time_per_word_, what);
    });
  }

  const std::chrono::milliseconds time_per_word_;
  step_timer timer_;
};

}  // namespace

std::shared_ptr<replier> make_echo_replier(std::chrono::milliseconds time_per_word) {
  return std::make_shared<echo_replier>(time_per_word);
}

}  // namespace parley::adapters::local
