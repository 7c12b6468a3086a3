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

TEST_CASE("likely_words: a word is likely that stayed the same for 300 ms, whatever follows it", "[adapters][unit]") {
  likely_words words;
  CHECK(words.next("what is the", 100ms).empty());  // the first to say so
  CHECK(words.next("what is the weather", 200ms).empty());
  CHECK(words.next("what is the whether in paris", 399ms).empty());
  CHECK(words.next("what is the weather in paris today", 400ms) == "what is the");
  CHECK(words.next("what is the weather in paris today", 699ms) == "what is the");
  CHECK(words.next("what is the weather in paris today", 700ms) == "what is the weather in paris today");
}

TEST_CASE("likely_words: a word starts anew when one before it changes", "[adapters][unit]") {
  likely_words words;
  CHECK(words.next("or four", 100ms).empty());
  CHECK(words.next("for four", 300ms).empty());
  CHECK(words.next("for four", 599ms).empty());
  CHECK(words.next("for four", 600ms) == "for four");
}

TEST_CASE("likely_words: follows the recogniser when it changes its mind", "[adapters][unit]") {
  likely_words words;
  (void)words.next("one two", 100ms);
  CHECK(words.next("one two three four", 400ms) == "one two");
  CHECK(words.next("won two three four", 500ms).empty());
  CHECK(words.next("won two three four", 800ms) == "won two three four");
  CHECK(words.next("", 1000ms).empty());
}

}  // namespace parley::adapters::local
