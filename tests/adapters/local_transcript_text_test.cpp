#include "adapters/local/transcript_text.hpp"

#include <catch2/catch.hpp>

#include <chrono>

namespace parley::adapters::local {

using namespace std::chrono_literals;

TEST_CASE("C17: blank and marker-only transcripts become empty", "[adapters][unit]") {
  for (const auto* text : {"", "  \n", "<s> <sil> </s>", "[NOISE]", "++NOISE++ ++COUGH++", "[BLANK_AUDIO]", "..."}) {
    CHECK(cleaned_transcript(text, true).empty());
  }
}

TEST_CASE("cleaned_transcript: keeps the words between the marks", "[adapters][unit]") {
  CHECK(cleaned_transcript("<s> hello [NOISE]  world <sil> ++UH++ </s>", true) == "hello world");
  CHECK(cleaned_transcript("<s> hello [NOISE] </s>", false) == "hello [NOISE]");
}

TEST_CASE("stable_words: sends a word that stayed the same for 300 ms, whatever follows it", "[adapters][unit]") {
  stable_words words;
  CHECK(words.next("what is the", 100ms).empty());  // the first to say so
  CHECK(words.next("what is the weather", 200ms).empty());
  CHECK(words.next("what is the whether in paris", 399ms).empty());
  CHECK(words.next("what is the weather in paris today", 400ms) == "what is the");
  CHECK(words.next("what is the weather in paris today", 699ms).empty());
  CHECK(words.next("what is the weather in paris today", 700ms) == " weather in paris today");
  CHECK(words.next("what is the weather in paris today", 900ms).empty());
}

TEST_CASE("stable_words: a word starts anew when one before it changes", "[adapters][unit]") {
  stable_words words;
  CHECK(words.next("or four", 100ms).empty());
  CHECK(words.next("for four", 300ms).empty());
  CHECK(words.next("for four", 599ms).empty());
  CHECK(words.next("for four", 600ms) == "for four");
}

TEST_CASE("stable_words: takes nothing back when the recogniser changes its mind", "[adapters][unit]") {
  stable_words words;
  (void)words.next("one two", 100ms);
  CHECK(words.next("one two three four", 400ms) == "one two");
  CHECK(words.next("won two three four", 500ms).empty());
  CHECK(words.next("won two three four", 900ms).empty());
  CHECK(words.next("", 1000ms).empty());
  (void)words.next("one two three four", 1100ms);
  CHECK(words.next("one two three four", 1400ms) == " three four");
}

TEST_CASE("stable_words: does not repeat itself when the turn is heard from its beginning again", "[adapters][unit]") {
  stable_words words;
  (void)words.next("one two three", 900ms);
  CHECK(words.next("one two three", 1200ms) == "one two three");
  words.start_over();
  CHECK(words.next("one", 100ms).empty());
  CHECK(words.next("one", 400ms).empty());
  CHECK(words.next("one two three four", 1200ms).empty());
  CHECK(words.next("one two three four", 1499ms).empty());  // not for as long as it was before
  CHECK(words.next("one two three four", 1500ms) == " four");
}

}  // namespace parley::adapters::local
