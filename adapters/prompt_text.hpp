// What a prompt says, as plain text: the models without a language model read nothing else of it.
#pragma once

#include "protocol/item.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parley::adapters {

using prompt = std::vector<std::shared_ptr<const protocol::item>>;

// Texts and transcripts of a message, parted by blanks.
[[nodiscard]] std::string text_of(const protocol::item& message);
// Null when there is none.
[[nodiscard]] const protocol::item* last_user_message(const prompt& items);
// Its text_of(); empty when there is none.
[[nodiscard]] std::string last_user_text(const prompt& items);
// "I see 2 images." of a message that holds so many; empty for one without any.
[[nodiscard]] std::string images_seen(const protocol::item& message);
// Words of everything in the prompt.
[[nodiscard]] int count_words(const prompt& items);

// Cuts a text into words that each keep the blanks before them (the last also those after it), so that the pieces
// joined are the text.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
// Without the blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
// ASCII letters made small; everything else is kept.
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] bool contains_no_case(std::string_view text, std::string_view part);

}  // namespace parley::adapters
