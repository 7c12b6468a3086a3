// Takes the reasoning out of a model's text: everything between <think> and </think>, and the blanks before the first
// word. Pieces may split a tag anywhere; what may be the start of one is held back.
#pragma once

#include <string>
#include <string_view>

namespace parley::adapters::local {

// Thread safety: none.
class think_filter {
 public:
  // What can be said now.
  [[nodiscard]] std::string take(std::string_view piece);
  // What was held back, when the text has ended. An unfinished thought stays unsaid.
  [[nodiscard]] std::string rest();

 private:
  [[nodiscard]] std::string from_first_word(std::string text);

  std::string held_;
  bool thinking_ = false;
  bool started_ = false;
};

}  // namespace parley::adapters::local
