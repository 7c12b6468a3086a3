// Truncate of what has no audio of the model, and that a truncate which is refused leaves no trace.
#include "tests/runtime/session_driver.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace parley::tests;
using namespace parley::protocol;

namespace {

const std::string ten_words = "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";

auto session_of(dialect spoken) {
  auto options = manual_session();
  options.dialect = spoken;
  options.settings.playback = playback_policy::estimate;
  return options;
}

item of_client(std::string id, item_role role, content_part part) {
  item value{.id = item_id{std::move(id)}, .role = role};
  value.content.push_back(std::move(part));
  return value;
}

// One of every kind of item that is no speech of the model.
std::vector<item_id> soundless_items(session_driver& one) {
  one.send(item_create{of_client("user", item_role::user, {.type = part_type::input_text, .text = "Hi."})});
  one.send(item_create{of_client("system", item_role::system, {.type = part_type::input_text, .text = "Be brief."})});
  one.send(item_create{of_client("words", item_role::assistant, {.type = part_type::output_text, .text = "Yes."})});
  const content_part sound{.type = part_type::output_audio, .text = base64(voice(200ms)), .transcript = "No."};
  one.send(item_create{of_client("sound", item_role::assistant, sound)});
  one.send(item_create{{.id = item_id{"call"},
                        .type = item_type::function_call,
                        .name = "look",
                        .call = call_id{"call_1"},
                        .arguments = "{}"}});
  one.send(item_create{
      {.id = item_id{"output"}, .type = item_type::function_call_output, .call = call_id{"call_1"}, .output = "blue"}});
  std::vector<item_id> made;
  for (const char* id : {"user", "system", "words", "sound", "call", "output"}) made.emplace_back(id);
  return made;
}

// Each retrieve cuts a clip of its own.
samples heard_of(const item& spoken) {
  const auto& audio = spoken.content.front().audio;
  return audio ? audio->samples : samples{};
}

item_id written_answer(session_driver& one) {
  one.fresh();
  one.ask({.modality = output_modality::text});
  one.text("Only words.");
  one.done();
  return one.only<output_item_added>().value.id;
}

}  // namespace

TEST_CASE("F15: only audio of the model can be truncated, and the code says so", "[runtime][items]") {
  const dialect spoken = GENERATE(dialect::openai, dialect::openai_beta, dialect::duplex);
  session_driver one{session_of(spoken)};
  std::vector<item_id> items = soundless_items(one);
  items.push_back(written_answer(one));
  for (const item_id& id : items) {
    CAPTURE(id.value, static_cast<int>(spoken));
    const item before = one.retrieve(id);
    one.fresh();
    one.send(item_truncate{id, 0, 0}, "cut");
    const wire_error error = one.only<error_event>().error;
    CHECK(error.code == (spoken == dialect::duplex ? errc::bad_event : errc::unsupported_content_type));
    CHECK(error.param == "item_id");
    CHECK(error.client_event_id == "cut");
    CHECK(one.events<item_truncated>().empty());
    CHECK(one.retrieve(id) == before);
  }
}

TEST_CASE("F15: a part that the speech does not have is named", "[runtime][items]") {
  session_driver one{session_of(GENERATE(dialect::openai, dialect::openai_beta))};
  one.answer(1s);
  const auto id = one.only<output_item_added>().value.id;
  for (const int index : {1, 7, std::numeric_limits<int>::max()}) {
    one.fresh();
    one.send(item_truncate{id, index, 0});
    CHECK(one.only<error_event>().error.code == errc::invalid_value);
    CHECK(one.only<error_event>().error.param == "content_index");
  }
}

TEST_CASE("F30: a truncate that is refused changes nothing", "[runtime][items]") {
  const bool refused = GENERATE(false, true);
  session_driver one{session_of(dialect::openai)};
  const item_id user = one.write("Hello.");
  one.ask();
  one.speak(4s, ten_words);
  const auto id = one.only<output_item_added>().value.id;
  const auto attempt = [&] {
    if (!refused) return;
    const auto before = one.errors().size();
    one.send(item_truncate{id, 0, 1'000'000});
    one.send(item_truncate{id, 1, 0});
    one.send(item_truncate{user, 0, 0});
    one.send(item_truncate{item_id{"nobody"}, 0, 0});
    CHECK(one.errors().size() == before + 4);
  };
  const auto shows = [&](std::string_view words) {
    const item before = one.retrieve(id);
    CHECK(before.content.front().transcript == words);
    attempt();
    const item behind = one.retrieve(id);
    CHECK(behind.content.front().transcript == words);
    CHECK(behind.status == before.status);
    CHECK(heard_of(behind) == heard_of(before));
  };
  one.advance(1s);
  shows(ten_words.substr(0, 10));  // while it is spoken
  one.advance(1s);
  one.cancel();
  shows(ten_words.substr(0, 20));  // interrupted
  CHECK(one.retrieve(user).content.front().text == "Hello.");
  one.ask();
  CHECK(one.prompt() == "user: Hello. | assistant: " + ten_words.substr(0, 20));
  one.done();
  one.answer(1s, "Whole.");
  CHECK(one.audio_ms() == 5000);
  attempt();
  one.ask();
  CHECK(one.prompt() == "user: Hello. | assistant: " + ten_words.substr(0, 20) + " | assistant: Whole.");
}

TEST_CASE("F30: behind a refused truncate one that is right still holds", "[runtime][items]") {
  session_driver one{session_of(dialect::openai)};
  one.answer(2s, ten_words);
  const auto id = one.only<output_item_added>().value.id;
  one.send(item_truncate{id, 0, 2001});
  one.send(item_truncate{id, 0, 1000});
  CHECK(one.only<item_truncated>().audio_end_ms == 1000);
  one.send(item_truncate{id, 0, 1001});
  CHECK(one.errors().size() == 2);
  CHECK(one.retrieve(id).content.front().transcript == ten_words.substr(0, 20));
}

TEST_CASE("F1: an id of a client is quoted short in the error that names it", "[runtime][items]") {
  session_driver one{session_of(GENERATE(dialect::openai, dialect::duplex))};
  const std::string longest(256, 'i');
  item output{.type = item_type::function_call_output, .call = call_id{longest}, .output = "x"};
  one.send(item_create{output});
  one.send(item_retrieve{item_id{longest}});
  one.send(item_delete{item_id{longest}});
  one.send(item_truncate{item_id{longest}});
  one.send(item_create{of_client("a", item_role::user, {.text = "Hi."}), longest});
  const auto refusals = one.events<error_event>();
  CHECK(refusals.size() == 5);
  for (const error_event& refusal : refusals) {
    const wire_error& error = refusal.error;
    CAPTURE(error.message);
    CHECK(error.message.find("'" + std::string(64, 'i') + "...'") != std::string::npos);
    CHECK(error.message.size() < 150);
  }
}

TEST_CASE("F38: pictures of a response's own input count as those of the conversation do", "[runtime][items]") {
  auto options = session_of(dialect::duplex);
  options.capabilities.takes_images = true;
  session_driver one{options};
  static_cast<void>(one.write("Look."));
  const auto picture =
      of_client("", item_role::user, {.type = part_type::input_image, .text = "data:image/png;base64,AA"});
  response_options asked;
  asked.input.emplace(options.limits.context_images + 1, response_options::input_item{.value = picture});
  one.ask(asked);
  CHECK(one.only<error_event>().error.code == errc::input_backpressure);
  asked.input->pop_back();
  one.ask(asked);
  CHECK(one.events<error_event>().size() == 1);
  CHECK(one.events<response_created>().size() == 1);
}
