#include "runtime/prompt_text.hpp"

#include <catch2/catch.hpp>

namespace parley::runtime {
namespace {

const prompt_library library{{"guide", "Speak of {{city}} to {{ name }}. {{other}} stays, {{ too"}};

TEST_CASE("prompt_text: variables are put in once, unknown ones stay", "[runtime][prompt]") {
  CHECK(rendered(&library, {.id = "guide", .variables = {{"city", "{{name}}"}, {"name", "Ada"}}}) ==
        "Speak of {{name}} to Ada. {{other}} stays, {{ too");
}

TEST_CASE("prompt_text: what the library does not have is told", "[runtime][prompt]") {
  CHECK_FALSE(rendered(&library, {.id = "other"}).has_value());
  CHECK_FALSE(rendered(nullptr, {.id = "guide"}).has_value());
  CHECK(unknown_prompt(&library, {.id = "other"}, "session")->param == "session.prompt.id");
  CHECK(unknown_prompt(nullptr, {.id = "guide"}, "response")->param == "response.prompt.id");
  CHECK_FALSE(unknown_prompt(&library, {.id = "guide"}, "session").has_value());
}

TEST_CASE("prompt_text: a version has a text of its own", "[runtime][prompt]") {
  const prompt_library versions{{"p", "Newest."}, {"p@2", "Second."}};
  CHECK(rendered(&versions, {.id = "p"}) == "Newest.");
  CHECK(rendered(&versions, {.id = "p", .version = "2"}) == "Second.");
  CHECK_FALSE(rendered(&versions, {.id = "p", .version = "3"}).has_value());
  CHECK(unknown_prompt(&versions, {.id = "p", .version = "3"}, "session")->param == "session.prompt.version");
  CHECK(unknown_prompt(&versions, {.id = "q", .version = "2"}, "session")->param == "session.prompt.id");
}

TEST_CASE("prompt_text: the template stands before the instructions", "[runtime][prompt]") {
  const prompt_library short_one{{"p", "Be kind."}, {"empty", ""}};
  CHECK(whole_instructions(&short_one, protocol::prompt_template{"p"}, "Be brief.") == "Be kind.\n\nBe brief.");
  CHECK(whole_instructions(&short_one, protocol::prompt_template{"p"}, "") == "Be kind.");
  CHECK(whole_instructions(&short_one, protocol::prompt_template{"empty"}, "Be brief.") == "Be brief.");
  CHECK(whole_instructions(&short_one, std::nullopt, "Be brief.") == "Be brief.");
}

}  // namespace
}  // namespace parley::runtime
