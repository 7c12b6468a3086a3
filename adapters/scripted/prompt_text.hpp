// What a prompt says, as plain text: the scripted model reads nothing else of it.
#pragma once

#include "protocol/item.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters::scripted {

using prompt = std::vector<std::shared_ptr<const protocol::item>>;

// Texts and transcripts of a message, parted by blanks.
[[nodiscard]] std::string text_of(const protocol::item& message);
// Of the newest user message; empty when there is none.
[[nodiscard]] std::string last_user_text(const prompt& items);
// Words of everything in the prompt.
[[nodiscard]] int count_words(const prompt& items);

// Cuts a text into words that each keep the blanks before them (the last also those after it), so that the pieces
// joined are the text.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
// ASCII letters compare without case; everything else byte by byte.
[[nodiscard]] bool contains_no_case(std::string_view text, std::string_view part);

}  // namespace parley::adapters::scripted
