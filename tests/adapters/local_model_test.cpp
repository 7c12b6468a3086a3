// The model's answers: replier, speaker and what is posted. The turns are in local_speech_test.cpp.
#include "adapters/local/local_model.hpp"

#include "adapters/local/echo_replier.hpp"
#include "tests/adapters/collecting_sink.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace parley::adapters::local {
namespace {

using protocol::output_modality;
using protocol::response_id;

config::local_config small() {
  config::local_config options;
  options.voices = 1;
  options.decoders = 1;
  options.voice = "kal16";
  return options;
}

// Gives its sink to the test.
class held_replier final : public replier {
 public:
  std::unique_ptr<reply> start(const runtime::response_request& /*request*/, reply_sink to) override {
    sink = std::move(to);
    return std::make_unique<reply>();
  }
  reply_sink sink;
};

runtime::response_request request(const std::string& user_text, output_modality modality, const char* id = "resp_1") {
  auto item = std::make_shared<protocol::item>();
  item->content = {{.type = protocol::part_type::input_text, .text = user_text}};
  runtime::response_request made;
  made.id = response_id(id);
  made.epoch = {3};
  made.instructions = "Be brief.";
  made.prompt = {item};
  made.modality = modality;
  return made;
}

struct conversation {
  explicit conversation(std::shared_ptr<replier> words)
      : model(make_local_model(small(), std::move(words))), session(model->open(sink)) {}

  std::string transcript() const {
    std::string text;
    for (const auto& piece : sink->of<runtime::model_speech>()) text += piece.transcript;
    return text;
  }

  std::shared_ptr<collecting_sink> sink = std::make_shared<collecting_sink>();
  std::shared_ptr<runtime::model> model;
  std::unique_ptr<runtime::model_session> session;
};

}  // namespace

TEST_CASE("local_model: names the key of a file or voice that is missing", "[adapters][unit]") {
  const auto make = [](auto change) {
    auto options = small();
    change(options);
    return make_local_model(options, make_echo_replier());
  };
  CHECK_THROWS_WITH(make([](auto& o) { o.acoustic_model = "/nowhere"; }), Catch::Contains("local.acoustic_model"));
  CHECK_THROWS_WITH(make([](auto& o) { o.language_model = "/nowhere"; }), Catch::Contains("local.language_model"));
  CHECK_THROWS_WITH(make([](auto& o) { o.dictionary = "/nowhere"; }), Catch::Contains("local.dictionary"));
  CHECK_THROWS_WITH(make([](auto& o) { o.voice = "nobody"; }), Catch::Contains("local.voice"));
}

TEST_CASE("local_model: takes pictures only where a language model gets them", "[adapters][unit]") {
  auto options = small();
  CHECK_FALSE(make_local_model(options, make_echo_replier())->capabilities().takes_images);
  options.llm.url = "http://127.0.0.1:1/v1/chat/completions";
  CHECK(make_local_model(options, make_echo_replier())->capabilities().takes_images);
}

TEST_CASE("local_model: a text response gives the words as text, then done with usage", "[adapters][unit]") {
  conversation talk(make_echo_replier());
  talk.session->respond(request("good morning to you", output_modality::text));
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  std::string text;
  for (const auto& piece : talk.sink->of<runtime::model_text>()) text += piece.text;
  CHECK(text == "You said: good morning to you.");
  const auto done = talk.sink->of<runtime::model_done>().front();
  CHECK(done.response == response_id("resp_1"));
  CHECK(done.epoch == protocol::epoch{3});
  CHECK(done.usage == protocol::token_usage{.input_text_tokens = 6, .output_text_tokens = 6});
  CHECK(talk.sink->of<runtime::model_speech>().empty());
}

TEST_CASE("C56: local_model: an audio response is speech with its transcript, then done", "[adapters][unit]") {
  conversation talk(make_echo_replier());
  talk.session->respond(request("hi. good morning", output_modality::audio));
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  CHECK(talk.transcript() == "You said: hi. good morning.");
  CHECK(talk.sink->of<runtime::model_text>().empty());
  CHECK(std::holds_alternative<runtime::model_done>(talk.sink->all().back()));
  CHECK(talk.sink->of<runtime::model_done>().front().usage->output_audio_tokens == 5);
}

TEST_CASE("local_model: a tool call carries its response and makes no speech", "[adapters][unit]") {
  conversation talk(make_echo_replier());
  auto asked = request("use the get_weather tool", output_modality::audio);
  asked.tools = {{"get_weather", {"{}"}}};
  talk.session->respond(asked);
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  const auto calls = talk.sink->of<runtime::model_tool_call>();
  REQUIRE_FALSE(calls.empty());
  CHECK(calls[0].response == response_id("resp_1"));
  CHECK(calls[0].epoch == protocol::epoch{3});
  CHECK(talk.sink->of<runtime::model_speech>().empty());
}

