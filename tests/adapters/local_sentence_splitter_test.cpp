#include "adapters/local/sentence_splitter.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace parley::adapters::local {
namespace {

using pieces = std::vector<std::string>;

void append(pieces& all, pieces more) {
  for (auto& piece : more) all.push_back(std::move(piece));
}

pieces split(std::string_view text, std::size_t chunk = std::string_view::npos) {
  sentence_splitter splitter;
  pieces all;
  for (std::size_t at = 0; at < text.size(); at += std::min(chunk, text.size())) {
    append(all, splitter.push(text.substr(at, chunk)));
  }
  append(all, splitter.finish());
  return all;
}

std::string joined(const pieces& all) {
  std::string text;
  for (const auto& piece : all) text += piece;
  return text;
}

}  // namespace

TEST_CASE("sentence_splitter: cuts behind sentences, blanks lead the next one", "[adapters][unit]") {
  CHECK(split("Hello. How are you?  I am fine!") == pieces{"Hello.", " How are you?", "  I am fine!"});
  CHECK(split("He said \"stop.\" Then he left... Really?! Yes") ==
        pieces{"He said \"stop.\"", " Then he left...", " Really?!", " Yes"});
  CHECK(split("Wait\xE2\x80\xA6 What?") == pieces{"Wait\xE2\x80\xA6", " What?"});
}

TEST_CASE("sentence_splitter: gives a sentence as soon as the blank behind it comes", "[adapters][unit]") {
  sentence_splitter splitter;
  CHECK(splitter.push("Hello.").empty());
  CHECK(splitter.push(" ") == pieces{"Hello."});
  CHECK(splitter.push("I am here").empty());
  CHECK(splitter.finish() == pieces{" I am here"});
  CHECK(splitter.finish().empty());
}

TEST_CASE("C56: sentence_splitter tears no decimal, abbreviation, initial or URL", "[adapters][unit]") {
  for (const auto* text : {"It is 3.5 degrees at 10.30 today.", "Use fruit, e.g. apples, i.e. what Dr. Smith ate.",
                           "J. R. Tolkien came at 5 p.m. by train.", "See https://example.com/a.b?c=d.e for more."}) {
    CHECK(split(text) == pieces{text});
  }
  CHECK(split("So am I. And you?") == pieces{"So am I.", " And you?"});
}

TEST_CASE("sentence_splitter: an empty line ends a piece", "[adapters][unit]") {
  CHECK(split("A title\n\nA text") == pieces{"A title\n", "\nA text"});
}

TEST_CASE("sentence_splitter: gives the same pieces however the text is cut", "[adapters][unit]") {
  const std::string text = "One. Two e.g. three!\n\nFour 4.5 \"five.\" Six";
  for (const std::size_t chunk : {1, 2, 3, 5, 11}) CHECK(split(text, chunk) == split(text));
}

TEST_CASE("C56: a text of 4000 characters without a full stop is split at clauses and blanks", "[adapters][unit]") {
  std::string text;
  while (text.size() < 4000) text += text.size() % 7 == 0 ? "wonderful, " : "words ";
  const auto all = split(text);
  CHECK(joined(all) == text);
  for (const auto& piece : all) CHECK(piece.size() <= 300);
  CHECK(all.front().back() == ',');
}

TEST_CASE("sentence_splitter: cuts a text without blanks between characters", "[adapters][unit]") {
  std::string text = "a";
  while (text.size() < 1000) text += "\xC3\xA9";
  const auto all = split(text);
  CHECK(joined(all) == text);
  for (const auto& piece : all) {
    CHECK(piece.size() <= 300);
    CHECK((static_cast<unsigned char>(piece.front()) & 0xC0U) != 0x80U);
  }
}

TEST_CASE("F14: scripts without blanks are cut behind their full stops", "[adapters][unit]") {
  CHECK(split("你好。我很好！你呢？") == pieces{"你好。", "我很好！", "你呢？"});
  CHECK(split("元気です。今日は、いい天気ですね｡行こう") == pieces{"元気です。", "今日は、いい天気ですね｡", "行こう"});
  CHECK(split("他来了．我走了") == pieces{"他来了．", "我走了"});
  CHECK(split("你好!我很好?好…再见") == pieces{"你好!", "我很好?", "好…", "再见"});
  CHECK(split("等等……我知道了。好。") == pieces{"等等……", "我知道了。", "好。"});
  CHECK(split("真的？！不会吧。。。走。") == pieces{"真的？！", "不会吧。。。", "走。"});
}

