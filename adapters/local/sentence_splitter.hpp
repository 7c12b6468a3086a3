// Cuts text that arrives in pieces into what is spoken at one go: sentences, or a clause where a sentence is very long.
// The pieces joined are exactly the text; the blanks between two sentences lead the second one.
//
// A sentence ends at . ! ? or an ellipsis (and closing quotes or brackets) with a blank behind it, or at an empty
// line. So a decimal, a URL or 10.30 is never torn; a dot after an abbreviation or an initial does not end one either.
// The full stops of scripts that set no blank behind them (Chinese, Japanese, Hindi, Arabic, Burmese and others) end
// one whatever follows; ! ? and an ellipsis do so before an East Asian character; in Thai, which has no full stop, a
// blank does behind 80 bytes. A text of more than 300 bytes without an end is cut behind its last clause mark, else at
// its last blank, else between two characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters::local {

// Thread safety: none.
class sentence_splitter {
 public:
  // The sentences that `text` completes.
  [[nodiscard]] std::vector<std::string> push(std::string_view text);
  // What is left when no more text comes; at most a few pieces.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  std::string waiting_;
};

}  // namespace parley::adapters::local
