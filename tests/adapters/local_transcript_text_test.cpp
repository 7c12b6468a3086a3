#include "adapters/local/transcript_text.hpp"

#include <catch2/catch.hpp>

namespace parley::adapters::local {

TEST_CASE("C17: blank and marker-only transcripts become empty", "[adapters][unit]") {
  for (const auto* text : {"", "  \n", "<s> <sil> </s>", "[NOISE]", "++NOISE++ ++COUGH++", "[BLANK_AUDIO]", "..."}) {
    CHECK(cleaned_transcript(text, true).empty());
  }
}

TEST_CASE("cleaned_transcript: keeps the words between the marks", "[adapters][unit]") {
  CHECK(cleaned_transcript("<s> hello [NOISE]  world <sil> ++UH++ </s>", true) == "hello world");
  CHECK(cleaned_transcript("<s> hello [NOISE] </s>", false) == "hello [NOISE]");
}

TEST_CASE("stable_words: sends a word when two hypotheses agree on it, never the last one", "[adapters][unit]") {
  stable_words words;
  CHECK(words.next("what").empty());
  CHECK(words.next("what is") == "what");
  CHECK(words.next("what is the weather") == " is");
  CHECK(words.next("what is the whether in") == " the");
  CHECK(words.next("what is the weather in paris").empty());
  CHECK(words.next("what is the weather in paris today") == " weather in paris");
}

TEST_CASE("stable_words: takes nothing back when the recogniser changes its mind", "[adapters][unit]") {
  stable_words words;
  (void)words.next("one two three");
  CHECK(words.next("one two three") == "one two");
  CHECK(words.next("won two three four").empty());
  CHECK(words.next("won two three four").empty());
  CHECK(words.next("").empty());
  (void)words.next("one two three four");
  CHECK(words.next("one two three four") == " three");
}

}  // namespace parley::adapters::local