TEST_CASE("F14: closing quotes stay with their sentence, also those of wide scripts", "[adapters][unit]") {
  CHECK(split("「そうですか。」と言った。") == pieces{"「そうですか。」", "と言った。"});
  CHECK(split("他说：“好。”然后走了。（真的！）嗯") == pieces{"他说：“好。”", "然后走了。", "（真的！）", "嗯"});
  CHECK(split("『本当？』』次") == pieces{"『本当？』』", "次"});
  CHECK(split("He said «stop.» Then") == pieces{"He said «stop.»", " Then"});
}

TEST_CASE("F14: Hindi, Arabic, Urdu, Thai and others have marks of their own", "[adapters][unit]") {
  CHECK(split("नमस्ते।आप कैसे हैं॥ठीक") == pieces{"नमस्ते।", "आप कैसे हैं॥", "ठीक"});
  CHECK(split("नमस्ते। आप") == pieces{"नमस्ते।", " आप"});
  CHECK(split("كيف حالك؟أنا بخير. شكرا") == pieces{"كيف حالك؟", "أنا بخير.", " شكرا"});
  CHECK(split("میں ٹھیک ہوں۔آپ") == pieces{"میں ٹھیک ہوں۔", "آپ"});
  CHECK(split("စာ။နေ") == pieces{"စာ။", "နေ"});
  CHECK(split("ក។ខ") == pieces{"ក។", "ខ"});
  CHECK(split("Բարև։Հա") == pieces{"Բարև։", "Հա"});
  CHECK(split("จบแล้ว๛ต่อไป") == pieces{"จบแล้ว๛", "ต่อไป"});
}

TEST_CASE("F14: Thai, which has no full stop, is cut at a blank behind a clause's length", "[adapters][unit]") {
  const std::string clause = "วันนี้อากาศดีมากและฉันอยากไปเดินเล่นที่สวน";
  CHECK(split(clause + " " + clause) == pieces{clause, " " + clause});
  CHECK(split("ดีมาก ครับ") == pieces{"ดีมาก ครับ"});
  CHECK(split(clause + " 20 " + "บาท") == pieces{clause + " 20 บาท"});
}

TEST_CASE("F14: numbers in wide digits and Korean, which has blanks, are not torn", "[adapters][unit]") {
  for (const auto* text : {"３．５度", "3.5度", "GPT-4.5是", "1.苹果 2.香蕉", "뭐?라고", "a?b=c!d…e"}) {
    CHECK(split(text) == pieces{text});
  }
}

TEST_CASE("F14: a wide sentence is given with the character behind it", "[adapters][unit]") {
  sentence_splitter splitter;
  CHECK(splitter.push("你好。").empty());  // a quote may follow
  CHECK(splitter.push("”").empty());
  CHECK(splitter.push("我") == pieces{"你好。”"});
  CHECK(splitter.finish() == pieces{"我"});
}

TEST_CASE("F14: wide scripts give the same pieces however the text is cut", "[adapters][unit]") {
  const std::string text = "“你好。”我！?好…再见「そう。」次。नमस्ते।आप كيف؟أنا。．５";
  for (const std::size_t chunk : {1, 2, 3, 4, 5, 11}) CHECK(split(text, chunk) == split(text));
  CHECK(joined(split(text)) == text);
}

TEST_CASE("F14: a long text of a wide script is split at its clauses", "[adapters][unit]") {
  std::string text;
  while (text.size() < 900) text += "我们一起去公园散步，";
  const auto all = split(text);
  CHECK(joined(all) == text);
  for (const auto& piece : all) {
    CHECK(piece.size() <= 300);
    CHECK(piece.ends_with("，"));
  }
}

TEST_CASE("sentence_splitter: keeps blank text and takes lone marks", "[adapters][unit]") {
  for (const auto* text : {" ", "\n\n\n", ".", "? ", "- ... ** ", "...\n"}) CHECK(joined(split(text)) == text);
}

}  // namespace parley::adapters::local