TEST_CASE("F32: local_model: a call is not posted before the words that came first", "[adapters][unit]") {
  const auto words = std::make_shared<held_replier>();
  conversation talk(words);
  talk.session->respond(request("hello", output_modality::audio));
  words->sink.text("Let me");  // no sentence yet: nothing to speak
  words->sink.text(" look");
  words->sink.tool_call({.call = protocol::call_id("call_1"), .name = "look", .arguments_delta = "{}", .last = true});
  const auto before = talk.sink->all();
  REQUIRE(before.size() == 2);  // the call does not wait for the speech
  const auto* begun = std::get_if<runtime::model_message_begun>(&before[0]);
  REQUIRE(begun);
  CHECK(begun->response == response_id("resp_1"));
  CHECK(begun->epoch == protocol::epoch{3});
  CHECK(std::holds_alternative<runtime::model_tool_call>(before[1]));
  words->sink.done(runtime::finish_reason::stop, std::nullopt);
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  CHECK(talk.sink->of<runtime::model_message_begun>().size() == 1);
  CHECK(talk.transcript() == "Let me look");
}

TEST_CASE("local_model: speaks while the replier is still at it, and uses its usage", "[adapters][unit]") {
  const auto words = std::make_shared<held_replier>();
  conversation talk(words);
  talk.session->respond(request("hello", output_modality::audio));
  words->sink.text("The first sentence. And");
  REQUIRE(talk.sink->wait_for<runtime::model_speech>());
  words->sink.text(" the second");
  words->sink.done(runtime::finish_reason::content_filter, protocol::token_usage{.input_text_tokens = 77});
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  const auto done = talk.sink->of<runtime::model_done>().front();
  CHECK(done.reason == runtime::finish_reason::content_filter);
  CHECK(done.usage->input_text_tokens == 77);
  CHECK(talk.transcript() == "The first sentence. And the second");
}

TEST_CASE("C54: a replier that fails in mid-answer fails the response once", "[adapters][unit]") {
  const auto modality = GENERATE(output_modality::text, output_modality::audio);
  const auto words = std::make_shared<held_replier>();
  conversation talk(words);
  talk.session->respond(request("hello", modality));
  words->sink.text("The first sentence. And");
  words->sink.failed("The language model does not answer.");
  REQUIRE(talk.sink->wait_for<runtime::model_failed>());
  words->sink.done(runtime::finish_reason::stop, std::nullopt);
  talk.session->respond(request("next", output_modality::text, "resp_2"));
  words->sink.done(runtime::finish_reason::stop, std::nullopt);
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  CHECK(talk.sink->of<runtime::model_failed>().size() == 1);
  CHECK(talk.sink->of<runtime::model_failed>().front().message == "The language model does not answer.");
  CHECK(talk.sink->of<runtime::model_done>().size() == 1);
}

TEST_CASE("C58: after cancel nothing of the response is posted, the next one is answered", "[adapters][unit]") {
  conversation talk(make_echo_replier());
  talk.session->respond(request("tell me a story", output_modality::audio));
  REQUIRE(talk.sink->wait_for<runtime::model_speech>(3));
  talk.session->cancel(response_id("resp_1"));
  const auto before = talk.sink->all().size();
  talk.session->cancel(response_id("resp_1"));
  talk.session->throttle(response_id("resp_1"), true);
  talk.session->respond(request("hi", output_modality::audio, "resp_2"));
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  const auto all = talk.sink->all();
  for (auto i = before; i < all.size(); ++i) {
    if (const auto* piece = std::get_if<runtime::model_speech>(&all[i]))
      CHECK(piece->response == response_id("resp_2"));
  }
  CHECK(talk.sink->of<runtime::model_done>().front().response == response_id("resp_2"));
}

TEST_CASE("C58: a destroyed session posts nothing", "[adapters][unit]") {
  const auto model = make_local_model(small(), make_echo_replier());
  const auto gone = std::make_shared<collecting_sink>();
  auto session = model->open(gone);
  session->respond(request("count please", output_modality::audio));
  REQUIRE(gone->wait_for<runtime::model_speech>(2));
  session.reset();
  const auto before = gone->all().size();
  // The only voice was at work for it; when it has served another session, it has left this one.
  const auto other = std::make_shared<collecting_sink>();
  const auto second = model->open(other);
  second->respond(request("hi", output_modality::audio));
  REQUIRE(other->wait_for<runtime::model_done>());
  CHECK(gone->all().size() == before);
}

TEST_CASE("local_model: a throttled response waits until it may go on", "[adapters][unit]") {
  conversation talk(make_echo_replier());
  talk.session->respond(request("tell me a story", output_modality::audio, "resp_1"));
  talk.session->throttle(response_id("resp_1"), true);
  talk.session->respond(request("hi", output_modality::audio, "resp_2"));
  REQUIRE(talk.sink->wait_for<runtime::model_done>());
  CHECK(talk.sink->of<runtime::model_done>().front().response == response_id("resp_2"));
  talk.session->throttle(response_id("resp_1"), false);
  REQUIRE(talk.sink->wait_for<runtime::model_done>(2));
}

}  // namespace parley::adapters::local
