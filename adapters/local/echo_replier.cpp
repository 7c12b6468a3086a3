#include "adapters/local/echo_replier.hpp"

#include "adapters/local/tool_arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

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

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string()
                                         : std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::string text_of(const protocol::item& message) {
  std::string text;
  for (const auto& part : message.content) {
    const auto& words = part.type == protocol::part_type::input_audio ? part.transcript.value_or("") : part.text;
    if (part.type == protocol::part_type::input_image || words.empty()) continue;
    text += (text.empty() ? "" : " ") + words;
  }
  return trimmed(text);
}

std::string last_user_text(const runtime::response_request& request) {
  for (auto i = request.prompt.rbegin(); i != request.prompt.rend(); ++i) {
    const auto& item = **i;
    if (item.type == protocol::item_type::message && item.role == protocol::item_role::user) return text_of(item);
  }
  return {};
}

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
  const auto asked = lower(user_text);
  if (user_text.empty()) return "Hello. I am listening.";
  if (asked.find("story") != std::string::npos) return std::string(story);
  if (asked.find("count") != std::string::npos) return counting();
  const bool ended = std::string_view(".!?").find(user_text.back()) != std::string_view::npos;
  return "You said: " + user_text + (ended ? "" : ".");
}

std::string tool_result(const std::string& output) {
  const auto text = trimmed(output);
  return text.empty() ? "The tool says nothing." : "The tool says: " + text;
}

// A name is also meant when it is spoken: get_weather, "get weather".
bool names_tool(const std::string& asked, const protocol::tool& tool) {
  auto name = lower(tool.name);
  if (asked.find(name) != std::string::npos) return true;
  std::replace(name.begin(), name.end(), '_', ' ');
  return asked.find(name) != std::string::npos;
}

const protocol::tool* tool_to_call(const runtime::response_request& request, const std::string& user_text) {
  using mode = protocol::tool_choice_mode;
  const auto asked = lower(user_text);
  for (const auto& tool : request.tools) {
    if (request.choice.mode == mode::function && tool.name == request.choice.function) return &tool;
    if (request.choice.mode == mode::automatic && names_tool(asked, tool)) return &tool;
  }
  const bool must = request.choice.mode == mode::required && !request.tools.empty();
  return must ? &request.tools.front() : nullptr;
}

void call(const protocol::tool& tool, const runtime::response_request& request, const std::string& user_text,
          const reply_sink& sink) {
  sink.tool_call({.response = {},
                  .epoch = {},
                  .call = protocol::call_id("call_" + request.id.value),
                  .name = tool.name,
                  .arguments_delta = tool_arguments(tool, user_text),
                  .last = true});
  sink.done(runtime::finish_reason::stop, std::nullopt);
}

// Word by word, as a language model would; a word counts as a token.
void tell(std::string_view text, std::optional<int> most_words, const reply_sink& sink) {
  int words = 0;
  while (!text.empty()) {
    if (most_words && words >= *most_words) return sink.done(runtime::finish_reason::max_output_tokens, std::nullopt);
    const auto end = std::min(text.find(' ', 1), text.size());  // the blank leads the next word
    sink.text(std::string(text.substr(0, end)));
    text.remove_prefix(end);
    ++words;
  }
  sink.done(runtime::finish_reason::stop, std::nullopt);
}

class echo_replier final : public replier {
 public:
  std::unique_ptr<reply> start(const runtime::response_request& request, reply_sink sink) override {
    const bool after_tool =
        !request.prompt.empty() && request.prompt.back()->type == protocol::item_type::function_call_output;
    const auto user_text = last_user_text(request);
    if (after_tool) {
      tell(tool_result(request.prompt.back()->output), request.max_output_tokens, sink);
    } else if (const auto* tool = tool_to_call(request, user_text)) {
      call(*tool, request, user_text, sink);
    } else {
      tell(answer_to(user_text), request.max_output_tokens, sink);
    }
    return std::make_unique<reply>();
  }
};

}  // namespace

std::shared_ptr<replier> make_echo_replier() { return std::make_shared<echo_replier>(); }

}  // namespace parley::adapters::local
